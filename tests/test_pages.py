"""Pages that are made from something else, or list other pages, are true."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DECISIONS = ROOT / "docs" / "decisions"
PAGES = sorted(DECISIONS.glob("[0-9]*.md"))
STATUS = re.compile(r"in force|(in part )?replaced by \d+")


def test_the_glossary_is_the_one_that_explain_knows() -> None:
    spec = spec_from_file_location("write_glossary", ROOT / "scripts" / "write_glossary.py")
    assert spec
    assert spec.loader
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.TARGET.read_text() == script.glossary_text(), "docs/glossary.md: run `make glossary`"


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
