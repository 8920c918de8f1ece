"""How good a seat's chess moves were, by the pinned engine: the Game Quality Index (paper section 3.5; SPEC S29).

What is asked, what an answer looks like, and every figure that follows; who asks stands elsewhere.
"""
