"""`python -m calibration`: the calibration suite on the command line."""

import sys

from .suite import main

sys.exit(main(sys.argv[1:]))
