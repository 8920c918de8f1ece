"""Memory servers under test: the port that answers a script's questions of memory, in front of an MCP server.

adapter        what a system is and how it is spoken to: one YAML file in `adapters/`, no code
plan_adapters  reading the adapters that a plan names, so that what is sealed holds them
setups         from a system of a plan to the server that is started for it
installed      what a system lacks to be started on this machine
launch         how a server is started: its settings, its program, its folder, its environment
result_reader  what an adapter's expressions read out of a tool's result
memory_server  store, search, end_game, export of one system, in our words
memory_port    the port: the rules that every system is held to
conformance    the checks of a system before a run; canary_session asks the port for them

The law: one call in flight, one empty folder and one server for each stream, and nothing is ever replaced. A server
that does not do what its adapter declares stops the stream with one line.
"""
