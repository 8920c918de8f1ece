"""Documents that seat A may look up: the sets that are shipped, their retrieval, and what is told of them."""
