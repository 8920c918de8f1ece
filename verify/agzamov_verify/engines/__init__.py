"""Engines that are asked by verifiers, tools and seats."""
