"""Learners: arrays in, models out."""
