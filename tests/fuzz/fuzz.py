"""Coverage-guided fuzzing with atheris.

    python tests/fuzz/fuzz.py TARGET CORPUS [libFuzzer options, such as -max_total_time=600]

A crasher goes, after its mend, into tests/fuzz/cases/TARGET/, where test_cases.py keeps it.
"""

import sys

import atheris

with atheris.instrument_imports(include=["agzamov_verify", "agzamov_harness", "yaml", "tarfile"]):
    from targets import TARGETS


def main() -> None:
    target = TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
