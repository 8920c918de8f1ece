"""What scoring counts in: cells, counts, ratios over units, and the constants of a protocol version."""
