"""Constants of the words that resamples are drawn by: see `inference.resampling`."""

from typing import Final

UNITS_MAX: Final = 2**16
WORDS: Final = 2**16
"""How many different words there are."""

BLOCK_WORDS: Final = 2**15
REFUSED_BITS: Final = 17
"""A count of refused words is below 2^17."""
