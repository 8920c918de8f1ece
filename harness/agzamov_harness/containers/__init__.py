"""A sealed run in containers that reach nothing: images, topology, start, watch, and nothing left behind."""
