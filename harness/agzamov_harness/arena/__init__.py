"""The arena: its file, its schedule, and the table that follows from its verified bundles."""

from typing import Final

PACKAGE: Final = __name__
