"""The commands over several bundles: `score`, `calibrate`; `agzamov matrix` uses their means."""
