"""Plays a sealed run in containers that reach nothing, and leaves nothing behind."""
