"""Hits as files a person takes away: spreadsheets, references, a page, JSON."""
