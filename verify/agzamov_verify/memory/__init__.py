"""A seat's memory as scripts see it: the questions to its server, and the part of the answers in prompts."""
