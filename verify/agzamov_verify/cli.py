"""The light program `agzamov-verify`: all commands that need nothing of the harness.

Exit codes: 0 done; 1 a check failed; 2 wrong use; 3 something could not be checked.
"""

import click

from .commands.command_line import Command, Program

SECTIONS = {
    "Check": {
        "check": Command(
            "agzamov_verify.commands.check_command:check",
            "Check BUNDLE, a folder or plain tar, without trusting who made it",
        ),
        "show": Command(
            "agzamov_verify.commands.show_command:show",
            "Show BUNDLE's claims, the list of its games, or one game by replay",
        ),
        "xray": Command(
            "agzamov_verify.commands.xray_command:xray_command",
            "Show a memory's effect in one game of BUNDLE: entries in each prompt, and the action without them",
        ),
        "report": Command(
            "agzamov_verify.commands.report_command:report",
            "Verify BUNDLE, and write a report that a browser opens: its figures, and a replay of every game",
        ),
        "explain": Command(
            "agzamov_verify.commands.explain_command:explain",
            "Explain WORD as it is used in reports; without WORD, list all words",
        ),
        "check-quality": Command(
            "agzamov_verify.commands.check_quality_command:check_quality",
            "Check the engine's evaluations of the chess moves of BUNDLE, made by `agzamov quality`",
        ),
    },
    "Score": {
        "score": Command(
            "agzamov_verify.commands.score_commands:score",
            "Compute the Agzamov Score of every model in BUNDLES, after verifying them; name what is missing",
        ),
        "calibrate": Command(
            "agzamov_verify.commands.score_commands:calibrate",
            "Propose constants and leave-one-model-out weights of the score, from Phases 1 and 2 in BUNDLES",
        ),
    },
}


@click.group("agzamov-verify", cls=Program, sections=SECTIONS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="agzamov-verify")
def main() -> None:
    """Check and show result bundles of the Agzamov test."""
