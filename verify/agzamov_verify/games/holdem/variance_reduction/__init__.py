"""Variance reduction for hold'em hands: exact equities, control variates, range methods; and losses of preflop play."""
