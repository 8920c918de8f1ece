"""Chess quality for a person: the figures, and the command that checks the answers behind them."""
