"""Attacks with a seed and a count (`make test-attack`); docs/reliability.md says what each class does."""
