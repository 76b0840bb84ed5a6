"""Patent records in the formats published by patent offices."""
