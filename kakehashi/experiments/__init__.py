"""Published tables, reproduced: one small recipe each."""
