"""Connections to MCP servers, those of memories and of tools.

mcp_client      the only door to the `mcp` library: a blocking client of one server, by line_transport
line_transport  one message a line, over a unix socket or the standard streams of a process
server_process  how a process is started, and the log of its standard error
no_answer       words for what came in the place of an answer
"""
