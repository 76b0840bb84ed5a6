"""Weightings, top-k search, and the kinds of systems."""
