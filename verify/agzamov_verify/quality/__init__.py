"""What a person sees of chess quality: the figures, and the command that checks the answers behind them."""
