"""Chess: rules over the `chess` library, prompt and script of one game; its counts, figures, views and tools."""
