"""Rules that merge several rankings into one."""
