"""The verify page in a browser, from a file: the verdict of the command, byte for byte, and no request to any host."""

import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page

from agzamov_harness.run import signing_keys
from agzamov_images.verify_page.verify_page_command import verify_page
from agzamov_verify import cli
from agzamov_verify.show.text.registration_lines import REACHED
from browser import REQUIRED, started
from bundles.bundle_factory import STRANGER, Draft
from bundles.tampered_bundles.cases import Case
from bundles.test_tampered_bundles import CASES, GOLDEN
from registration.registered_run import played

PATIENCE_MS = 600_000
FIRST_OF_STEP = list({case.step: case for case in reversed(CASES)}.values())

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("verify_page")]


class Checker:
    """The page, opened once, and what it asked for and complained of."""

    def __init__(self, browser: Browser, path: Path) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page: Page = browser.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda line: self.complaints.append(line.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())
        self.page.locator('body[data-state="ready"]').wait_for()

    def check(self, bundle: Path) -> tuple[int, str]:
        """Exit code and verdict of a bundle that is chosen."""
        self.page.locator("#folder" if bundle.is_dir() else "#file").set_input_files(bundle)
        self.page.locator('body[data-state="done"]').wait_for()
        code = int(self.page.locator("#headline").get_attribute("data-code") or "-1")
        verdict = self.page.locator("#verdict").text_content() or ""
        self.page.evaluate("document.body.dataset.state = 'ready'")
        return code, verdict


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("npm"):
        if os.environ.get(REQUIRED):
            pytest.fail(f"no npm here, and {REQUIRED} is set; on Debian: apt-get install npm")
        pytest.skip("no npm here; on Debian: apt-get install npm")
    path = tmp_path_factory.mktemp("page") / "verify.html"
    done = CliRunner().invoke(verify_page, ["--out", str(path)])
    assert done.exit_code == 0, done.output
    return path


@pytest.fixture(scope="module")
def checker(page_file: Path, request: pytest.FixtureRequest) -> Iterator[Checker]:
    """The page in Chromium, or in the browser that a test names."""
    with started(getattr(request, "param", "chromium")) as browsers:
        yield Checker(browsers.browser(), page_file)


@pytest.fixture(autouse=True)
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agzamov_verify.engines.uci_engine.PLACES", ("stockfish-that-is-nowhere",))


def by_command(path: Path, *options: object) -> tuple[int, str]:
    done = CliRunner().invoke(cli.main, ["check", str(path), "--json", "--jobs", "1", *map(str, options)])
    return done.exit_code, done.stdout


def test_a_good_bundle_has_the_verdict_of_the_command(checker: Checker, tiny: Path) -> None:
    found = checker.check(tiny)
    assert found == by_command(tiny)
    assert json.loads(found[1])["level"] == "V1"
    assert "ecord consistent (level V1; V4 is the highest)" in (checker.page.locator("#headline").text_content() or "")
    assert json.loads(found[1])["run"] in (checker.page.locator("#screen").text_content() or "")


def test_the_golden_bundle_has_the_verdict_of_the_command(checker: Checker) -> None:
    found = checker.check(GOLDEN)
    assert found == by_command(GOLDEN)
    steps = {step["name"]: step["status"] for step in json.loads(found[1])["steps"]}
    assert (found[0], steps["engine"], steps["quality"]) == (3, "not_checked", "not_checked")
    assert "a browser has no engine" in (checker.page.locator("#steps").text_content() or "")
    headline = checker.page.locator("#headline").text_content() or ""
    assert headline.startswith("Everything checked here holds; missing: the engine's ")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=() if at % 3 == 0 else pytest.mark.exhaustive, id=case.name)
        for at, case in enumerate(FIRST_OF_STEP)
    ],
)
def test_a_tampered_bundle_has_the_verdict_of_the_command(
    case: Case, checker: Checker, small: Path, tmp_path: Path
) -> None:
    draft = Draft.of(small)
    case.forge(draft)
    bad = draft.write(tmp_path)
    found = checker.check(bad)
    assert found == by_command(bad)
    assert found[0] == 1


