"""What a server may give of a stored entry: each rule has a text that fits and one with one defect; differences."""

import pytest

from agzamov_verify.memory.given_text import GivenRule, difference

STORED = "Folded to a 3-bet on the button: 4 of 5"
WHOLE, PARTS, PREVIEWS = GivenRule(), GivenRule("parts"), GivenRule("previews", "...")
SILENT = GivenRule("previews")


@pytest.mark.parametrize(
    ("rule", "given", "fits"),
    [
        (WHOLE, STORED, True),
        (WHOLE, STORED[:-1], False),
        (PARTS, STORED, True),
        (PARTS, "on the button", True),
        (PARTS, "on a button", False),
        (PARTS, " ", False),
        (PARTS, "", False),
        (PREVIEWS, STORED, True),
        (PREVIEWS, "Folded to...", True),
        (PREVIEWS, "Folded to", False),
        (PREVIEWS, "Folded on...", False),
        (PREVIEWS, "on the button...", False),
        (PREVIEWS, f"{STORED}...", False),
        (PREVIEWS, "...", False),
        (SILENT, "Folded to", True),
        (SILENT, "olded to", False),
        (SILENT, "", False),
    ],
)
def test_a_text_fits_the_entry_that_it_is_of(rule: GivenRule, given: str, fits: bool) -> None:
    assert rule.fits(given, STORED) is fits


@pytest.mark.parametrize(
    ("rule", "given", "told"),
    [
        (WHOLE, STORED, "A stranger's note"),
        (PARTS, "on the button", "A stranger's "),
        (PREVIEWS, "Folded to...", "A strange..."),
        (PREVIEWS, STORED, "A stranger's note"),
        (PREVIEWS, "Folded to a 3-bet on the...", "A stranger's note"),
        (SILENT, "Folded to", "A strange"),
    ],
)
def test_another_text_is_cut_as_the_entry_was(rule: GivenRule, given: str, told: str) -> None:
    """A placebo of previews has their form: else a prompt would say which arm it is of."""
    assert rule.cut_like("A stranger's note", given) == told


@pytest.mark.parametrize(
    ("expected", "found", "words"),
    [
        ("a\u202eb", "ab", "equal for 1 characters, then expected '\\u202eb' (of 3), found 'b' (of 2)"),
        (
            "x" * 197 + "Little",
            "x" * 197 + "...",
            "equal for 197 characters, then expected 'Little' (of 203), found '...'",
        ),
        ("abc", "abcd", "equal for 3 characters, then expected its end (of 3), found 'd' (of 4)"),
        ("a" * 99, "b", f"expected '{'a' * 40}'... (of 99), found 'b' (of 1)"),
    ],
)
def test_a_difference_is_told_at_its_place(expected: str, found: str, words: str) -> None:
    assert words in difference(expected, found)
