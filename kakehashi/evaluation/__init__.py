"""Measures, significance, cross-validation and plots."""
