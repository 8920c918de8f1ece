"""A command that was typed wrongly is answered in one line, with what was probably meant."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.cluster.coordinator import connected
from agzamov_harness.memory.adapter_file import systems
from agzamov_harness.run import signing_keys
from agzamov_verify import cli as verify_cli
from agzamov_verify.commands.command_line import READER_LEFT, typed
from agzamov_verify.plan.manifest import ManifestError
from harness.test_cli import TINY, Place, error_of

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "results" / "bundles" / "tinymodel"
SUBMITTER = "2981c4f807555da9"


def said(*arguments: object, code: int = 2, group: object = main) -> str:
    """The one line of a wrong use."""
    return error_of(CliRunner().invoke(group, list(map(str, arguments))), code)  # type: ignore[arg-type]


# --- did you mean --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["verfy", "x"], "no such command 'verfy'; did you mean verify? see agzamov --help"),
        (["check", "x"], "no such command 'check'; did you mean verify? see agzamov --help"),
        (["models", "lst"], "no such command 'lst'; did you mean list? see agzamov models --help"),
        (["leaderboard", "biuld"], "no such command 'biuld'; did you mean build? see agzamov leaderboard --help"),
        (["protocol", "statsu"], "no such command 'statsu'; did you mean status? see agzamov protocol --help"),
        (["run", "--smal"], "no such option '--smal'; did you mean --small? see agzamov run --help"),
        (["explain", "hypotesis"], "'hypotesis' is not in the glossary; did you mean hypothesis?"),
        (["explain", "fingerprin"], "'fingerprin' is not in the glossary; did you mean fingerprint?"),
        (["explain", "zzz"], "'zzz' is not in the glossary; without a word, explain lists all"),
        (
            ["models", "get", "smollm"],
            (
                "invalid value for '[NAME]': 'smollm' is not 'smollm2-135m'; did you mean smollm2-135m? see agzamov"
                " models get --help"
            ),
        ),
        (
            ["score", "--augmentation", "memry", "."],
            (
                "invalid value for '--augmentation': 'memry' is not one of 'memory', 'tools', 'rag', 'full'; did you"
                " mean memory? see agzamov score --help"
            ),
        ),
    ],
)
def test_a_misspelled_word_is_answered_with_the_nearest(arguments: list[str], told: str) -> None:
    assert said(*arguments) == told


def test_the_light_programs_commands_are_proposed_by_their_own_names() -> None:
    assert said("verify", "x", group=verify_cli.main).startswith("no such command 'verify'; did you mean check?")
    assert said("chek", "x", group=verify_cli.main).startswith("no such command 'chek'; did you mean check?")


def test_a_word_that_stands_in_terms_of_the_glossary_is_answered_with_these() -> None:
    assert said("explain", "rint") == "'rint' is not in the glossary; it stands in: fingerprint"


@pytest.mark.parametrize("typed", ["manifests/quickstrat.yaml", "quickstart", "quickstart.yml"])
def test_a_misspelled_plan_is_answered_with_the_ready_one(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    line = said("run", typed)
    assert line == (
        f"invalid value for 'PLAN': File '{typed}' does not exist; did you mean manifests/quickstart.yaml? see agzamov"
        " run --help"
    )


def test_a_file_that_is_like_no_other_is_only_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert said("run", "zzz.yaml") == "invalid value for 'PLAN': File 'zzz.yaml' does not exist; see agzamov run --help"
    assert said("run", "none/zzz.yaml").endswith("does not exist; see agzamov run --help")


# --- one thing in the place of another -----------------------------------------------------------


def test_a_bundle_in_the_place_of_a_plan_is_named_with_what_takes_it() -> None:
    told = f"File '{BUNDLE}' is a directory: this is a bundle; check it with: agzamov verify {BUNDLE}"
    assert said("run", BUNDLE) == f"invalid value for 'PLAN': {told}; see agzamov run --help"


@pytest.mark.parametrize("command", ["resume", "pack", "play"])
def test_a_bundle_in_the_place_of_a_run_is_named_with_what_takes_it(command: str) -> None:
    told = "this is the bundle of a run that was played to its end: nothing is left to play"
    assert said(command, BUNDLE) == f"{BUNDLE}: {told}; check it with: agzamov verify {BUNDLE}"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    signing_keys.generate(tmp_path / "key.pem")
    return Place(tmp_path)


def test_a_run_in_the_place_of_a_plan_is_named_with_what_takes_it(place: Place) -> None:
    run = place.sealed(TINY)
    assert f"this is a sealed run; go on with it by: agzamov resume {run}" in said("run", run)


def test_a_folder_of_plans_in_the_place_of_a_plan_is_answered_with_its_plans(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").touch()
    assert f"is a directory; did you mean {tmp_path / 'mine.yaml'}?" in said("run", tmp_path)


def test_a_packed_run_in_the_place_of_its_bundle_is_answered_with_the_bundle(place: Place) -> None:
    run = place.sealed(TINY)
    assert "this is the folder of a run, not a bundle" in place("verify", run).stderr
    bundle = place.path / "bundles" / run.name
    shutil.copytree(BUNDLE, bundle)
    words = " ".join(place("verify", run).stderr.replace("\\", "").split())
    assert words == f"error: {run}: this is the folder of a run, not its bundle; type: agzamov verify {bundle}"


def test_a_plan_for_doctor_is_answered_with_the_command_that_takes_one() -> None:
    told = "doctor looks at this machine, not at a plan; type: agzamov plan my.yaml; see agzamov doctor --help"
    assert said("doctor", "my.yaml") == told


# --- keys ----------------------------------------------------------------------------------------


def test_a_private_key_is_named_as_one_that_is_never_sent(place: Place) -> None:
    _, key = place.key
    told = f"{key}: expected a public key in PEM, found a private key: never send it to anybody; the public one is in"
    line = said("verify", BUNDLE, "--key", key)
    assert line == f"invalid value for --key: {told} the file beside it, {key}.pub; see agzamov verify --help"
    assert said("score", BUNDLE, "--key", key).startswith(f"invalid value for --key: {told}")


def test_another_key_may_be_the_wrong_file_and_not_fraud(place: Place) -> None:
    _, key = place.key
    result = place("verify", BUNDLE, "--key", f"{key}.pub")
    words = " ".join(result.stdout.split())
    assert result.exit_code == 1
    assert "data/submitter.pem: expected a signature by the key that you gave, " in words
    assert f"found one by key {SUBMITTER}: if you took the wrong .pub file, ask the submitter for theirs by" in words


def test_a_second_keygen_keeps_the_key_and_says_how_to_make_another(place: Place) -> None:
    _, key = place.key
    told = f"{key}: this key is there already and was kept; to make another, name its file: agzamov keygen"
    assert said("keygen", key) == f"{told} {place.path / 'another.pem'}"


# --- what is not installed, or not given ---------------------------------------------------------


class NoBuilder:
    """As if the image builder were not installed."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name.partition(".")[0] == "agzamov_images":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.mark.parametrize("command", ["verify-page", "images"])
