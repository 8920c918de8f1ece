"""The first version of an adapter, made by asking a server for its tools and using them.

tool_choice    which tools look as if they store, search, give one entry or give all, and what they are called with
answer_shapes  how the notes that were stored are read out of an answer
prose_shapes   the same where the answer is prose: a regular expression
probe          a server in a fresh folder that is told three notes
draft          what was found, as YAML with a reason beside each choice
"""
