"""One HTML file that checks bundles in a browser: the command `agzamov verify-page` and what it puts together."""
