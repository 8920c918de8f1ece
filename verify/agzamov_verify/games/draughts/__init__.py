"""English draughts (checkers) on 32 squares, by the rules of the World Checkers/Draughts Federation."""
