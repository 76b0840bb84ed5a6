"""Compilers: from a source-language text to a grouped term query."""
