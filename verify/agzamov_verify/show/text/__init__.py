"""The report of a bundle for a person: the first screen, every figure by match, warnings, and the same in JSON."""
