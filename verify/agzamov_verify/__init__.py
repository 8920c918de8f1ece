"""Definition of a run of the Agzamov test, and its verification. Imports nothing of the harness."""
