"""A second verifier of result bundles, written from the specification alone."""
