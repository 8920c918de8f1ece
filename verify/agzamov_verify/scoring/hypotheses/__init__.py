"""Every hypothesis of the paper and its draft as a declared contrast, and its verdict from a run."""
