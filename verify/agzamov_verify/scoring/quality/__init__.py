"""Quality of a seat's moves by the pinned engine: the Game Quality Index (paper section 3.5; SPEC S29).

The questions, the format of the answers, and every figure that follows; the querying itself is implemented elsewhere.
"""
