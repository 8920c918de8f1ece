"""Pages that are made from something else, or list other pages, are true."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from script_modules import script

ROOT = Path(__file__).parents[1]
DECISIONS = ROOT / "docs" / "decisions"
PAGES = sorted(DECISIONS.glob("[0-9]*.md"))
STATUS = re.compile(r"in force|(in part )?replaced by \d+")


def test_the_glossary_is_the_one_that_explain_knows() -> None:
    writer = script("write_glossary")
    assert writer.TARGET.read_text() == writer.glossary_text(), "docs/glossary.md: run `make glossary`"


def index() -> dict[str, tuple[str, str, str]]:
    """File name to title, status and date, as the index of decisions has them."""
    rows = re.findall(
        r"^\| \[\d+\]\((\S+)\) \| (.+) \| (.+) \| (\S+) \|$", (DECISIONS / "README.md").read_text(), re.MULTILINE
    )
    return {name: (title, status, date) for name, title, status, date in rows}


def test_the_index_of_decisions_lists_every_page_in_order() -> None:
    assert list(index()) == [page.name for page in PAGES]
    assert [int(page.name[:4]) for page in PAGES] == list(range(1, len(PAGES) + 1))


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_decision_has_its_title_a_status_and_a_date_in_the_index(page: Path) -> None:
    title, status, date = index()[page.name]
    assert page.read_text().splitlines()[0] == f"# {int(page.name[:4])}. {title}"
    assert STATUS.match(status)
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", date)


VERIFIER, HARNESS = ROOT / "verify" / "agzamov_verify", ROOT / "harness" / "agzamov_harness"
BASES = (ROOT, VERIFIER, HARNESS, ROOT / "verify", ROOT / "harness", ROOT / "servers", ROOT / "tests")
"""Folders that a path of a page may begin at."""
GENERATED = {"build", "bundles", "dist", "keys", "runs"}
"""Folders that a path of a page may name without that they are in a checkout."""
LINKED = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md")), *ROOT.glob("images/*/*.md")]


def places(page: Path) -> Iterator[str]:
    """Paths and classes in backticks that begin with a folder of ours: `checks/steps.py`, `table.game.Game`."""
    folders = {path.name for base in BASES for path in base.iterdir() if path.is_dir()} - GENERATED
    for text in re.findall(r"`([^`\n]+)`", page.read_text()):
        path = re.sub(r"^(verify|harness)/…", r"\1/agzamov_\1", text)
        dotted = re.fullmatch(r"[a-z_0-9]+(\.[a-z_0-9]+)*\.[A-Z]\w*", path)
        if re.fullmatch(r"[\w.-]+(/[\w.-]+)+/?", path) and path.split("/")[0] in folders:
            yield path
        elif dotted and path.split(".")[0] in folders:
            yield path.replace(".", "/")


def is_there(place: str) -> bool:
    """Whether a path, a module without its suffix, or a class of a module stands below one of the bases."""
    for base in BASES:
        path = base / place
        module = path.parent.with_suffix(".py")
        if path.exists() or path.with_suffix(".py").exists():
            return True
        if module.is_file() and re.search(rf"^class {path.name}\b", module.read_text(), re.MULTILINE):
            return True
    return False


def test_a_place_that_a_page_names_is_there() -> None:
    found = [f"{page.relative_to(ROOT)}: {place}" for page in LINKED for place in places(page) if not is_there(place)]
    assert found == [], "a module was moved or renamed: say where it is now"


def test_an_old_place_on_a_page_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    told = (
        "checks/steps.py",
        "table.game.Game",
        "verify/…/show",
        "games/registry.py",
        "table.game.Rules",
        "data/notes/x",
    )
    page.write_text(" ".join(f"`{place}`" for place in told))
    assert [place for place in places(page) if not is_there(place)] == ["games/registry.py", "table/game/Rules"]


def release_faults(citation: str, changelog: str, projects: dict[str, str]) -> list[str]:
    """Where version and date of a release differ between CITATION.cff, the head of the changelog and the packages."""
    head = re.search(r"^## (\S+) \((\S+)\)$", changelog, re.MULTILINE)
    assert head, "the changelog's newest heading has a version and a date"
    version, date = head.groups()
    faults = [line for line in (f"version: {version}", f"date-released: {date}") if f"\n{line}\n" not in citation]
    return faults + [name for name, text in projects.items() if f'\nversion = "{version}"\n' not in text]


def test_a_release_has_one_version_and_date_in_citation_changelog_and_packages() -> None:
    citation, changelog = ((ROOT / name).read_text() for name in ("CITATION.cff", "CHANGELOG.md"))
    projects = {path.parent.name: path.read_text() for path in ROOT.glob("*/pyproject.toml")}
    assert len(projects) == 4
    assert release_faults(citation, changelog, projects) == []
    assert release_faults(citation.replace("version: 0", "version: 9"), changelog, projects) != []
    other = {**projects, "verify": projects["verify"].replace('\nversion = "', '\nversion = "9')}
    assert release_faults(citation, changelog, other) == ["verify"]
