"""The verify page in both browsers over a Python that is played: cards, drops, keyboard, progress, phone, contrast.

The page's HTML, style and scripts are the real ones, and so are the cards, which this Python makes beforehand. What
the real verifier says inside the page is in `test_in_browser`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agzamov_images.verify_page.assembly import page as page_of
from agzamov_images.verify_page.packages import Pyodide
from agzamov_images.verify_page.parts.check_bundle import check
from agzamov_verify import bundle
from box_font import page_in_boxes
from browser import Started, noting, started
from bundles.bundle_factory import Draft
from images.small import zipped
from reference_screens import REFERENCE, boxes_of, require_boxes

ROOT = Path(__file__).parents[2]
SMOLLM2 = ROOT / "results" / "bundles" / "smollm2"
BROWSERS = ["chromium", "firefox"]

# Python in the page: it gives what was made beforehand for a name, with the names of the files that it got as details,
# and of those that say whom the person trusts.
PLAYED = """
async function load() {
  let files = [], trusted = [];
  const keys = { toPy: (bytes) => ({ destroy() {}, length: bytes.length }) };
  return {
    ...keys,
    unpackArchive() {},
    runPython: () => (bytes) => bytes,
    FS: {
      mkdir() {}, rmdir() {}, filesystems: {},
      unmount: (place) => { if (place === "/trusted") trusted = []; },
      mount: (_, { blobs }, place) => {
        const names = blobs.map(({ name, data }) => `${name} ${data.size}`).sort();
        if (place === "/trusted") trusted = names.map((name) => `trusted: ${name}`);
        else files = names;
      },
    },
    pyimport: () => ({
      check: (path, key, tell, place) => {
        tell("replaying: 1 of 2");
        const told = MADE[key.length ? "with a key" : place ? "with a policy" : path.split("/").pop()] ?? MADE.holds;
        return { destroy() {}, toJs: () => [told[0], told[1], told[2], [...files, ...trusted].join("\\n"), told[4]] };
      },
    }),
  };
}
export{load as loadPyodide};
"""
NEVER_READY = "async function load() { await new Promise(() => {}); }\nexport{load as loadPyodide};\n"
GLUE = b"async function _createPyodideModule(){}export default _createPyodideModule;\n"

UNIT, EVEN = "points a game against none", "no difference"
FIGURE = {"value": "+0.22", "unit": UNIT, "interval": "[+0.02, +0.42]", "at": 0.22, "low": 0.02, "high": 0.42}
NO_BOUNDS = {"value": "0.50", "unit": UNIT, "interval": "", "at": 0.5, "low": None, "high": None}
ANSWERS = [
    {
        "game": "Chess960",
        "verdict": verdict,
        "sentence": "A long sentence about what was found, with figures. " * 3,
        "cost": "1.8 times the tokens",
        "figure": {**figure, "null": 0.0, "even": EVEN},
    }
    for verdict, figure in (("better", FIGURE), ("no difference shown", NO_BOUNDS))
]

LEVEL_LINES = ["A registered study, by Example University", "missing for V2: a copy of the log"]

# Every visible text with less contrast to what is behind it than WCAG 2.2 AA asks for.
PALE = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = parts(colour).map((c) => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (parts(colour)[3] !== 0) return colour;
    }
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !one.checkVisibility() || one.tagName === "SCRIPT") continue;
    const [bright, dim] = [light(getComputedStyle(one).color), light(behind(one))].sort((a, b) => b - a);
    if ((bright + 0.05) / (dim + 0.05) < 4.5) found.push(`${one.tagName} ${texts.currentNode.data}`);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def made(tiny: Path, small: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the verifier says of a bundle that holds, one without a result, one that fails and of what is none."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("agzamov_verify.engines.uci_engine.PLACES", ())
        draft = Draft.of(small)
        for number in range(30):
            draft.files[f"data/{'a-long-name-' * 6}{number}"] = b""
        (folder / "notes.tar").write_text("notes")
        paths = {"holds": tiny, "incomplete": SMOLLM2, "fails": draft.write(folder)}
        paths["notes.tar"] = folder / "notes.tar"
        found = {name: check(str(path), b"", lambda _: None) for name, path in paths.items()}
    cards = json.loads(found["holds"].cards)
    cards["key"]["state"] = "yours"
    with_key = found["holds"]._replace(cards=json.dumps(cards))
    cards["levels"] = [{"title": "Registration", "lines": LEVEL_LINES}]
    with_policy = found["holds"]._replace(cards=json.dumps(cards))
    answered = found["holds"]._replace(cards=json.dumps({**cards, "answers": ANSWERS}))
    return {**found, "with a key": with_key, "with a policy": with_policy, "answered": answered}


@pytest.fixture(scope="module")
def page_file(made: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(f"const MADE = {json.dumps(made)};\n{PLAYED}", tmp_path_factory.mktemp("page"))


def written(loader: str, folder: Path) -> Path:
    """The page around a `pyodide.mjs`."""
    files = {"pyodide.mjs": loader.encode(), "pyodide.asm.mjs": GLUE, "pyodide.asm.wasm": b"\0asm"}
    pyodide = Pyodide("0", {**files, "python_stdlib.zip": zipped({"pyodide_js.txt": b"."})})

    def compiled(_: Pyodide, sources: Mapping[str, bytes]) -> dict[str, bytes]:
        return dict(sources)

    path = folder / "verify.html"
    path.write_bytes(page_of(pyodide, [], compiled))
    return path


@pytest.fixture(scope="module", params=BROWSERS)
def browsers(request: pytest.FixtureRequest) -> Iterator[Started]:
    with started(request.param) as found:
        yield found


def opened(browsers: Started, file: Path, scheme: str = "light", width: int = 360) -> tuple[Page, list[str]]:
    page = browsers.page(scheme, viewport={"width": width, "height": 800})
    noted = noting(page)
    page.on("filechooser", lambda _: None)  # intercepted from here on: asked for at the key press, it can come too late
    page.goto(file.as_uri())
    page.locator('body[data-state="ready"]').wait_for()
    return page, noted


def checked(page: Page, name: str) -> None:
    """Have the page check a file of this name."""
    page.locator("#file").set_input_files({"name": name, "mimeType": "application/x-tar", "buffer": b"0"})
    expect(page.locator("#status")).to_contain_text(f"{name}: ")
    page.locator('body[data-state="done"]').wait_for()


@pytest.mark.slow
def test_a_bundle_without_a_result_has_a_calm_badge_its_answers_and_what_is_missing(
    browsers: Started, page_file: Path
) -> None:
    page, noted = opened(browsers, page_file)
    checked(page, "incomplete")
    expect(page.locator("#headline")).to_contain_text("Everything checked here holds; missing: the engine's 12 scores")
    assert page.locator("#badge").get_attribute("data-kind") == "incomplete"
    assert page.locator(".answer .shown").all_text_contents() == ["no result", "no result"]
    expect(page.locator("code.command")).to_have_text("agzamov-verify check smollm2 --engine /path/to/stockfish-15.1")
    expect(page.locator(".warnings li")).to_have_count(0)
    expect(page.locator("#steps summary")).to_contain_text("The 16 steps of the check: 12 hold, 1 not checked")
    expect(page.locator("#steps li")).to_have_count(16)
    assert json.loads(page.locator("#verdict").text_content() or "")["format"] == "agz-verdict-1"
    assert noted == []
    page.close()


@pytest.mark.slow
def test_an_answer_has_its_figure_in_large_print_with_its_interval(browsers: Started, page_file: Path) -> None:
    page, noted = opened(browsers, page_file)
    checked(page, "answered")
    assert page.locator(".answer .shown").all_text_contents() == ["better", "no difference shown"]
    assert page.locator(".big").all_text_contents() == ["+0.22 [+0.02, +0.42]", "0.50"]
    expect(page.locator(".answer svg")).to_have_count(1)
    expect(page.locator(".answer").first).to_contain_text("Dashed line: no difference.")
    value, interval, even = (
        page.locator(f"svg .{name}").evaluate("(line) => [line.x1.baseVal.value, line.x2.baseVal.value]")
        for name in ("at", "interval", "null")
    )
    assert even[0] < interval[0] < value[0] < interval[1] < 100
    assert noted == []
    page.close()


def test_a_bundle_that_fails_shows_what_is_wrong_and_what_is_no_bundle_why(browsers: Started, page_file: Path) -> None:
    page, noted = opened(browsers, page_file)
    checked(page, "fails")
    expect(page.locator("#headline")).to_contain_text("Does not hold: ")
    expect(page.locator(".findings h4")).to_contain_text("Step 2 fails: ")
    expect(page.locator(".findings")).to_contain_text("more: the verdict as JSON lists them")
    expect(page.locator(".answer")).to_have_count(0)
    checked(page, "notes.tar")
    expect(page.locator("#headline")).to_have_text("Nothing was checked")
    expect(page.locator("#note")).to_contain_text("notes.tar: expected a bundle")
    expect(page.locator(".findings")).to_have_count(0)
    assert not page.locator("#more").is_visible()
    assert noted == []
    page.close()


@pytest.mark.slow
def test_a_key_that_is_chosen_later_has_the_bundle_checked_again(browsers: Started, page_file: Path) -> None:
    page, noted = opened(browsers, page_file)
    checked(page, "holds")
    expect(page.locator("#cards")).to_contain_text("Ask the submitter for the key by another road")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose the key file").click()
    chooser.value.set_files({"name": "they.pub", "mimeType": "text/plain", "buffer": b"a key"})
    expect(page.locator("#cards")).to_contain_text("That is the key that you chose.")
    expect(page.locator("#key-line")).to_contain_text("they.pub")
    page.locator("#forget-key").click()
    expect(page.locator("#cards")).to_contain_text("Ask the submitter for the key by another road")
    page.locator("#key").set_input_files({"name": "big", "mimeType": "text/plain", "buffer": bytes(2**17)})
    expect(page.locator("#status")).to_contain_text("big is too large for a key")
    assert noted == []
    page.close()


@pytest.mark.slow
def test_a_policy_and_a_log_that_are_chosen_later_have_the_bundle_checked_again(
    browsers: Started, page_file: Path
) -> None:
    page, noted = opened(browsers, page_file)
    checked(page, "holds")
    expect(page.locator("#cards")).to_contain_text("For level V2")
    expect(page.locator("#cards")).to_contain_text("This run was not registered before it was played")
    assert not page.locator("#choose-trust").is_visible()
    page.locator("#whom summary").click()
    with page.expect_file_chooser() as chooser:
        page.locator("#choose-trust").click()
    policy = {"name": "policy.json", "mimeType": "application/json", "buffer": b"{}"}
    chooser.value.set_files([policy, {"name": "root.pem", "mimeType": "text/plain", "buffer": b"---"}])
    expect(page.locator("#cards")).to_contain_text("".join(("Registration", *LEVEL_LINES)))
    expect(page.locator("#details")).to_have_text("holds 1\ntrusted: files/policy.json 2\ntrusted: files/root.pem 3")
    page.evaluate(CHOOSE, ["log", ["registrations/checkpoint", "registrations/tile/0/000.p/1"]])
    expect(page.locator("#details")).to_contain_text("trusted: log/checkpoint 5\ntrusted: log/tile/0/000.p/1 5")
    expect(page.locator("#trust-names")).to_have_text("policy.json, root.pem, the log in registrations")
    page.locator("#forget-trust").click()
    expect(page.locator("#details")).to_have_text("holds 1")
    expect(page.locator("#trust-line")).to_be_hidden()
    assert noted == []
    page.close()


def test_a_policy_and_a_log_that_are_dropped_beside_the_bundle_are_no_files_of_it(
    browsers: Started, page_file: Path
) -> None:
    page, noted = opened(browsers, page_file)
    log = ["log/checkpoint", "log/tile/0/000.p/1"]
    page.evaluate(DROP_ENTRIES, ["run/bagit.txt", "run/attest/registration.json", *log, "policy.json"])
    trusted = "trusted: files/policy.json 5\ntrusted: log/checkpoint 5\ntrusted: log/tile/0/000.p/1 5"
    expect(page.locator("#details")).to_have_text(f"run/attest/registration.json 5\nrun/bagit.txt 5\n{trusted}")
    page.evaluate(DROP_ENTRIES, ["replay.attestation.json"])
    more = trusted.replace("policy.json 5", "policy.json 5\ntrusted: files/replay.attestation.json 5")
    expect(page.locator("#details")).to_have_text(f"run/attest/registration.json 5\nrun/bagit.txt 5\n{more}")
    page.evaluate(DROP_ENTRIES, ["other.zip"])
    expect(page.locator("#details")).to_have_text(f"other.zip 5\n{more}")
    assert noted == []
    page.close()


def test_dropped_files_are_checked(browsers: Started, page_file: Path) -> None:
    page, noted = opened(browsers, page_file)
    drop = """(names) => {
      const transfer = new DataTransfer();
      for (const name of names) transfer.items.add(new File(["12345"], name));
      for (const kind of ["dragover", "drop"])
        document.querySelector("#choose").dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true }));
    }"""
    page.evaluate(drop, ["run.zip"])
    expect(page.locator("#details")).to_have_text("run.zip 5")
    page.evaluate(drop, ["bagit.txt", "bag-info.txt"])
    expect(page.locator("#details")).to_have_text("bundle/bag-info.txt 5\nbundle/bagit.txt 5")
    page.evaluate(drop, [])
    expect(page.locator("#status")).to_contain_text("Nothing that can be read was dropped")
    assert noted == []
    page.close()


@pytest.mark.parametrize("browsers", ["chromium"], indirect=True)
def test_a_folder_and_a_tar_that_are_dragged_from_the_disk_are_checked(
    browsers: Started, page_file: Path, tiny: Path, tmp_path: Path
) -> None:
    """By the protocol of Chromium's developer tools, which drags real files; Firefox has nothing like it."""
    page, noted = opened(browsers, page_file)
    packed = tmp_path / "run.tar"
    packed.write_bytes(b"1234")
    expect(page.locator("#choose")).to_be_visible()
    drag(page, tiny)
    names = {f"{tiny.name}/{path.relative_to(tiny)}" for path in tiny.rglob("*") if path.is_file()}
    expect(page.locator("#details")).to_contain_text(f"{tiny.name}/{bundle.BAGIT_FILE} ")
    assert {line.split()[0] for line in (page.locator("#details").text_content() or "").splitlines()} == names
    drag(page, packed)
    expect(page.locator("#details")).to_have_text("run.tar 4")
    assert noted == []
    page.close()


