"""The picture of a chess board: read back from its pixels by a decoder that knows nothing of the writer."""

import subprocess
import sys
from pathlib import Path

import chess
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.question_digest import question_digest
from agzamov_verify.core.questions import Chat, Message, NoReply, Question, Reply
from agzamov_verify.core.script import Exchanges
from agzamov_verify.games.chess.board_picture import ChessPictures, board_picture
from agzamov_verify.games.chess.game_script import ChessRecord, ChessRules, play
from agzamov_verify.games.chess.read_back import drawn_placement, read_back
from agzamov_verify.games.chess.variants import CHESS960, STANDARD, Variant
from agzamov_verify.table.adjudication import Adjudication, AdjudicationPolicy
from agzamov_verify.table.pictures import PictureDetail, PictureStyle
from agzamov_verify.table.players import GameName, PictureWish, Player
from agzamov_verify.table.scripted_players import scripted_reply
from board_reader import BITMAPS, CannotRead, placement_in

SCRIPT = Path(__file__).parents[2] / "scripts" / "draw_chess_bitmaps.py"
SPANISH = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R"
FROZEN = {
    PictureStyle.FIGURES: "c7ba0cd325007e2c4a112f9e437345d30701fead157c7fb07d0fbcc9d178c1ab",
    PictureStyle.DISCS: "c9d7607a2e7e8a39a9b212e6c24bc2c46a935262c29ead9be0ba5e3237196071",
}
STYLES = pytest.mark.parametrize("style", PictureStyle)


def random_placements(number: int) -> list[str]:
    draws = Dice(b"boards of this test").stream("boards")
    return [drawn_placement(chess.STARTING_FEN, draws) for _ in range(number)]


@STYLES
def test_a_board_is_the_same_on_every_machine(style: PictureStyle) -> None:
    assert board_picture(SPANISH, style).sha256 == FROZEN[style]


@STYLES
def test_pixels_tell_the_position(style: PictureStyle) -> None:
    for placement in (SPANISH, "8/8/8/8/3Q4/8/8/8", *random_placements(20)):
        assert placement_in(board_picture(placement, style).png, style.value) == placement


def test_a_picture_is_large_and_of_few_colours() -> None:
    picture = board_picture(SPANISH, PictureStyle.DISCS)
    assert (picture.width, picture.height) == (512, 512)
    assert len(picture.png) == 131_698
    assert len(set(picture.palette)) == len(picture.palette) == max(picture.pixels) + 1


@pytest.mark.parametrize(
    "wrong",
    [SPANISH.replace("RNBQ", "RBNQ"), SPANISH.replace("K2R", "KR2")],
    ids=["two pieces exchanged", "a piece moved"],
)
@STYLES
def test_another_board_has_another_digest_and_is_read_as_it_is(style: PictureStyle, wrong: str) -> None:
    picture = board_picture(wrong, style)
    assert picture.sha256 != FROZEN[style]
    assert placement_in(picture.png, style.value) == wrong


@STYLES
def test_another_style_cannot_be_read(style: PictureStyle) -> None:
    (other,) = set(PictureStyle) - {style}
    with pytest.raises(CannotRead):
        placement_in(board_picture(SPANISH, style).png, other.value)


@STYLES
def test_a_row_of_pixels_that_is_shifted_is_found(style: PictureStyle) -> None:
    picture = board_picture(SPANISH, style)
    at = 60 * picture.width
    row = picture.pixels[at : at + picture.width]
    shifted = picture._replace(pixels=picture.pixels[:at] + row[-1:] + row[:-1] + picture.pixels[at + len(row) :])
    assert shifted.sha256 != picture.sha256
    with pytest.raises(CannotRead):
        placement_in(shifted.png, style.value)


@pytest.mark.parametrize("text", ["", "8/8", "9/8/8/8/8/8/8/8", "8/8/8/8/8/8/8/7x", "8/8/8/8/8/8/8/8/8"])
def test_what_is_no_placement_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="piece placement"):
        board_picture(text, PictureStyle.FIGURES)


