"""Chess960: rules over the `chess` library, the prompt, and the script of one game."""
