"""Replays the authors' published Phase 0 files and says which figures of the paper they give.

reading   the four files, parsed strictly into frozen values
pgn       one PGN text as the values that it states
replay    each game on our board: legal moves, ends, agreement with both PGN texts
rulings   which adjudication rule ends a game where it ended: by material, by engine
replies   what each model reply declares
summary   the authors' own summary against the games
table7    the paper's rows: reproduced, differs, cannot be derived
audit     all of it over one folder;  report  as text;  command  on the command line
"""

from .audit import Audit, audit
from .reading import PublishedError
from .report import render

__all__ = ["Audit", "PublishedError", "audit", "render"]
