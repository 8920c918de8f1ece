"""The Agzamov Score and what it is made of (paper section 3)."""
