"""Patent records in the forms in which offices publish them."""
