"""Audit of the authors' published Phase 0 files: which figures of the paper they give.

published_files  the four files, parsed strictly into frozen values
pgn         one PGN text as the values that it states
replay      each game on our board: legal moves, ends, agreement with both PGN texts, recorded times
rulings     which adjudication rule ends a game where it ended: by material, by engine
replies     what each model reply declares
tallies     the sums over the games, and the authors' own summary against them
paper_rows  the paper's rows: reproduced, differs, cannot be derived
audit       all of it over one folder;  report  as text;  command  on the command line
"""

from .audit import Audit, audit
from .published_files import PublishedError
from .report import render

__all__ = ["Audit", "PublishedError", "audit", "render"]
