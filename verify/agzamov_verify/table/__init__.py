"""What every game stands on: a table's players, their decisions, declared actions, tools and prompts."""
