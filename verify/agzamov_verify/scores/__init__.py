"""Several bundles together: `score`, `calibrate`; `agzamov matrix` uses their means."""
