"""Memory servers under test: the port that answers a script's questions of memory, in front of an MCP server.

adapter_file   what a system is and how it is spoken to: one YAML file in `adapters/`, no code; those that a plan names
launch         from a system of a plan to its server: settings, program, folder, environment; what this machine lacks
result_reader  what an adapter's expressions read out of a tool's result
memory_server  store, search, end_game, export of one system, in our words
memory_port    the port: the rules that every system is held to
conformance    the checks of a system before a run; canary_session asks the port for them, blank_run an empty server
own_searches   whether the searches that a run makes find any of its notes
server_tools   the tools of a server: those that its adapter calls, and those that a model is offered
server_limits  how long a server may take, and the fault of one that breaks the rules

The law: one call in flight, one empty folder and one server for each stream, and nothing is ever replaced. A server
that does not do what its adapter declares stops the stream with one line.
"""
