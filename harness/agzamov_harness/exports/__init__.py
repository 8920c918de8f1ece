"""A bundle as tables of other people's programs, and as records of other people's schemas."""
