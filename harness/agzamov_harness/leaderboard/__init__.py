"""Static pages from bundles that are verified here: valid ones are ranked, others listed with the reason."""

from typing import Final

PACKAGE: Final = __name__
