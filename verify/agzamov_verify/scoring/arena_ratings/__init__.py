"""Ratings of many players from their games: strengths with their covariance, ranks, and the arena's older columns.

General numerics: players, clusters and tables are numbers here, and no module knows a game, a protocol or a file. All
figures are binary floating point, published with two decimals of Elo and compared with a tolerance; whatever is drawn
is seeded by the figures themselves. docs/arena-ratings.md has the formulas, what they assume and their sources.
"""
