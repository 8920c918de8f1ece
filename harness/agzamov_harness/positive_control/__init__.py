"""The positive control of memory: a planted advantage must be found, and none where nothing was planted."""
