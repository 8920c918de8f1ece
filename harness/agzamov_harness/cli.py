"""The program `agzamov`. A command's module is imported when the command is used.

Exit codes: 0 done; 1 a check failed; 2 the command or a manifest is wrong; 3 not everything could be
checked, or appended to a log; 4 the run stopped before its end and can be resumed.
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
            "Make your signing key: the private key in PATH, the public key in PATH.pub",
        ),
        "doctor": _own(
            "setup_commands:doctor",
            "Check whether this machine has what runs and checks need, and say how to get what is missing",
        ),
        "init": _own(
            "init_command:init",
            "Write a plan for your model that takes about 15 minutes: its games with and without memory, tools or"
            " documents",
        ),
        "plan": _own(
            "plan_command:plan_command",
            "Forecast a run of PLAN (YAML): calls, tokens, cost and time, and the effects that it can show",
        ),
        "pilot": _own(
            "pilot_command:pilot",
            "Find the strength at which an engine scores one half against the people who played it in BUNDLES",
        ),
    },
    "Run": {
        "run": _own("run_commands:run", "Play PLAN (a YAML file), and leave its signed bundle"),
        "play-me": _own(
            "play_me_command:play_me", "Play against a program or a model in your browser, and leave a signed bundle"
        ),
        "resume": _own("run_commands:resume", "Go on with the stopped run in FOLDER, and leave its signed bundle"),
        "seal": _own(
            "run_commands:seal",
            "Seal PLAN (a YAML file) without playing it: its manifest and its secret, in the folder of a new run",
        ),
        "uci": _own(
            "uci_command:uci",
            "Speak UCI: a seat of PLAN, with its memory, tools or documents, as an engine in any chess program",
        ),
        "watch": _own(
            "watch_command:watch", "Serve a live page of the run in FOLDER to this machine's browsers, until stopped"
        ),
        "protocol": _own(
            "protocol_command:protocol",
            "Play all plans of one folder as one protocol: seal them first, then play, verify and score them together",
        ),
        "arena": _own(
            "arena_command:arena",
            "Many players, many games: play what is missing of an arena, and make its table from verified bundles",
        ),
    },
    "Check": {
        "verify": CHECK["check"],
        "registrations": CHECK["registrations"],
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
            "Ask the same model again in a few games of BUNDLE, drawn at random, and compare every answer",
        ),
        "compare": _own(
            "compare_command:compare",
            "Say whether executions of one plan agree, within the margins that their registrations declared",
        ),
        "quality": _own(
            "quality_command:quality",
            "Have Stockfish judge every chess move of BUNDLE, or of a finished RUN by its folder",
        ),
        "check-quality": CHECK["check-quality"],
        "verify-page": Command(
            "agzamov_images.verify_page.verify_page_command:verify_page",
            "Write one HTML file that checks bundles in a browser, offline, with this verifier",
            BUILDER_MISSING,
        ),
    },
    "Score": {
        "score": SCORE["score"],
        "matrix": _own(
            "matrix_command:matrix",
            "Compare models with and without memory, tools and documents, over BUNDLES, with tokens and cost",
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
            "Play the sealed run in FOLDER without packing it: inside a container, or one --share of it",
        ),
        "k8s": _own(
            "k8s_command:k8s",
            "Print a Kubernetes Job that plays PLAN, which is sealed first, or the sealed run in FOLDER, in shares",
        ),
        "pack": _own(
            "run_commands:pack_command",
            "Pack and sign the run in FOLDER, once it was played by `docker compose run` or by all of its shares",
        ),
    },
    "Register runs, and keep a log of them": {
        "register": _own(
            "register_command:register",
            "Register a run in public before its seed exists, and its end: result, or why there is none",
        ),
        "log": _own("log_command:log", "Keep a log of registrations in a folder: create, check, append, cosign, prove"),
    },
    "Develop": {
        "serve-reference": _own(
            "serve_reference_command:serve_reference",
            "Serve the reference players as an OpenAI-compatible endpoint, until stopped",
        ),
    },
}


ELSEWHERE = {"check": "verify"}


@click.group(
    "agzamov",
    cls=Program,
    sections=SECTIONS,
    elsewhere=ELSEWHERE,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="agzamov-harness")
def main() -> None:
    """Measure what memory, tools and documents add to a language model at chess and poker.

    Each run leaves a signed bundle that a stranger can check. What a word means: agzamov explain WORD.
    """
