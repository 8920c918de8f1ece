"""A run of a sealed manifest in its folder: from the plan's file over streams, questions and journals to its end."""
