"""The search service: one process that opens collections once and answers an API and a page."""
