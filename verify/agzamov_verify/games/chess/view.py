"""A game of chess as a player knows it: result and reason, numbered moves, the final evaluation; and its positions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isinf
from textwrap import wrap
from typing import Any, ClassVar, Final

import chess

from ...core.columns import WIDTH, ascii_words, paragraph, row
from ...core.questions import Evaluate, Evaluation, Message, NoReply, Reply
from ...plan.manifest import Plan
from ...scoring.inference.pentanomial import Pentanomial
from ...scoring.inference.samples import Interval
from ...scoring.match_figures import MatchAnalysis
from ...show.game_view import GameView
from ...show.glossary import label
from ...show.person_choices import Choices
from ...show.replayed_game import PlayedGame, evaluation_words
from ...show.text.analysis_text import estimate
from ...table.decision import fault_classes
from ...table.declared import Accepted, Fault, read_declared
from ...table.prompt_lines import with_shots
from .draw_offers import MARK, Offers
from .game import GAME, STANDARD_CHESS, ChessGame
from .game_script import WHITE, ChessRecord, Ending
from .live_frame import chess_live_frame
from .match_analysis import ChessAnalysis, Stress
from .match_counts import ChessResult
from .person_moves import chess_choices
from .pgn import SCORES, first_move_number, pgn, san_moves
from .prompt import TAG, PromptStyle
from .resignation import RESIGNS, with_resignation
from .rules import End, Game960

SIDES: Final = ("White", "Black")


def chess_frames(record: ChessRecord) -> Iterator[dict[str, Any]]:
    """Frame k is the position after k plies.

    `board` is the piece placement of its FEN; `from` and `to` the squares of the move that led there, the king's own
    two where it castles.
    """
    board, first = chess.Board(record.start_fen, chess960=True), first_move_number(record)
    substituted, offers = set(record.substituted), set(record.draw_offers)
    yield {"label": "start", "board": board.board_fen(), "by": -1}
    for ply, uci in enumerate(record.moves):
        move, side = chess.Move.from_uci(uci), ply % len(SIDES)
        san, king = board.san(move), board.king(board.turn)
        castles = board.is_castling(move)
        board.push(move)
        reached = board.king(not board.turn) if castles else move.to_square
        assert king is not None
        assert reached is not None
        yield {
            "label": f"{first + ply // 2}{'…' if side else '.'} {san}{f' {MARK}' if ply in offers else ''}",
            "board": board.board_fen(),
            "by": side,
            "from": chess.square_name(king if castles else move.from_square),
            "to": chess.square_name(reached),
            **({"drawn": True} if ply in substituted else {}),
        }


def _scores(played: PlayedGame) -> dict[int, dict[str, int]]:
    """By ply: the engine's score after it from White's side, in centipawns or as moves to mate."""
    scores: dict[int, dict[str, int]] = {}
    for question, answer in played.asked:
        if isinstance(question, Evaluate) and isinstance(answer, Evaluation):
            sign = 1 if question.turn % len(SIDES) == WHITE else -1
            if answer.mate is not None:
                scores[question.turn] = {"mate": sign * answer.mate}
            elif answer.centipawns is not None:
                scores[question.turn] = {"cp": sign * answer.centipawns}
    return scores


REASONS: Final = {
    End.CHECKMATE: "by checkmate",
    End.STALEMATE: "by stalemate",
    End.INSUFFICIENT_MATERIAL: "by insufficient material",
    End.THREEFOLD_REPETITION: "by threefold repetition",
    End.FIFTY_MOVES: "by the fifty-move rule",
    End.FIVEFOLD_REPETITION: "by fivefold repetition",
    End.SEVENTY_FIVE_MOVES: "by the seventy-five-move rule",
    End.ADJUDICATION: "by adjudication: the game was stopped while one side was far ahead",
    End.PLY_LIMIT: "by the limit on the length of a game",
    End.FORFEIT: "by forfeit: the loser gave no legal move in all its attempts",
    End.AGREEMENT: "by agreement",
    End.RESIGNATION: "by resignation",
    End.UNFINISHED: "not finished",
}

TITLES: Final = {
    End.CHECKMATE: "by checkmate",
    End.ADJUDICATION: "by adjudication",
    End.FORFEIT: "by forfeit",
    End.PLY_LIMIT: "at the length limit",
}
"""The reason of an end in a heading, where it is shorter than in a sentence."""

RESULT_WIDTH: Final = 8

PROBES: Final = {
    "evaluation": "evaluation accuracy",
    "calculation": "calculation accuracy",
    "efficiency": "calculation efficiency",
}
"""The figures of probes, in words."""


def chess_lines(played: PlayedGame, record: ChessRecord) -> Iterator[str]:
    """Result, start, moves, final evaluation, and the result again."""
    yield f"{record.game}: White {ascii_words(played.first)}, Black {ascii_words(played.second)}"
    yield from paragraph("Result:", result_words(played, record), RESULT_WIDTH)
    yield f"Start: {record.start_fen}"
    yield ""
    yield from wrap(" ".join(numbered(record)) or "(no move was played)", WIDTH, break_on_hyphens=False)
    if record.substituted:
        yield "(*: drawn at random from the seed in place of an illegal or missing move)"
    if record.draw_offers:
        yield f"{MARK} a draw was offered with this move"
    final = final_evaluation(played)
    if final:
        yield f"Final evaluation: {final}"
    yield ""
    yield from paragraph("Result:", result_words(played, record), RESULT_WIDTH)


def result_words(played: PlayedGame, record: ChessRecord) -> str:
    """Result and reason of a game: "1-0, White (agent) won by checkmate after 31 moves"."""
    ending = record.ending
    winner = {2: f"White ({ascii_words(played.first)}) won", 0: f"Black ({ascii_words(played.second)}) won"}
    winner_words = winner.get(ending.white_halfpoints, "draw")
    length = f"after {len(record.moves)} plies"
    played_on = "" if record.raw == ending or record.raw.end is End.UNFINISHED else f"; played on, {_raw(record.raw)}"
    return f"{SCORES[ending.white_halfpoints]}, {winner_words} {REASONS[ending.end]}, {length}{played_on}"


def title_words(played: PlayedGame, record: ChessRecord) -> str:
    """The result in a heading: "reference wins by checkmate in 41 moves"."""
    end, count = record.ending.end, (len(record.moves) + 1) // 2
    winner = {2: played.first, 0: played.second}.get(record.ending.white_halfpoints)
    what = f"{ascii_words(winner)} wins" if winner else "draw"
    length = f"{count} move{'' if count == 1 else 's'}"
    if end is End.UNFINISHED:
        return f"not finished, {length}"
    return f"{what} {TITLES.get(end, REASONS[end])} {'in' if end is End.CHECKMATE else 'after'} {length}"


def _raw(raw: Ending) -> str:
    return f"it ended {SCORES[raw.white_halfpoints]} {REASONS[raw.end]}"


def numbered(record: ChessRecord) -> Iterator[str]:
    """Numbered moves, with a star for each that was drawn from the seed."""
    substituted, first = set(record.substituted), first_move_number(record)
    for ply, san in enumerate(san_moves(record)):
        number = f"{first + ply // 2}. " if ply % 2 == 0 else ""
        yield f"{number}{san}{'*' if ply in substituted else ''}{f' {MARK}' if ply in record.draw_offers else ''}"


def final_evaluation(played: PlayedGame) -> str:
    """The engine's last score, from White's side; "" where it was not asked."""
    scores = [(question, answer) for question, answer in played.asked if isinstance(answer, Evaluation)]
    if not scores:
        return ""
    question, answer = scores[-1]
    white = question.turn % 2 == 0
    sign = 1 if white else -1
    centipawns = None if answer.centipawns is None else sign * answer.centipawns
    mate = None if answer.mate is None else sign * answer.mate
    own = Evaluation(centipawns, mate)
    return f"{evaluation_words(own)} for White (the engine, after ply {question.turn})"


def chess_document(played: PlayedGame, record: ChessRecord) -> dict[str, object]:
    """The game for a program."""
    return {
        "white": played.first,
        "black": played.second,
        "start_fen": record.start_fen,
        "moves": list(record.moves),
        "san": san_moves(record),
        "score": SCORES[record.ending.white_halfpoints],
        "end": record.ending.end.value,
        "score_raw": SCORES[record.raw.white_halfpoints],
        "end_raw": record.raw.end.value,
        "substituted_plies": list(record.substituted),
        **({"draw_offer_plies": list(record.draw_offers)} if record.draw_offers else {}),
        "evaluations": [
            {"ply": question.turn, "centipawns": answer.centipawns, "mate": answer.mate}
            for question, answer in played.asked
            if isinstance(answer, Evaluation)
        ],
    }


def elo_words(pairs: Pentanomial) -> str:
    """The Elo difference, in words where it has no finite value."""
    if pairs.elo is None:
        return "no value"
    if isinf(float(pairs.elo)):
        what = "won" if float(pairs.elo) > 0 else "lost"
        value = f"no finite value, since every game was {what}"
    else:
        value = f"{float(pairs.elo):.0f}"
    return f"{value}; {_elo_bounds(pairs.elo_ci) if pairs.elo_ci else 'no interval'}"


def _elo_bounds(bounds: Interval) -> str:
    low, high = float(bounds.low), float(bounds.high)
    if isinf(low) and isinf(high):
        return "the interval excludes nothing"
    if isinf(high):
        return f"at least {low:.0f} (95 % interval)"
    if isinf(low):
        return f"at most {high:.0f} (95 % interval)"
    return f"95 % interval {low:.0f} to {high:.0f}"


def prompt_words(style: PromptStyle) -> str:
    """The chess prompt that seats read, one of two, in words."""
    match style:
        case PromptStyle.STANDARD:
            return "standard, without a list of legal moves"
        case PromptStyle.LEGAL_MOVES:
            return "legal_moves, with the list of legal moves"


def _stress_rows(stress: Stress) -> Iterator[str]:
    """The figures of seat A on the worse side."""
    yield from row(
        label("survival index"), f"{estimate(stress.survival_index)}; {estimate(stress.survived_moves)} made"
    )
    yield from row(label("recovery rate"), estimate(stress.recovery))
    loss = stress.pressure_loss_centipawns
    yield from row(label("GQI under pressure"), estimate(loss) if loss else "not judged (quality.nodes is 0)")


class ChessView(GameView):
    """Chess on the screen."""

    game: ClassVar[ChessGame] = GAME
    null = 0.5
    figure_unit = "points a game"
    figure_bounds = (0.0, 1.0)
    short_unit = ""
    places = ("White", "Black")
    notation = "pgn"
    tag = TAG
    resigns = RESIGNS
    notation_words = "games of chess with the engine's evaluations"

    def lines(self, played: PlayedGame, plan: Plan) -> Iterator[str]:  # noqa: ARG002 - as declared
        return chess_lines(played, played.record)

    def document(self, played: PlayedGame) -> dict[str, object]:
        return chess_document(played, played.record)

    def exported(self, played: PlayedGame, plan: Plan) -> str:
        return pgn(played, plan.title)

    def live_frame(self, asked: Sequence[tuple[Message, ...]]) -> dict[str, Any]:
        return chess_live_frame(asked)

    def choices(self, messages: tuple[Message, ...]) -> Choices:
        return chess_choices(messages, self.game.chess_variant)

    def actions(self, record: ChessRecord) -> Mapping[int, str]:
        return dict(enumerate(record.moves))

    def frames(self, played: PlayedGame, plan: Plan) -> list[dict[str, Any]]:  # noqa: ARG002 - as declared
        scores = _scores(played)
        return [{**frame, **scores.get(ply, {})} for ply, frame in enumerate(chess_frames(played.record))]

    def title(self, played: PlayedGame) -> str:
        return title_words(played, played.record)

    def readers(
        self,
        played: PlayedGame,
        plan: Plan,
    ) -> Iterator[tuple[int, Callable[[Reply | NoReply], Accepted[Any] | Fault]]]:
        record: ChessRecord = played.record
        game = Game960(record.start_fen, self.game.chess_variant)
        white, black = (plan.seats[played.match.seats[index]].is_person for index in played.order)
        offers = Offers(plan.rules_of(self.game.name).draw_offers, (white, black))
        read = with_resignation(offers.read, (white, black))
        for ply, move in enumerate((*record.moves, "")):
            yield ply % len(SIDES), lambda answer: read_declared(answer, TAG, lambda text: read(text, game))
            if ply in record.draw_offers:
                offers.plies.append(ply)
            if move:
                game.push(chess.Move.from_uci(move))

    def thumbnail(self, played: PlayedGame, frames: list[dict[str, Any]]) -> str:  # noqa: ARG002 - as declared
        return str(frames[-1]["board"])

    def error_classes(self, record: ChessRecord) -> tuple[str, ...]:
        return fault_classes(record.tallies)

    def ended(self, record: ChessRecord) -> str:
        return f"{record.ending.end.value.replace('_', ' ')}, {len(record.moves)} plies"

    def size(self, counts: ChessResult) -> str:
        return f"{counts.games:,} games, {counts.plies:,} plies"

    def tally(self, counts: ChessResult) -> str:
        score = counts.adjudicated
        if score.draws:
            return f"scored +{score.wins} ={score.draws} -{score.losses} against"
        return f"won {score.wins} of {counts.games} against"

    def rules_words(self, plan: Plan) -> str:
        rules = plan.rules_of(self.game.name)
        if rules.prompt is PromptStyle.STANDARD and not rules.shots:
            return ""
        return f"chess prompt {with_shots(prompt_words(rules.prompt), rules.shots)}"

    def easier_prompt(self, plan: Plan) -> str:
        is_listed = plan.rules_of(self.game.name).prompt is PromptStyle.LEGAL_MOVES
        return "" if is_listed else f"{self.game.name}: {{prompt: legal_moves}} (the legal moves are listed)"

    def details(self, counts: ChessResult, analysis: MatchAnalysis | None, plan: Plan) -> Iterator[str]:
        score, rules = counts.adjudicated, plan.rules_of(self.game.name)
        yield from row(label("chess prompt"), with_shots(prompt_words(rules.prompt), rules.shots))
        yield from row(label("wins, draws, losses"), f"{score.wins}, {score.draws}, {score.losses}")
        yield from row(label("pairs"), "/".join(map(str, score.pairs)))
        if isinstance(analysis, ChessAnalysis):
            if analysis.p_wins:
                over = f"one-sided binomial test over n = {counts.distinct:,} distinct games"
                yield from row(label("p, wins above 1/2"), ascii_words(f"{analysis.p_wins}, {over}"))
            yield from row(label("win rate"), estimate(analysis.win_rate.everything))
            yield from row(label("raw score"), estimate(analysis.score_raw))
            yield from row(label("Elo difference"), elo_words(analysis.pentanomial))
            if analysis.stress:
                yield from _stress_rows(analysis.stress)
            for name, figure in analysis.probes.items():
                yield from row(label(PROBES[name]), estimate(figure))
            if read := analysis.read_back:
                yield from row(label("images read, boards"), f"{estimate(read.boards)}; {read.cut} replies cut")
                yield from row(label("images read, squares"), estimate(read.squares))


class StandardView(ChessView):
    """Standard chess on the screen."""

    game = STANDARD_CHESS


VIEW = ChessView()
VARIANTS: Final[Mapping[str, GameView]] = {view.game.name: view for view in (VIEW, StandardView())}
