"""Modules in the place of packages that the page does not hold."""
