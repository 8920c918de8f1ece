"""The reference players as an OpenAI-compatible HTTP server, so that the HTTP path needs no model."""
