"""Asks the pinned engine about every chess position of a run: `agzamov quality`. What it answers, verify scores."""
