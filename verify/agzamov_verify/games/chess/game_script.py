"""One game of chess as a script, and the count of plies that adjudicates it."""

from collections.abc import Sequence
from functools import partial

import chess
import msgspec

from ...core.dice import Dice
from ...core.questions import ENGINE, EVALUATION, Chat, Evaluate, Evaluation, Message, NoReply, Reply
from ...core.script import Script, ask
from ...core.shown import Shown
from ...table.adjudication import Adjudication, AdjudicationPolicy, winning_side
from ...table.decision import FIRST_ATTEMPT, ActionReader, Forfeit, IllegalPolicy, Tally, ask_before, decide
from ...table.declared import Accepted, Fault, read_declared
from ...table.players import GameName, Player, seed_for
from ...table.prompt_lines import Shots
from . import engine_tools, tool, who_stands_better
from .board_picture import ChessPictures
from .draw_offers import ChessAction, DrawOffers, Offered, Offers
from .habit_words import query
from .prompt import EXAMPLE_EXCHANGE, REMINDER, TAG, ChessTerms, PromptStyle, system_message, turn_message
from .read_back import ReadBack, drawn_placement, read_back
from .read_back import messages as read_back_messages
from .resignation import Resigned, with_resignation
from .rules import DrawClaims, End, Game960
from .situation_words import situation_words
from .spelling import spelled
from .variants import CHESS960, Variant
from .who_stands_better import Better


class Adjudicator:
    """Counts consecutive plies beyond the threshold for one side."""

    def __init__(self, rule: Adjudication, game_id: str) -> None:
        self._rule, self._game_id = rule, game_id
        self._side = 0
        self._plies = 0
        self.asks_engine = rule.policy is AdjudicationPolicy.STOCKFISH
        self.rules_any = rule.policy is not AdjudicationPolicy.NONE

    def question(self, game: Game960) -> Evaluate:
        """The question to the engine after a ply."""
        return Evaluate(game=self._game_id, moves=game.moves_text, start_fen=game.start_fen, turn=game.ply, to=ENGINE)

    def after_evaluation(self, evaluation: Evaluation, turn: chess.Color) -> int:
        """+1 or -1 when the game goes to White or Black now, else 0."""
        return self._count(winning_side(evaluation, turn, self._rule.threshold_centipawns))

    def after_ply(self, game: Game960) -> int:
        """Outcome after a ply by the policies that ask no engine; see `after_evaluation`."""
        if not self.rules_any:
            return 0
        points = game.material_points()
        return self._count((points > 0) - (points < 0) if abs(points) >= self._rule.threshold_points else 0)

    def _count(self, side: int) -> int:
        self._plies = self._plies + 1 if side and side == self._side else int(side != 0)
        self._side = side
        return side if self._plies >= self._rule.plies else 0


WHITE, BLACK = 0, 1

HALFPOINTS_OF_A_GAME = 2


class ChessRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of play of one run. Defaults are the normative ones of the protocol.

    `shots`: worked examples in the prompt of each decision. `draw_offers`: of people, where they may make any.
    """

    adjudication: Adjudication = Adjudication()
    draw_claims: DrawClaims = DrawClaims.AUTOMATIC
    illegal: IllegalPolicy = IllegalPolicy.SUBSTITUTE
    plies_max: int = 400
    prompt: PromptStyle = PromptStyle.STANDARD
    shots: Shots = 0
    draw_offers: DrawOffers | msgspec.UnsetType = msgspec.UNSET

    def terms(self, tokens_max: int) -> ChessTerms:
        """The rules as the prompt of a seat with this token limit has them."""
        return ChessTerms(self.adjudication, self.draw_claims, self.illegal, self.plies_max, tokens_max)


class Ending(msgspec.Struct, frozen=True, gc=False):
    """The end of a game, and White's half-points: 2, 1 or 0."""

    end: End
    white_halfpoints: int

    @property
    def outcomes(self) -> tuple[int, int]:
        """Half-points of White and Black."""
        return self.white_halfpoints, HALFPOINTS_OF_A_GAME - self.white_halfpoints


class ChessRecord(msgspec.Struct, frozen=True):
    """The outcome of one game. `raw` is how it ended, or stood, without adjudication.

    `substituted` lists the plies whose move was drawn from the seed in place of a seat's, from 0 on, `retried` those
    whose decision came after failed tries of the seat's server. `judgement`: the side that White said stands better
    before its first move, where it was asked. `read_backs`: images that seats read before it. `draw_offers`: the plies
    of the moves with which a draw was offered.
    """

    game: str
    start_fen: str
    moves: tuple[str, ...]
    ending: Ending
    raw: Ending
    tallies: tuple[Tally, Tally]
    substituted: tuple[int, ...] = ()
    judgement: Better | None = None
    retried: tuple[int, ...] = ()
    read_backs: tuple[ReadBack, ...] = ()
    draw_offers: tuple[int, ...] = ()

    @property
    def outcomes(self) -> tuple[int, int]:
        """Half-points of White and Black."""
        return self.ending.outcomes


