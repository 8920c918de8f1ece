"""Heads-up no-limit hold'em: rules, prompt and script of one hand; counts, figures, views, variance reduction."""
