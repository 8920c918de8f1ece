"""One setting for all property tests here: two busy cores must not make a deadline."""

from hypothesis import settings

settings.register_profile("agzamov", deadline=None)
settings.load_profile("agzamov")
