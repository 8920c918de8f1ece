"""`python -m agzamov_harness`: the command `agzamov`, where no console script is installed."""

from .cli import main

main(prog_name="agzamov")
