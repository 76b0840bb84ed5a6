"""Rules that make one ranking of several."""
