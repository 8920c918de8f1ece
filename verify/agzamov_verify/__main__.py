"""`python -m agzamov_verify`: the command `agzamov-verify`, where no console script is installed."""

from .cli import main

main(prog_name="agzamov-verify")
