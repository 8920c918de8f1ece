"""The light program `agzamov-verify`: all commands that need nothing of the harness.

Exit codes: 0 done; 1 a check failed; 2 wrong use; 3 something could not be checked.
"""

import click

from .commands.command_line import Command, Program

SECTIONS = {
    "Check": {
        "check": Command(
            "agzamov_verify.commands.check_command:check",
            "Check BUNDLE (a folder or a plain tar) without trusting who made it",
        ),
        "registrations": Command(
            "agzamov_verify.commands.registrations_command:registrations",
            "Show by key and study what became of the runs registered in the log in FOLDER: finished, stopped, missing",
        ),
        "show": Command(
            "agzamov_verify.commands.show_command:show",
            "Show what BUNDLE says: its figures, the list of its games, or one game move by move",
        ),
        "xray": Command(
            "agzamov_verify.commands.xray_command:xray_command",
            "Show what a memory did in one game of BUNDLE: its entries in each prompt, and the action without them",
        ),
        "report": Command(
            "agzamov_verify.commands.report_command:report",
            "Verify BUNDLE, and write a report that a browser opens: its figures, and a replay of every game",
        ),
        "explain": Command(
            "agzamov_verify.commands.explain_command:explain",
            "Explain WORD as the reports use it; without WORD, list all words",
        ),
        "check-quality": Command(
            "agzamov_verify.commands.check_quality_command:check_quality",
            "Check what `agzamov quality` says of the chess moves of BUNDLE, by asking Stockfish again",
        ),
    },
    "Score": {
        "score": Command(
            "agzamov_verify.commands.score_commands:score",
            "Verify BUNDLES, and compute the Agzamov Score of every model in them; name what is missing",
        ),
        "calibrate": Command(
            "agzamov_verify.commands.score_commands:calibrate",
            "Propose constants and weights of the score, from Phases 1 and 2 in BUNDLES",
        ),
    },
}


ELSEWHERE = {"verify": "check"}


@click.group(
    "agzamov-verify",
    cls=Program,
    sections=SECTIONS,
    elsewhere=ELSEWHERE,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="agzamov-verify")
def main() -> None:
    """Check and show result bundles of the Agzamov test."""
