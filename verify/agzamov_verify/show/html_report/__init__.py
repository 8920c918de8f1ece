"""A report that a browser opens from a file: findings, their credibility, and every game to replay.

It is a pure function of a verdict and its bundle: the same bytes each time. Nothing in it is fetched from anywhere.
"""

from typing import Final

PACKAGE: Final = __name__
