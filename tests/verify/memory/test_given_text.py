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
        (PARTS, "the butt", False),
        (PARTS, "bet on the button: 4 of 5", True),
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
    ("rule", "given", "fits"),
    [
        (PARTS, "6 of 17", True),
        (PARTS, "6 of 1", False),
        (PARTS, "-12.5 bb", True),
        (PARTS, "12.5 bb", False),
        (PARTS, "-12", False),
        (PARTS, "5 bb", False),
        (PARTS, "1,234", True),
        (PARTS, "1", False),
        (SILENT, "Folded 6 of 17", True),
        (SILENT, "Folded 6 of 1", False),
        (SILENT, "Fold", True),
        (PREVIEWS, "Folded 6 of 1...", True),
    ],
)
def test_a_cut_that_nothing_shows_makes_no_other_number(rule: GivenRule, given: str, fits: bool) -> None:
    """A part "6 of 1" of "6 of 17" was taken, at lineage B."""
    assert rule.fits(given, "Folded 6 of 17; won -12.5 bb in 1,234 hands") is fits


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
