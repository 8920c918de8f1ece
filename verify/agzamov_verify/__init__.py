"""Says what a run of the Agzamov test is, and checks one. Imports nothing of the harness."""
