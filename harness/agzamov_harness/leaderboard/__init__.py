"""Static pages from bundles that are verified here: valid ones are ranked, others listed with the reason."""
