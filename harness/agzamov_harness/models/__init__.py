"""Local models: which weights a seat plays with, whether their server can be held to its word, and `agzamov models`."""