def test_a_sender_that_draws_otherwise_is_refused() -> None:
    pictures = ChessPictures("chess960")
    shown = pictures.shown(SPANISH, PictureStyle.FIGURES, PictureDetail.LOW)
    assert placement_in(pictures.sent(shown), "figures") == SPANISH
    other = type(shown)(**{**{name: getattr(shown, name) for name in shown.__struct_fields__}, "sha256": "0" * 64})
    with pytest.raises(ValueError, match="expected a picture with digest 0000"):
        pictures.sent(other)


def test_a_question_is_another_one_with_another_image() -> None:
    pictures = ChessPictures("chess960")
    styles = [pictures.shown(SPANISH, style, PictureDetail.AUTO) for style in PictureStyle]
    asked = [Chat(0, "g", (Message("look", "user", shown),), 0, "a", 0) for shown in ((), *((one,) for one in styles))]
    assert len(set(map(question_digest, asked))) == 3


def test_the_committed_bitmaps_are_those_of_the_script() -> None:
    told = subprocess.run([sys.executable, SCRIPT], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert told == BITMAPS.read_text()


@pytest.mark.parametrize(
    ("reply", "right", "is_cut"),
    [
        (Reply(text=f"BOARD: {SPANISH}", finish="stop"), 64, False),
        (Reply(text=f"BOARD: {SPANISH} w KQkq - 0 1", finish="stop"), 64, False),
        (Reply(text=f"BOARD: {SPANISH.replace('K2R', 'K3')}", finish="stop"), 63, False),
        (Reply(text="BOARD: 8/8/8", finish="stop"), 0, False),
        (Reply(text="BOARD:", finish="stop"), 0, False),
        (Reply(text="I see a board", finish="stop"), 0, False),
        (Reply(text="Let me look at", finish="length"), 0, True),
        (NoReply(reason="refused"), 0, False),
    ],
)
def test_a_board_read_back_is_counted_by_squares(reply: Reply | NoReply, right: int, is_cut: bool) -> None:
    read = read_back(reply, SPANISH, 0)
    assert (read.squares_right, read.is_cut) == (right, is_cut)


def moves_of(variant: Variant, wish: PictureWish | None) -> ChessRecord:
    """A game between a player that reads the FEN, or the pixels of an image, and itself."""
    dice, rules = Dice(b"one game"), ChessRules(plies_max=24, adjudication=Adjudication(AdjudicationPolicy.NONE))
    players = Player("a", pictures=wish), Player("b")
    name = GameName("g", "g")
    script = play(name, variant.start(dice, 0), *players, rules, dice, variant=variant)
    exchanges = Exchanges(script, lambda question: Reply(text=reader_reply(question), finish="stop"))
    for _ in exchanges:
        pass
    assert isinstance(exchanges.value, ChessRecord)
    return exchanges.value


def reader_reply(question: Question) -> str:
    """What a reader of pixels answers; it knows the file alone."""
    assert isinstance(question, Chat)
    user = question.messages[-1]
    placement = "".join(placement_in(ChessPictures(one.game).sent(one), one.style) for one in user.shown)
    if placement and "FEN: " not in user.content:
        return f"BOARD: {placement}"
    told, _, rest = user.content.partition("FEN: ")
    line = rest.partition("\n")[0]
    fen = f"{placement}{line.rpartition(')')[2]}"
    assert bool(placement) != ("Moves so far" in rest)
    assert not placement or "/" not in rest.partition("\n")[0]
    page = Message(f"{told}FEN: {fen}\nMoves so far: none", "user")
    return str(scripted_reply("reference", (question.messages[0], page), 0))


@pytest.mark.slow
@pytest.mark.parametrize("variant", [CHESS960, STANDARD], ids=lambda variant: variant.name)
def test_a_reader_of_pixels_plays_alike_in_images_and_in_text(variant: Variant) -> None:
    text = moves_of(variant, None)
    assert not text.read_backs
    for style in PictureStyle:
        seen = moves_of(variant, PictureWish(style, PictureDetail.AUTO, 2))
        assert seen.moves == text.moves
        assert seen.tallies[0].first_exact == seen.tallies[0].decisions == len(seen.moves) / 2
        assert [(one.place, one.squares_right) for one in seen.read_backs] == [(0, 64), (0, 64)]
