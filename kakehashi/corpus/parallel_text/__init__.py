"""Parallel text and dictionaries in published formats."""
