"""Weightings, top-k search, systems and their registry."""
