"""Wikipedia articles with English queries, and their categories from SQL dumps."""