# A folder as Firefox hands it over: a File of its name, and a FileSystemDirectoryEntry, which has a `getFile` for the
# files in it, and whose reader gives at most 100 children at once.
DROP_ENTRIES = """(paths) => {
  const tree = {};
  for (const path of paths) {
    let at = tree;
    const parts = path.split("/");
    for (const part of parts.slice(0, -1)) at = at[part] ??= {};
    at[parts.at(-1)] = new File(["12345"], parts.at(-1));
  }
  const entry = (name, one) => one instanceof File
    ? { name, isFile: true, isDirectory: false, file: (done) => setTimeout(done, 0, one) }
    : { name, isFile: false, isDirectory: true, getFile() {}, getDirectory() {}, createReader: () => {
        const children = Object.entries(one).map(([child, inside]) => entry(child, inside));
        return { readEntries: (done) => setTimeout(done, 0, children.splice(0, 100)) };
      } };
  const items = Object.entries(tree).map(([name, one]) => ({ webkitGetAsEntry: () => entry(name, one) }));
  const files = Object.entries(tree).map(([name, one]) => (one instanceof File ? one : new File([], name)));
  const drop = new Event("drop", { bubbles: true, cancelable: true });
  Object.defineProperty(drop, "dataTransfer", { value: { items, files } });
  document.querySelector("#choose").dispatchEvent(drop);
}"""


