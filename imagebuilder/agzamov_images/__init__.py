"""Builds the container images of the Agzamov test from locked packages, to the same digest anywhere."""
