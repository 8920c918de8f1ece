"""The vocabulary of an experiment, below the plan: phases, conditions, matches, patterns, what an analysis declares."""
