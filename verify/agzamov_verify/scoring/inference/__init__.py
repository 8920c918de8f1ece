"""Inference: tests, intervals, effect sizes, power and early stopping for samples of exact numbers.

A sample is a sequence of integers (half-points of a start pair, chips of a session). Sums are exact;
what cannot be rational (a square root, a tail of Student's t) is computed with forty digits and rounded
once, so every figure is the same on any machine.
"""