@pytest.mark.slow
def test_a_folder_that_is_dropped_as_entries_is_checked_whole(browsers: Started, page_file: Path) -> None:
    """As Firefox and Safari hand a folder over: it failed there, since it was taken for a file.

    The drop is made up, as no protocol of theirs drags a real one.
    """
    page, noted = opened(browsers, page_file)
    names = [*(f"run/data/journal/{number}.jsonl" for number in range(250)), "run/bagit.txt"]
    page.evaluate(DROP_ENTRIES, names)
    expect(page.locator("#details")).to_contain_text("run/bagit.txt 5")
    assert sorted((page.locator("#details").text_content() or "").splitlines()) == sorted(f"{one} 5" for one in names)
    page.evaluate(DROP_ENTRIES, ["bagit.txt", "data/manifest.json"])
    expect(page.locator("#details")).to_have_text("bundle/bagit.txt 5\nbundle/data/manifest.json 5")
    assert noted == []
    page.close()


CHOOSE = """([id, paths]) => {
  const files = paths.map((path) => {
    const file = new File(["12345"], path.split("/").at(-1));
    return Object.defineProperty(file, "webkitRelativePath", { value: path });
  });
  const input = document.getElementById(id);
  Object.defineProperty(input, "files", { value: files, configurable: true });
  input.dispatchEvent(new Event("change"));
  delete input.files;
}"""


