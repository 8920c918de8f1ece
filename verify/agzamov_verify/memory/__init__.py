"""Seat A's memory as scripts see it: what is asked of its server, and what of the answers reaches a prompt."""