def play(  # noqa: PLR0913 - each is another thing that a game is of
    name: GameName,
    start_fen: str,
    white: Player,
    black: Player,
    rules: ChessRules,
    dice: Dice,
    *,
    judges: bool = False,
    variant: Variant = CHESS960,
) -> Script[ChessRecord]:
    """Play one game; `tallies` in the record are White's and Black's. `judges`: White is asked first who is better."""
    table = ChessTable(name, start_fen, (white, black), rules, dice, variant)
    if judges:
        yield from table.judge()
    yield from table.read_images()
    return (yield from table.play())


class ChessTable:
    """The state of one game between questions."""

    def __init__(
        self,
        name: GameName,
        start_fen: str,
        players: tuple[Player, Player],
        rules: ChessRules,
        dice: Dice,
        variant: Variant,
    ) -> None:
        self.game = Game960(start_fen, variant)
        self.name, self.players, self.rules, self.dice = name, players, rules, dice
        self.systems = tuple(
            system_message(player.patterns, rules.terms(player.tokens_max), variant) for player in players
        )
        self.tallies = (Tally(), Tally())
        self.substituted: list[int] = []
        self.retried: list[int] = []
        self.reading: ActionReader[ChessAction] = ActionReader(self._read, self._substitute, REMINDER, TAG, spelled)
        self.adjudicator = Adjudicator(rules.adjudication, name.id)
        percent = rules.adjudication.play_on_percent
        self.plays_on = dice.stream(f"play_on/{name.label}").below(100) < percent
        self.judgement: Better | None = None
        self.asked_before = [0, 0]
        self.pictures = ChessPictures(variant.name)
        self.read_backs: list[ReadBack] = []
        white, black = players
        people = white.is_person, black.is_person
        self.offers = Offers(rules.draw_offers, people)
        self.read_text = with_resignation(self.offers.reader, people) if any(people) else self.offers.reader
        self.is_plain = tuple(
            player.remembers_nothing and not (player.library or player.tool or player.pictures) for player in players
        )

    def judge(self) -> Script[None]:
        """Ask White who stands better, before its first move."""
        player = self.players[WHITE]
        seed = seed_for(player, WHITE, self.name, self.game.ply, self.dice)
        question = Chat(
            FIRST_ATTEMPT, self.name.id, who_stands_better.messages(self.game), seed, player.seat, self.game.ply
        )
        reply = yield from ask_before(question, self.tallies[WHITE])
        self.judgement, self.asked_before = who_stands_better.read_judgement(reply), [1, 0]

    def read_images(self) -> Script[None]:
        """Ask each seat that is shown images which positions some show, before the first move."""
        for place, player in enumerate(self.players):
            wish = player.pictures
            for number in range(wish.read_back if wish else 0):
                assert wish
                draws = self.dice.stream(f"read_back/{self.name.label}/{place}/{number}")
                placement = drawn_placement(self.game.start_fen, draws)
                prompt = read_back_messages(placement, wish, self.pictures)
                seed = seed_for(player, place, self.name, self.game.ply, self.dice)
                attempt = FIRST_ATTEMPT + self.asked_before[place]
                question = Chat(attempt, self.name.id, prompt, seed, player.seat, self.game.ply)
                reply = yield from ask_before(question, self.tallies[place])
                self.asked_before[place] += 1
                self.read_backs.append(read_back(reply, placement, place))

    def play(self) -> Script[ChessRecord]:
        adjudicated: Ending | None = None
        raw: Ending | None = None
        while raw is None:
            side = WHITE if self.game.board.turn else BLACK
            action = yield from self.decide(side)
            raw = self._act(action, side)
            if raw is None and adjudicated is None and self.adjudicator.rules_any:
                adjudicated = yield from self._adjudicate()
                if adjudicated and not self.plays_on:
                    break
        raw = raw or Ending(End.UNFINISHED, 1)
        return ChessRecord(
            self.name.id,
            self.game.start_fen,
            tuple(self.game.moves),
            adjudicated or raw,
            raw,
            self.tallies,
            tuple(self.substituted),
            self.judgement,
            tuple(self.retried),
            tuple(self.read_backs),
            tuple(self.offers.plies),
        )

    def decide(self, side: int) -> Script[ChessAction | Forfeit]:
        """The decision of the side to move."""
        player, tally = self.players[side], self.tallies[side]
        failed = tally.failed_attempts
        question = self._plain_question(side) if self.is_plain[side] else (yield from self._question(side))
        toolbox = engine_tools.toolbox(player.tool, self.game, self.name, self.dice) if player.tool else None
        seat = tally, player.memory, toolbox, player.planted
        action = yield from decide(question, self.reading, self.rules.illegal, *seat)
        if tally.failed_attempts > failed:
            self.retried.append(self.game.ply)
        return action

    def _act(self, action: ChessAction | Forfeit, side: int) -> Ending | None:
        """Play the decision of the side to move; return how the game ended, if it did."""
        if isinstance(action, chess.Move):
            self.game.push(action)
        elif isinstance(action, Offered):
            self.game.push(action.move)
        elif isinstance(action, Resigned):
            return Ending(End.RESIGNATION, 2 * side)
        else:
            return Ending(End.FORFEIT, 2 * side) if isinstance(action, Forfeit) else Ending(End.AGREEMENT, 1)
        end = self.game.end(self.rules.draw_claims)
        if end is None:
            if isinstance(action, Offered) and self.offers.is_taken(self.game):
                return Ending(End.AGREEMENT, 1)
            return Ending(End.PLY_LIMIT, 1) if self.game.ply >= self.rules.plies_max else None
        return Ending(end, 2 - 2 * side if end is End.CHECKMATE else 1)

    def _plain_question(self, side: int) -> Chat:
        """What `_question` asks a player who is told the board alone, as most are."""
        profile = self.players[side].told_of_opponent
        offers = self.offers.line(self.game.ply) if self.offers.are_possible else ""
        told = turn_message(self.game, self.rules.prompt, profile, legal=self._legal(), draw_offers=offers)
        asked = (*EXAMPLE_EXCHANGE, told) if self.rules.shots else (told,)
        return self._chat(side, asked, FIRST_ATTEMPT + (0 if self.game.ply else self.asked_before[side]))

    def _question(self, side: int) -> Script[Chat]:
        player = self.players[side]
        profile = yield from player.profile(self.name.id, self.game.ply, lambda: query(self.game.board))
        passages = ""
        if player.library:
            topics = partial(situation_words, self.game.board)
            passages = player.passages(self.name, self.game.ply, topics, self.dice)
        legal, shown, offers = self._legal(), self._shown(player), self.offers.line(self.game.ply)

        def message(told: str = "", request: str = "") -> Message:
            written = self.game, self.rules.prompt, profile, told, request, passages
            return turn_message(*written, legal=legal, shown=shown, draw_offers=offers)

        attempt, told = FIRST_ATTEMPT + (0 if self.game.ply else self.asked_before[side]), ""
        if player.tool and not player.tool.calls_max:
            request = tool.request(player.tool)
            asked = self._chat(side, (message(request=request),), attempt)
            reply = yield from ask_before(asked, self.tallies[side])
            candidates = tool.read_candidates(reply, self.game, player.tool)
            told = yield from tool.consult(player.tool, candidates, self.game, self.name, self.dice)
            attempt += 1
        example = EXAMPLE_EXCHANGE if self.rules.shots else ()
        return self._chat(side, (*example, message(told)), attempt)

    def _shown(self, player: Player) -> Shown | None:
        """The board as an image, for a seat that is shown images."""
        if not player.pictures:
            return None
        placement = self.game.fen().partition(" ")[0]
        return self.pictures.shown(placement, player.pictures.style, player.pictures.detail)

    def _legal(self) -> Sequence[str]:
        """The legal moves in the order that the prompt lists them in, where it does; the same in every arm."""
        if self.rules.prompt is not PromptStyle.LEGAL_MOVES:
            return ()
        told = self.game.legal_told()
        return self.dice.stream(f"listed/{self.name.label}/{self.game.ply}").deal(told, len(told))

    def _chat(self, side: int, asked: tuple[Message, ...], attempt: int) -> Chat:
        player = self.players[side]
        messages = (self.systems[side], *asked)
        seed = seed_for(player, side, self.name, self.game.ply, self.dice)
        return Chat(attempt, self.name.id, messages, seed, player.seat, self.game.ply)

    def _read(self, answer: Reply | NoReply) -> Accepted[ChessAction] | Fault:
        return read_declared(answer, TAG, lambda text: self.read_text(text, self.game))

    def _substitute(self, attempt: int) -> chess.Move:
        self.substituted.append(self.game.ply)
        label = f"substitute/{self.name.label}/{self.game.ply}/{attempt}"
        return chess.Move.from_uci(self.dice.stream(label).choice(self.game.legal_moves()))

    def _adjudicate(self) -> Script[Ending | None]:
        if self.adjudicator.asks_engine:
            evaluation = yield from ask(self.adjudicator.question(self.game), EVALUATION)
            side = self.adjudicator.after_evaluation(evaluation, self.game.board.turn)
        else:
            side = self.adjudicator.after_ply(self.game)
        return Ending(End.ADJUDICATION, 1 + side) if side else None