def test_the_help_of_a_command_that_is_not_installed_says_what_it_does_and_how_to_get_it(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "agzamov_images"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [NoBuilder, *sys.meta_path])
    for asked in (["--help"], ["-h"]):
        shown = CliRunner().invoke(main, [command, *asked])
        assert shown.exit_code == 0
        assert "Not here: the image builder is not installed; type: make builder" in " ".join(shown.output.split())
    assert "the image builder is not installed; type: make builder" in said(command, "--out", "x.html")


def test_a_leaderboard_without_its_rules_is_told_where_to_begin(tmp_path: Path) -> None:
    line = said("leaderboard", "build", tmp_path)
    assert line.startswith("missing option --policy FILE: the rules of the leaderboard, in YAML; begin with a copy of")
    assert (ROOT / "docs" / "leaderboard" / "policy.yaml").is_file()


@pytest.mark.slow
def test_two_runs_of_one_model_are_pooled_by_a_leaderboard_and_not_by_a_matrix(place: Place) -> None:
    made = [place("run", place.plan(TINY), *place.how) for _ in range(2)]
    assert [result.exit_code for result in made] == [0, 0]
    bundles = sorted((place.path / "bundles").iterdir())
    result = place("matrix", *bundles, "--jobs", 1)
    assert result.exit_code == 1
    assert "or pool the runs of one model with: agzamov leaderboard build FOLDER" in result.stderr


