"""Documents of a seat: the shipped sets, their retrieval, and the passages in prompts."""
