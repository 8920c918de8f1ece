"""`agzamov plan`: what a plan can detect, and what it will cost, before it is sealed."""
