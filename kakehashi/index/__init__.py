"""The inverted and forward index, metadata columns and segments."""
