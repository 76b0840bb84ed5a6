"""Lexical resources computed before any ranking is learned: co-occurring words and translations."""
