"""Every hypothesis of the paper and its draft as a declared contrast, and what a run says of it."""
