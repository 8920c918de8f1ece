"""Static pages from bundles that are verified here: what holds is ranked, what does not is listed with its reason."""
