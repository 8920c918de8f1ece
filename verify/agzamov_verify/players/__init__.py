"""Players whose every reply follows from their prompt and seed, so that verification can ask them again."""
