"""Heads-up no-limit hold'em: rules, the prompt, and the script of one hand."""
