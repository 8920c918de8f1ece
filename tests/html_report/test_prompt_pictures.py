"""Pictures of prompts in a report's data: the pixels of the sealed digest, or none."""

import re
from typing import Any

import msgspec
import pytest

from agzamov_verify.core.questions import Message
from agzamov_verify.games.chess.board_picture import ChessPictures
from agzamov_verify.show.html_report.game_data import Lines
from agzamov_verify.show.html_report.prompt_pictures import prompt_pictures
from agzamov_verify.table.pictures import Picture, PictureDetail, PictureStyle

PLACEMENT = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"
SHOWN = ChessPictures("chess").shown(PLACEMENT, PictureStyle.DISCS, PictureDetail.HIGH)


def told(shown: object = SHOWN) -> tuple[Any, ...]:
    (found,) = prompt_pictures((Message("rules", "system"), Message("look", "user", (shown,))), Lines().refer)  # type: ignore[arg-type]
    return found


def test_the_runs_of_a_picture_are_the_pixels_of_the_sealed_digest() -> None:
    words, width, height, colours, text = told()
    runs = [
        [(ord(colour) - 97, int(count)) for colour, count in re.findall(r"([a-p])(\d+)", row)] for row in text.lines
    ]
    pixels = b"".join(bytes([colour]) * count for row in runs for colour, count in row)
    palette = tuple(tuple(bytes.fromhex(colour[1:])) for colour in colours)
    assert Picture(width, height, palette, pixels).sha256 == SHOWN.sha256
    assert f"[image: {PLACEMENT}, style discs, 512x512" in str(words)


def test_rows_of_a_second_picture_are_mostly_those_of_the_first() -> None:
    lines, chess, rows = Lines(), ChessPictures("chess"), set[str]()
    for placement in (PLACEMENT, PLACEMENT.replace("5N2", "8").replace("RNBQKB1R", "RNBQKBNR")):
        shown = chess.shown(placement, PictureStyle.DISCS, PictureDetail.HIGH)
        for *_, text in prompt_pictures((Message("", "user", (shown,)),), lines.refer):
            rows |= set(text.lines)
    assert len(rows) < 512
    assert lines.characters == sum(map(len, rows))


@pytest.mark.parametrize(
    "defect",
    [{"sha256": "0" * 64}, {"of": "8/8/8/8/8/8/8/8"}, {"of": "no board"}, {"game": "bridge"}, {"style": "oil"}],
)
def test_a_picture_with_another_digest_is_not_shown_and_says_so(defect: dict[str, str]) -> None:
    words, _, _, colours, text = told(msgspec.structs.replace(SHOWN, **defect))
    assert (colours, text.lines) == ([], ())
    assert str(words).startswith("This picture is drawn otherwise here")
