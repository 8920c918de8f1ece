"""Local models: pins of their weights, checks of their server's determinism, and `agzamov models`."""
