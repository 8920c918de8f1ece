"""The program `agzamov`. A command's module is imported when the command is used.

Exit codes: 0 done; 1 a check failed; 2 the command or a manifest is wrong; 3 not everything could be
checked; 4 the run stopped before its end and can be resumed.
"""

import click

from agzamov_verify.cli import SECTIONS as OF_VERIFIER
from agzamov_verify.commands.command_line import Command, Program

BUILDER_MISSING = "the image builder is not installed; type: make builder (in a clone), or: pip install agzamov-images"
CHECK, SCORE = OF_VERIFIER["Check"], OF_VERIFIER["Score"]


def _own(place: str, summary: str) -> Command:
    return Command(f"agzamov_harness.commands.{place}", summary)


SECTIONS = {
    "Begin": {
        "keygen": _own(
            "setup_commands:keygen",
            "Make your signing key (Ed25519): the private key in PATH, the public key in PATH.pub",
        ),
        "doctor": _own(
            "setup_commands:doctor", "Check this machine for the needs of runs and checks, with advice on missing parts"
        ),
        "plan": _own(
            "plan_command:plan_command",
            "Forecast a run of PLAN (YAML): detectable effects, calls, cost and time",
        ),
    },
    "Run": {
        "run": _own("run_commands:run", "Seal PLAN (YAML), play it, and pack its signed bundle"),
        "resume": _own(
            "run_commands:resume", "Play the sealed run in FOLDER from where it stands, and pack its signed bundle"
        ),
        "seal": _own(
            "run_commands:seal", "Seal PLAN (YAML) into a run that has not started: its manifest and its secret"
        ),
        "watch": _own(
            "watch_command:watch", "Serve a live page of the run in FOLDER to this machine's browsers, until stopped"
        ),
        "protocol": _own(
            "protocol_command:protocol",
            "Play all plans of one folder as one protocol: seal them first, then play, verify and score them together",
        ),
    },
    "Check": {
        "verify": CHECK["check"],
        "show": CHECK["show"],
        "xray": CHECK["xray"],
        "report": CHECK["report"],
        "export": _own(
            "export_command:export",
            "Write the games of BUNDLE in an open format: PGN, PHH, CSV, SQLite or Parquet; or its figures as records",
        ),
        "explain": CHECK["explain"],
        "replay": _own(
            "replay_command:replay",
            "Ask the same model again in randomly drawn games of BUNDLE, and compare every answer",
        ),
        "quality": _own(
            "quality_command:quality",
            "Have the engine evaluate every chess move of BUNDLE, or of the finished RUN in its folder",
        ),
        "check-quality": CHECK["check-quality"],
        "verify-page": Command(
            "agzamov_images.verify_page.verify_page_command:verify_page",
            "Write one HTML file in which this verifier checks bundles in a browser, offline",
            BUILDER_MISSING,
        ),
    },
    "Score": {
        "score": SCORE["score"],
        "matrix": _own(
            "matrix_command:matrix",
            "Compute the model x augmentation matrix of BUNDLES, with tokens and cost; compare all pairs",
        ),
        "calibrate": SCORE["calibrate"],
        "leaderboard": _own(
            "leaderboard_command:leaderboard",
            "Leaderboards: static pages from bundles that are verified when the pages are built",
        ),
    },
    "Models, memories and images": {
        "models": _own("models_command:models", "Local models: list them, check them before a run, get them"),
        "memory": _own(
            "memory_command:memory", "Memory systems: list them, check one before a run, store and search by hand"
        ),
        "images": Command(
            "agzamov_images.image_commands:images",
            "Pinned container images: build, compare, sign and import them; every build gives the same digest",
            BUILDER_MISSING,
        ),
    },
    "Several machines, and containers by hand": {
        "compose-env": _own(
            "run_commands:compose_env",
            "Print the variables with which compose.yaml plays the sealed run, or checks the bundle, in FOLDER",
        ),
        "play": _own(
            "play_command:play",
            "Play the sealed run in FOLDER and do not pack it: inside a container, beside its servers,"
            " or one --share of it",
        ),
        "k8s": _own(
            "k8s_command:k8s",
            "Seal PLAN (YAML) and print an Indexed Job (YAML) that plays it in shares;"
            " or a Job for the sealed run in FOLDER",
        ),
        "pack": _own(
            "run_commands:pack_command",
            "Pack and sign the run in FOLDER, once `docker compose run`, or all of its shares, have played it",
        ),
    },
    "Develop": {
        "serve-reference": _own(
            "serve_reference_command:serve_reference",
            "Serve the reference players as an OpenAI-compatible endpoint, until stopped",
        ),
    },
}


@click.group("agzamov", cls=Program, sections=SECTIONS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="agzamov-harness")
def main() -> None:
    """Run the Agzamov test and leave a signed bundle that a stranger can check."""
