"""Blind bids for two to six seats: a game in which all seats act at the same time."""
