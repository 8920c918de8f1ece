"""The commands over several bundles: `score`, `matrix`, `calibrate`, `weights`."""
