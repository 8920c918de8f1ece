"""`python -m second_reader BUNDLE [--key PUB] [--spec FOLDER] [--all]`, in the folder that second_reader lies in."""

import argparse
import sys
from pathlib import Path

from .verify import Verifier, texts_of


def main() -> int:
    """Print what holds; 0 where nothing fails, 1 where something does."""
    parser = argparse.ArgumentParser(prog="second_reader")
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--key", type=Path, help="public key of the submitter")
    parser.add_argument("--spec", type=Path, default=Path(__file__).parents[2] / "docs" / "spec")
    parser.add_argument("--all", action="store_true", help="print every check that holds")
    told = parser.parse_args()
    report = Verifier(told.bundle, texts_of(told.spec), told.key).check()
    sys.stdout.write(report.text(told.all) + "\n")
    failed = sorted(report.failed())
    end = f"REFUSED in steps {failed}" if failed else "Nothing fails. What is NOT CHECKED is not passed."
    sys.stdout.write(end + "\n")
    return 1 if failed else 0


sys.exit(main())
