"""What is known about words before any ranking is learned: which words go together, and what translates what."""
