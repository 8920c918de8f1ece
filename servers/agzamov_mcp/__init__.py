"""What the memory servers and the tools' servers have in common: an MCP server over stdio that any client can use.

plain_server    tools and nothing else, plain errors, an answer to what is no message
"""
