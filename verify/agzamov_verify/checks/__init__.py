"""Verification: what makes a bundle's figures believable. `steps` has the order of the steps; each has its module."""
