"""What hold'em owes to the cards: exact equities, luck-adjusted results, mirrored pairs, preflop decisions."""
