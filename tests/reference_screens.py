"""First screens as they were when they were last looked at: a terminal's text, and boxes of pages in both browsers.

Pages are set in a font of boxes (`box_font`), so that a line breaks at the same word on every machine; compared are the
places and sizes of what is on the first screen, not pixels. After a change that is meant, write them anew and look at
the difference:

    AGZ_WRITE_SCREENS=1 pytest -m "" tests/html_report/test_reference_screens.py tests/bundles/test_page_layout.py
    git diff tests/html_report/reference
"""

import json
import os
from pathlib import Path

from playwright.sync_api import Page

from box_font import NAME

REFERENCE = Path(__file__).parent / "html_report" / "reference"
WRITE = bool(os.environ.get("AGZ_WRITE_SCREENS"))
TOLERANCE_PX = 3

BOXES = """(height) => {
  const shown = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility());
  const boxes = {};
  for (const one of shown) {
    const { x, y: below, width, height: tall } = one.getBoundingClientRect();
    const y = below + scrollY; // in the page: it may still be scrolling to its verdict
    if (y >= height || !width || !tall || one.closest("svg") && one.localName !== "svg") continue;
    const id = one.id ? `#${one.id}` : [...one.classList].sort().map((name) => `.${name}`).join("");
    const name = `${one.localName}${id}`;
    (boxes[name] ??= []).push([x, y, width, tall].map(Math.round));
  }
  return boxes;
}"""
"""Places and sizes of all elements that begin on the first screen, in CSS pixels, by element and class."""


def boxes_of(shown: Page, height: int) -> dict[str, list[list[int]]]:
    assert shown.evaluate(f"document.fonts.load('16px {NAME}').then((faces) => faces.length)") == 1
    found: dict[str, list[list[int]]] = shown.evaluate(BOXES, height)
    return found


def require_boxes(file: Path, found: dict[str, list[list[int]]]) -> None:
    """The boxes of the file, each within the tolerance."""
    if WRITE:
        lines = [f" {json.dumps(name)}: {json.dumps(rows)}" for name, rows in sorted(found.items())]
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    assert differences(json.loads(file.read_text()), found) == [], f"{file.name}: see how to write it anew above"


def differences(expected: dict[str, list[list[int]]], found: dict[str, list[list[int]]]) -> list[str]:
    """Elements that are gone, new, or lie elsewhere than expected."""
    told = [
        f"{name}: {len(expected.get(name, []))} expected, {len(found.get(name, []))} found"
        for name in sorted(expected.keys() | found.keys())
        if len(expected.get(name, [])) != len(found.get(name, []))
    ]
    for name in expected.keys() & found.keys():
        for one, other in zip(expected[name], found[name], strict=False):
            if max(abs(a - b) for a, b in zip(one, other, strict=True)) > TOLERANCE_PX:
                told.append(f"{name}: {one} expected, {other} found")
    return told


def require_same(file: Path, found: str) -> None:
    if WRITE:
        file.write_text(found)
    assert found == file.read_text()
