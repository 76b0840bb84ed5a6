"""Cross-language prior-art search that learns from citations."""

__version__ = "0.1.0"
