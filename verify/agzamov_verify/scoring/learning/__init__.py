"""Learning over a match: the paper's convergence rate by its words, a fitted curve, and whether it is more than noise.

Results come in order, as integers: half-points of a game, chips of a hand.
"""
