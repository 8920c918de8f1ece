"""Names of boards, contenders and figures. Those that submitters choose are spelled out in ASCII."""

from agzamov_verify.core.columns import foreign_name
from agzamov_verify.experiment.matches import Augmentation
from agzamov_verify.seats.model_seat import DIGEST_KEPT
from agzamov_verify.show.text.answers import Comparison
from agzamov_verify.show.views import NAMES_OF, VIEWS, game_words

from .board_runs import Board, BoardRun, Compared
from .ranking import BoardRow, Ranked


def title_words(board: Board) -> str:
    """The question that a board answers: "How much tools help in hold'em"."""
    name = NAMES_OF[Augmentation(board.augmentation)]
    verb = "help" if name.endswith("s") else "helps"
    return f"How much {name} {verb} in {game_words(board.game)}"


def about_words(board: Board) -> str:
    """What tells the boards of one question apart, and their unit."""
    unit, against = VIEWS[board.game].figure_unit, "a placebo, and none"
    if board.compared is Compared.NAKED:
        against = "none; no placebo was played"
    return f"In {unit}, against {against}. Opponent: {board.opponent}."


def short_title(board: Board) -> str:
    """A board in a list: "Tools in hold'em, against a placebo"."""
    name = NAMES_OF[Augmentation(board.augmentation)]
    against = "a placebo" if board.compared is Compared.PLACEBO else "none"
    told = "" if board.opponent == "itself" else f"; opponent: {board.opponent}"
    return f"{name[:1].upper()}{name[1:]} in {game_words(board.game)}, against {against}{told}"


def joined(names: list[str]) -> str:
    """Names that a submitter chose, in ASCII."""
    return ", ".join(foreign_name(name) or "none" for name in names)


def model_words(row: BoardRow) -> str:
    """The names of a contender's model, without the digest of sealed weights, which stands beside it."""
    return joined([_without_digest(name, row.contender.weights) for name in row.models])


def run_model_words(run: BoardRun) -> str:
    """As `model_words`, of one run."""
    return foreign_name(_without_digest(run.model, run.contender.weights))


def _without_digest(name: str, weights: str) -> str:
    return name.removesuffix(f"@{weights[:DIGEST_KEPT]}") if weights else name


def rank_words(place: Ranked) -> str:
    """A rank as a range: "1 to 3"; empty where there is none."""
    if place.ranks is None:
        return ""
    best, worst = place.ranks
    return str(best) if best == worst else f"{best} to {worst}"


def number_words(one: Comparison, game: str) -> str:
    """The number of a figure, with its sign."""
    return VIEWS[game].difference(one.value)


def unit_words(game: str) -> str:
    """The unit in few letters."""
    return VIEWS[game].short_unit.strip() or VIEWS[game].figure_unit


def counted(count: int, one: str) -> str:
    """A number of things: "1 warning", "3 warnings"."""
    return f"{count:,} {one}{'' if count == 1 else 's'}"
