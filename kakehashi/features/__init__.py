"""What a query and a document share besides words: classes, people, places, numbers."""
