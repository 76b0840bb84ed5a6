"""Published tables, run again: one small recipe each."""
