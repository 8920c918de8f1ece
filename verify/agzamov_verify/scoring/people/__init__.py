"""Figures of a study with people (Phase 4), which stand apart from the Agzamov Score."""