def test_another_key_is_refused(checker: Checker, tiny: Path, tmp_path: Path) -> None:
    stranger = tmp_path / "stranger.pem"
    stranger.write_bytes(signing_keys.public_pem(STRANGER))
    checker.check(tiny)
    checker.page.locator("#key").set_input_files(stranger)
    told = checker.page.locator("#cards")
    told.get_by_text("That is not the key that you chose.").wait_for()
    assert checker.page.locator("#headline").get_attribute("data-code") == "1"
    checker.page.locator("#forget-key").click()
    told.get_by_text("Ask the submitter for the key by another road").wait_for()


@pytest.mark.exhaustive
def test_a_policy_and_a_log_take_a_registered_run_to_v2_as_by_the_command(checker: Checker, tmp_path: Path) -> None:
    pytest.importorskip("agzamov_verify.registration.pairing")
    world, bundle = played(tmp_path)
    policy = tmp_path / "policy.json"
    policy.write_bytes(msgspec.json.encode(world.policy))
    checker.check(bundle)
    told = checker.page.locator("#cards")
    assert "nobody has checked it here" in (told.text_content() or "")
    for locator, given, options in (
        ("#trust", policy, ("--policy", policy)),
        ("#log", world.log, ("--policy", policy, "--log", world.log)),
    ):
        checker.page.locator(locator).set_input_files(given)
        checker.page.locator('body[data-state="done"]').wait_for()
        found = checker.check(bundle)
        assert found == by_command(bundle, *options)
    assert (found[0], json.loads(found[1])["level"]) == (0, "V2")
    assert REACHED in (told.text_content() or "")
    (world.log / "checkpoint").write_bytes((world.log / "checkpoint").read_bytes()[:-9])
    checker.page.locator("#log").set_input_files(world.log)
    checker.page.locator('body[data-state="done"]').wait_for()
    assert checker.check(bundle) == by_command(bundle, *options)
    assert "not V2: log" in (told.text_content() or "")
    checker.page.locator("#forget-trust").click()
    checker.page.locator('body[data-state="done"]').wait_for()
    assert checker.check(bundle) == by_command(bundle)


def test_a_zip_has_the_verdict_of_its_folder(checker: Checker, tiny: Path, tmp_path: Path) -> None:
    packed = shutil.make_archive(str(tmp_path / "packed"), "zip", tiny.parent, tiny.name)
    assert checker.check(Path(packed)) == by_command(tiny)


def test_what_is_no_bundle_is_refused(checker: Checker, tmp_path: Path) -> None:
    notes = tmp_path / "notes.tar"
    notes.write_text("notes")
    assert checker.check(notes) == (2, "")


def test_nothing_but_the_page_was_asked_for_and_nothing_complained(checker: Checker, tiny: Path) -> None:
    checker.check(tiny)
    assert [url.partition(":")[0] for url in checker.requests] == ["file", "blob"]
    assert checker.complaints == []


@pytest.mark.parametrize("checker", ["firefox"], indirect=True)
@pytest.mark.parametrize("name", ["tiny", pytest.param("golden", marks=pytest.mark.exhaustive)])
def test_firefox_gives_a_packed_bundle_the_verdict_of_the_command(
    name: str, checker: Checker, tiny: Path, tmp_path: Path
) -> None:
    bundle = {"tiny": tiny, "golden": GOLDEN}[name]
    packed = tmp_path / f"{name}.tar"
    with tarfile.open(packed, "w", format=tarfile.GNU_FORMAT) as archive:
        archive.add(bundle, "bundle")
    assert checker.check(packed) == by_command(bundle)
    assert {url.partition(":")[0] for url in checker.requests} <= {"file", "blob"}
    # Firefox notes that the page's policy blocked what Pyodide tries on starting: `importScripts` of an empty script.
    blocked = ("blocked a script (script-src-elem) at data:text", "require-trusted-types-for")
    assert [line for line in checker.complaints if not any(words in line for words in blocked)] == []
