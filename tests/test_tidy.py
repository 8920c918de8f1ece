"""The tree is tidy: modules fit in the head, functions on a screen, and no file names a machine or a registry."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeGuard

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "verify/agzamov_verify",
    "harness/agzamov_harness",
    "servers/agzamov_mcp",
    "servers/agzamov_memory",
    "servers/agzamov_tools",
    "imagebuilder/agzamov_images",
    "studies/audits",
    "studies/calibration",
)
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MADE_AT_THE_TOP = {"runs", "bundles", "keys", "play", "build", "dist"}
MADE_ANYWHERE = re.compile(r"\.git|\.venv|\.hypothesis|__pycache__|.*(_cache|\.egg-info)")
BINARY = {".gz", ".tar", ".png", ".pyc", ".pem", ".pub"}

MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 50
MEDIAN_LINES_MAX = 13

HOME = re.compile(r"/(work/(main|shared)|home/[a-z]+|Users/[A-Za-z]+|root)/")
REGISTRY = re.compile(
    r"pypi\.org|pythonhosted|debian\.org|npmjs|ghcr\.io|docker\.io/|crates\.io|proxy\.golang"
    r"|--(extra-)?index-url|--find-links|--trusted-host"
)


class Function(NamedTuple):
    """A function or method, and where it stands."""

    place: str
    node: ast.FunctionDef | ast.AsyncFunctionDef

    @property
    def lines(self) -> int:
        assert self.node.end_lineno
        return self.node.end_lineno - self.node.lineno + 1


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node)


class Measured(NamedTuple):
    """What is counted of a function: its place, its lines, and those of them that import."""

    place: str
    lines: int
    importing: tuple[int, ...]


@cache
def measured() -> list[Measured]:
    """Every function of our packages. Their trees are not kept: they would fill hundreds of MiB."""
    return [
        Measured(one.place, one.lines, tuple(node.lineno for node in ast.walk(one.node) if is_import(node)))
        for path in SOURCES
        for one in functions(path)
    ]


def is_import(node: ast.AST) -> TypeGuard[ast.Import | ast.ImportFrom]:
    return isinstance(node, ast.Import | ast.ImportFrom)


def outermost(path: Path) -> Iterator[Function]:
    """The functions and methods that stand in no other function."""
    tree = ast.parse(path.read_text())
    for holder in (tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))):
        for node in holder.body:
            if isinstance(node, ast.FunctionDef):
                yield Function(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node)


def files(*patterns: str) -> Iterator[tuple[str, str]]:
    """Name and text of every file of ours that matches one of the patterns."""
    for path in TEXTS:
        if any(path.match(pattern) for pattern in patterns):
            yield str(path.relative_to(ROOT)), path.read_text(errors="replace")


def ours(folder: Path) -> Iterator[Path]:
    """Every text file below a folder, less what building, running and testing leave behind."""
    for path in sorted(folder.iterdir()):
        made = MADE_ANYWHERE.fullmatch(path.name) or (folder == ROOT and path.name in MADE_AT_THE_TOP)
        if path.is_dir() and not made:
            yield from ours(path)
        elif path.is_file() and not made and path.suffix not in BINARY:
            yield path


TEXTS = list(ours(ROOT))


def test_there_is_something_to_look_at() -> None:
    assert len(SOURCES) > 60
    assert {"Makefile", "scripts/lock", ".ci/run"} <= {name for name, _ in files("*")}


def test_a_module_fits_in_the_head() -> None:
    long = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in SOURCES}
    found = {name: lines for name, lines in long.items() if lines > MODULE_LINES_MAX}
    assert found == {}, f"more than {MODULE_LINES_MAX} lines: find the second noun in it and give it a file of its own"


@pytest.mark.slow
def test_a_function_fits_on_a_screen() -> None:
    found = [(one.place, one.lines) for one in measured() if one.lines > FUNCTION_LINES_MAX]
    assert found == [], f"more than {FUNCTION_LINES_MAX} lines: push the ifs up, the loops down, and name what is left"


def test_no_function_imports() -> None:
    found = [f"{one.place}: line {line}" for one in measured() for line in one.importing]
    assert found == [], "import at the top, a heavy client of few runs by agzamov_harness.foundation.first_use"


def test_most_functions_do_one_thing() -> None:
    middle = median(one.lines for one in measured())
    assert middle <= MEDIAN_LINES_MAX, "functions grow on the whole: look at the last few that were added"


@pytest.mark.parametrize("path", SOURCES, ids=[str(path.relative_to(ROOT)) for path in SOURCES])
def test_a_modules_first_line_says_what_it_is_for(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    assert re.match(r'"""\S.*', first), "begin the file with a docstring whose first line says what the module is for"


