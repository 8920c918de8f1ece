"""What the games of hold'em share: cards, values of hands, actions and their spelling."""