def test_the_files_of_a_chosen_folder_are_checked(browsers: Started, page_file: Path) -> None:
    """The choice is made up: the protocol by which Firefox is asked here chooses no folder."""
    page, noted = opened(browsers, page_file)
    expect(page.locator("#choose-folder")).to_be_visible()
    page.evaluate(CHOOSE, ["folder", ["run/bagit.txt", "run/data/manifest.json"]])
    expect(page.locator("#details")).to_have_text("run/bagit.txt 5\nrun/data/manifest.json 5")
    assert noted == []
    page.close()


@pytest.mark.parametrize("browsers", ["chromium"], indirect=True)
def test_a_folder_of_the_disk_is_chosen(browsers: Started, page_file: Path, tiny: Path) -> None:
    page, noted = opened(browsers, page_file)
    page.locator("#folder").set_input_files(tiny)
    expect(page.locator("#details")).to_contain_text(f"{tiny.name}/{bundle.BAGIT_FILE} ")
    names = {f"{tiny.name}/{path.relative_to(tiny)}" for path in tiny.rglob("*") if path.is_file()}
    assert {line.split()[0] for line in (page.locator("#details").text_content() or "").splitlines()} == names
    assert noted == []
    page.close()


def drag(page: Page, path: Path) -> None:
    """Drag a file or folder from the disk onto the page, and let it go there."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 100, "y": 100, "data": data})


def test_everything_is_reached_by_keyboard_and_the_headline_has_no_ring(browsers: Started, page_file: Path) -> None:
    page, noted = opened(browsers, page_file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "choose-file"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files({"name": "incomplete", "mimeType": "application/x-tar", "buffer": b"0"})
    page.locator('body[data-state="done"]').wait_for()
    assert page.evaluate("document.activeElement.id") == "headline"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Choose the key file"
    assert noted == []
    page.close()


@pytest.mark.slow
def test_while_python_starts_the_page_says_so_and_a_bundle_can_be_chosen(browsers: Started, tmp_path: Path) -> None:
    page = browsers.page()
    page.goto(written(NEVER_READY, tmp_path).as_uri())
    expect(page.locator("#doing")).to_have_text("Getting ready: 2 of 3, starting Python.")
    expect(page.locator("#patience")).to_contain_text("about 6 seconds")
    assert page.locator("#bar").evaluate("(bar) => [bar.value, bar.max]") == [1, 3]
    page.locator("#file").set_input_files({"name": "run.tar", "mimeType": "application/x-tar", "buffer": b"0"})
    expect(page.get_by_role("status")).to_have_text("run.tar will be checked as soon as Python has started.")
    page.locator("#file").set_input_files({"name": "two.tar", "mimeType": "application/x-tar", "buffer": b"0"})
    expect(page.get_by_role("status")).to_contain_text("run.tar is being checked.")
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_cut_and_every_text_has_contrast(scheme: str, browsers: Started, page_file: Path) -> None:
    page, noted = opened(browsers, page_file, scheme)
    assert page.evaluate(PALE) == []
    for name in ("holds", "answered", "incomplete", "fails", "notes.tar"):
        checked(page, name)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
        assert page.evaluate(PALE) == [], name
    page.evaluate("document.querySelector('#note').style.color = 'light-dark(#999, #555)'")
    assert len(page.evaluate(PALE)) == 1
    assert noted == []
    page.close()


@pytest.mark.slow
def test_words_of_a_bundle_never_become_html(browsers: Started, made: dict[str, Any], tmp_path: Path) -> None:
    cards = json.loads(made["fails"].cards)
    bad = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    cards["findings"][0]["place"] = cards["title"] = bad
    cards["warnings"] = [bad]
    told = [1, json.dumps(cards), bad, bad, bad]
    page, noted = opened(browsers, written(f"const MADE = {json.dumps({'holds': told})};\n{PLAYED}", tmp_path))
    checked(page, "holds")
    expect(page.locator(".warnings li")).to_have_text(bad)
    assert page.locator("main img, main script").count() == 0
    assert noted == []
    write = "(() => { try { document.body.innerHTML = 'x'; return 'set'; } catch { return 'refused'; } })()"
    assert page.evaluate(write) == "refused"
    assert page.locator("main").count() == 1
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["incomplete", "answered", "fails"])
def test_the_check_is_laid_out_as_it_was(name: str, browsers: Started, page_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "verify.html"
    file.write_text(page_in_boxes(page_file.read_text("utf-8")), "utf-8")
    page, _ = opened(browsers, file)
    checked(page, name)
    found = boxes_of(page, height=800)
    page.close()
    require_boxes(REFERENCE / f"check-{name}-phone-{browsers.name}.json", found)