def test_every_public_function_that_scores_says_what_it_computes() -> None:
    scoring = [path for path in SOURCES if "scoring" in path.parts]
    public = [one for path in scoring for one in outermost(path) if not one.node.name.startswith("_")]
    assert len(public) > 15
    assert [one.place for one in public if not ast.get_docstring(one.node)] == [], "say what is computed, and its unit"


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    found = [
        f"{name}: {match.group()}"
        for name, text in files("*")
        if name != "tests/test_tidy.py" and "/recordings/" not in name
        for match in HOME.finditer(text)
    ]
    assert found == [], "write a path relative to the repository, or take it from the environment"


def test_no_file_that_builds_names_a_registry() -> None:
    builds = ("Makefile", "requirements/*", "scripts/*", ".ci/*", "images/*", "pyproject.toml", "Dockerfile*", "*.cfg")
    found = [f"{name}: {match.group()}" for name, text in files(*builds) for match in REGISTRY.finditer(text)]
    assert found == [], "where packages come from is the machine's configuration, not ours"


def test_every_requirement_is_pinned_with_a_hash() -> None:
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        text = path.read_text().replace("\\\n", " ")
        loose = [
            line
            for line in text.splitlines()
            if line and not re.search(r"^\S+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)
        ]
        assert loose == [], f"{path.name}: run `make lock`"


def test_what_streams_decode_has_a_decoder_made_at_import() -> None:
    """msgspec makes the tables of a type when it is first decoded; two threads that do so at once crash the process.

    Streams are played in threads, so the rooms that a script is made of name no type in a call.
    """
    seen_once = {"memory/declared_server.py", "games/holdem/control_variates.py"}  # not by streams
    rooms = ROOT / "verify/agzamov_verify"
    found = [
        path.relative_to(rooms).as_posix()
        for room in ("games", "table", "memory", "documents")
        for path in (rooms / room).rglob("*.py")
        if re.search(r"json\.decode\([^\n]*type=(?!list|dict)|loads_as\(", path.read_text())
    ]
    assert set(found) == seen_once


PLAN_READERS = {"matches.py"}
"""Where the plan's own spelling of a table is read."""
NAMED_SEATS = re.compile(r"\bmatch\.(a|b)\b|\.b_condition\b|\bSIDES\b.*seat|won_by_a|a_is_first|halfpoints_a")
CUT_SEATS = re.compile(r"zip\([^\n]*(\.seats|seat_stats|\.table|\.conditions|memories_of)[^\n]*strict=False")


def test_no_seat_is_known_by_name_below_the_plan_reader() -> None:
    """A seat beyond the second is never checked, shown or counted where code names seats A and B."""
    packages = ("verify/agzamov_verify", "harness/agzamov_harness")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in SOURCES
        if str(path.relative_to(ROOT)).startswith(packages) and path.name not in PLAN_READERS
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if NAMED_SEATS.search(line) or CUT_SEATS.search(line)
    ]
    assert found == [], "go through `Match.table`, `measured` and `opponents`; zip seats with strict=True"
