"""Wikipedia: what its database dumps know of articles besides their text."""
