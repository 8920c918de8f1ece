"""Ratings of players from their games: Elo and Glicko-2. A game's result is in half-points."""
