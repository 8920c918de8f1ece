"""The built-in memory systems, each an MCP server over stdio: `python -m agzamov_memory SYSTEM --data DIR`.

entry, entry_table    one remembered text; the live ones, in order, in a table of SQLite
store                 the ports that every system satisfies
systems               the table of systems, one row each: full_text, semantic, graph, consolidator, noisy, and the plain
                      baselines recent, history, file
server                the five tools of a server: describe, store, search, end_game, export; for any client
notation              what is read in a text: words, lines, counts
postings, bm25, decay  which entries hold a word, how well they rank, how scores fall with age
embedding             a text as a vector, where requirements/embeddings.txt is installed

The law: the same calls get the same answers, to the byte, on every machine. No clock, no network, no dice; ties go by
the order of the entries; scores are integers.
"""
