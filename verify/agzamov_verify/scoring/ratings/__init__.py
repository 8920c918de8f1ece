"""Ratings of players from their games: Elo, Glicko-2 and Bradley-Terry. A game's result is in half-points."""
