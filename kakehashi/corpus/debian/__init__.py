"""Collections that any Debian or Ubuntu machine can build from its own package archive."""
