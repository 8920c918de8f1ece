"""Noughts and crosses, the worked example of docs/extending.md: a game is one folder and one name in the registry."""
