"""MCP servers, those of memories and of tools: how one is started and asked."""
