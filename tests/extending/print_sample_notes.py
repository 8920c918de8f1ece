"""Prints notes of strangers for a toy game in a source tree that has it.

PYTHONPATH=TREE python tests/extending/print_sample_notes.py GAME
"""

import json
import sys

from agzamov_verify.table.registry import GAMES

NOTES = 40

sys.stdout.write(json.dumps(GAMES[sys.argv[1]].sample_notes(NOTES)))
