"""Container images as a run needs them: their records, and loading them; agzamov_images builds them."""
