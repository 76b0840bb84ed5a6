"""Parallel text and dictionaries in the forms in which others publish them."""