@pytest.mark.slow
def test_a_run_gives_the_warnings_of_verify_at_its_end(place: Place) -> None:
    title = TINY.replace("title: Tiny", "title: Tin\u0443")
    result = place("run", place.plan(title), *place.how)
    warned = "the title has characters beyond ASCII"
    assert result.exit_code == 0, result.output
    assert " as verify will give them:" in result.stdout
    assert f"! {warned}" in " ".join(result.stdout.split())
    (bundle,) = (place.path / "bundles").iterdir()
    assert warned in " ".join(place("verify", bundle).stdout.split())


# --- the examples of the help, and what the program advises ----------------------------------------


def test_the_examples_of_the_help_name_what_is_there() -> None:
    examples = dict[str, str]()
    for command in ("memory try", "uci"):
        printed = " ".join(CliRunner().invoke(main, [*command.split(), "--help"]).stdout.split())
        examples[command] = printed.partition("Example: agzamov ")[2].partition(" Exit code")[0]
    assert examples["memory try"].split()[2] in systems()
    words = examples["uci"].split()
    plan = yaml.safe_load((ROOT / words[1]).read_text())
    assert words[words.index("--seat") + 1] in plan["seats"]


def test_a_path_that_begins_with_a_dash_is_no_option_in_what_is_advised() -> None:
    assert typed("report", Path("-b x/1")).endswith("report './-b x/1'")
    assert typed("report", "--out", Path("b")).endswith("report --out b")


def test_a_folder_of_no_name_is_not_the_current_one() -> None:
    assert "expected a folder, found an empty name" in said("protocol", "run", "")


def test_whoever_reads_leaves_early_and_that_is_no_failure_of_a_check() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "agzamov_harness", "explain"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout
    assert process.stderr
    with process.stderr:
        process.stdout.close()
        assert (process.wait(300), process.stderr.read()) == (READER_LEFT, b"")


@pytest.mark.slow
def test_a_full_standard_output_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "agzamov_harness", "plan", ROOT / "manifests" / "demo.yaml"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=300,
        )
    assert (done.returncode, done.stderr) == (2, "error: standard output, or a disk: No space left on device\n")


def test_a_cluster_that_nobody_listens_for_is_told_at_once(tmp_path: Path) -> None:
    """A client of Dask that finds nobody ends minutes later, also after its error."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    for address in ("x", f"tcp://127.0.0.1:{free}"):
        with pytest.raises(ManifestError, match="found none that answers"), connected(address):
            pass


def test_after_a_wrong_key_the_advised_check_has_the_key_too() -> None:
    stranger = ROOT / "tests" / "bundles" / "golden" / "agz-0.1" / "test-key.pem.pub"
    done = CliRunner().invoke(main, ["verify", str(BUNDLE), "--quick", "--engine", "/nowhere", "--key", str(stranger)])
    advised = " ".join(done.stdout.replace("\\\n", " ").partition("Next ")[2].split())
    assert (done.exit_code, f"--key {stranger} --details" in advised) == (1, True), done.stdout


def test_each_row_of_an_arena_begins_with_the_player_whose_result_it_is() -> None:
    printed = (
        CliRunner()
        .invoke(main, ["show", str(ROOT / "tests" / "bundles" / "golden" / "arena-0.1" / "bundle"), "--details"])
        .stdout
    )
    assert "17 results of 7 matches: verify --details has their table" in printed
    rows = [line.split() for line in printed.splitlines() if line.startswith("Phase 6, chess, ")]
    assert (rows[0][3:8], rows[0][10]) == (["agent", "v", "dice,", "seat", "A"], "1.00")
    assert (rows[1][3:8], rows[1][10]) == (["dice", "v", "agent,", "seat", "B"], "0.00")


def test_records_of_models_without_a_result_are_refused_for_that_reason() -> None:
    told = said("export", ROOT / "results" / "bundles" / "smollm2-help", "--to", "every-eval-ever")
    assert told.startswith("no match of a language model has a result here: ")


def test_evaluations_of_what_is_no_bundle_are_not_advised(tmp_path: Path) -> None:
    assert "this folder is not a bundle" in said("check-quality", tmp_path)
