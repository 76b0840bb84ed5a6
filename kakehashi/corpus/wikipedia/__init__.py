"""Wikipedia: the large set of articles with English queries, and what database dumps know of articles."""
