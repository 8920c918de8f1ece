"""Runs that were registered before they were played: what is logged, whom a reader trusts, what became of each run."""
