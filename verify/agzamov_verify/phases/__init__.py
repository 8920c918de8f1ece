"""The streams that a manifest promises, the script of each, and the gate between phases."""
