"""The Agzamov Score and its parts (paper section 3)."""
