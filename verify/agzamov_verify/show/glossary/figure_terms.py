"""Terms of figures: results, ratings, errors, replies and cost; intervals, tests and power."""

from typing import Final

from .term import Term

# fmt: off

PLAY: Final = (
    Term("result of A",
         "The result of the measured seat, which is named first: points a game in chess (a draw is half a point), "
         "big blinds won per 100 hands in hold'em; in brackets its 95 % interval.",
         "paper, section 9", ("result", "result of the first-named")),
    Term("score",
         "Points a game of the measured seat: 1 for a win, 1/2 for a draw, 0 for a loss; 0.5 is even.",
         "paper, section 5.1"),
    Term("raw score",
         "The score without adjudication: a game that the engine's verdict ended counts as a draw unless it "
         "was played on.",
         "docs/scoring.md", ("score_raw",)),
    Term("score by pairs",
         "The score, with the two games of one start taken together.",
         "docs/decisions/0013"),
    Term("images read, boards",
         "share of images of a board that a seat wrote down with all 64 squares right; n counts boards, and replies"
         " that were cut are counted by themselves",
         "docs/arena-images.md"),
    Term("images read, squares",
         "mean number of the 64 squares of a board that a seat wrote down rightly from an image; a reply without a"
         " board has none",
         "docs/arena-images.md"),
    Term("win rate",
         "Share of games won; draws count as not won.",
         "paper, section 9.1", ("win rate by pairs",)),
    Term("pairs",
         "Each chess start, or ballot of draughts, is played twice with colours exchanged. The five numbers are the "
         "pairs in which the measured seat took 0, 1/2, 1, 1 1/2 and 2 points (the pentanomial distribution).",
         "docs/decisions/0013", ("pentanomial", "start pair")),
    Term("wins, draws, losses",
         "Games by their result, from the measured seat's side.",
         "docs/scoring.md"),
    Term("games drawn",
         "Share of games of draughts that neither side won. Games that were played alike, move for move, count as one.",
         "games/draughts/scoring.py"),
    Term("ballot",
         "The three moves that a game of draughts begins with, drawn from the 156 of the American Checker Federation. "
         "Each is played twice with colours exchanged, and such a pair is one unit.",
         "games/draughts/ballots.py", ("three-move ballot",)),
    Term("survival index",
         "In Phase 5, in games in which the measured seat has the worse side: the moves it made before it had lost "
         "(100 where it had not by then) less the moves that the engine, playing both sides, makes there "
         "before it has lost.",
         "paper, section 4.6; docs/phase5.md", ("expected collapse point",)),
    Term("recovery rate",
         "In Phase 5, the share of the games in which the measured seat has the worse side that it did not lose.",
         "paper, section 4.6; docs/phase5.md"),
    Term("GQI under pressure",
         "In Phase 5, the centipawns that the measured seat loses a move in games in which it has the worse side. "
         "With the engine as a tool it says how well the engine was followed.",
         "paper, section 4.6; docs/phase5.md"),
    Term("evaluation accuracy",
         "In Phase 5, the share of slight and severe positions of which the measured seat, asked before its first "
         "move as White, said rightly which side stands better.",
         "paper, E6; draft, H15; docs/phase5.md"),
    Term("calculation accuracy",
         "In Phase 5, the share of forced mates that the measured seat carried out as White, each move its own and "
         "in no more moves than the proven mate has.",
         "paper, E6; draft, H15; docs/phase5.md"),
    Term("calculation efficiency",
         "In Phase 5, in won endings against a bare king, the moves of the exact shortest win over those that the "
         "measured seat took to mate as White; 0 where it did not.",
         "draft, H20; docs/phase5.md"),
    Term("Elo difference",
         "The score on the scale of chess ratings: 0 is even, 100 points are a score of 0.64. It has no finite "
         "value where every game was won or lost.",
         "A. Elo; docs/decisions/0013", ("Elo",)),
    Term("Glicko-2",
         "A rating with its deviation (RD), which is not a standard error: 1.96 RD hold the strength by the rating "
         "system's own model. Every seat starts at 1500, and stronger seats rise. Here it is of this match alone.",
         "M. Glickman, Example of the Glicko-2 system"),
    Term("ended by play",
         "Share of games that the rules of the game ended with every move a seat's own. The rest was decided "
         "by adjudication, forfeit, the ply limit or a substituted move.",
         "paper, section 9.4", ("by play", "decided by play")),
    Term("team",
         "Seats that win and lose a game together, where the game has teams. A row counts the games that a team won, "
         "drew and lost, whoever was in it.",
         "docs/decisions/0069-a-table-has-seats.md", ("teams",)),
    Term("result by play",
         "The result of those games alone that ended by play. Which games these are is known only after they "
         "were played, so a difference between conditions here is no effect of the condition.",
         "paper, section 9.4"),
    Term("without errors",
         "The figure from games in which every first attempt of both seats was legal; chosen afterwards, as the result "
         "by play is.",
         "paper, section 9.4"),
    Term("adjudication",
         "The engine ends a chess game early once one side is ahead by the protocol's margin for the "
         "protocol's number of moves.",
         "paper, Table 8"),
    Term("forfeit",
         "A game lost because a seat gave no legal action in all its attempts.",
         "docs/formats/manifest.md"),
    Term("ply limit",
         "A ply is one move of one side. A game that reaches the limit is a draw.",
         "docs/formats/manifest.md", ("ply", "plies", "ply_limit")),
    Term("chess prompt",
         "Which of the protocol's two chess prompts seats read: standard shows the position and the moves so far, "
         "legal_moves lists the legal moves too, in a drawn order. Each is a variant of the protocol, "
         "and they are never put together.",
         "docs/formats/manifest.md", ("legal_moves", "standard prompt", "Chess960 prompt")),
    Term("worked example",
         "A question of another game with its whole answer, which stands before each decision where a plan says so "
         "(shots: 1, a one-shot prompt). The protocol's prompts have none (zero-shot), so it is a variant.",
         "docs/decisions/0090-a-worked-example-is-an-exchange.md", ("shots", "one-shot", "zero-shot", "few-shot")),
    Term("errors",
         "Share of a seat's decisions whose first attempt was no legal action: none declared, an illegal one, "
         "or no reply.",
         "paper, section 9.4", ("first-attempt errors", "faults", "no action", "ambiguous", "illegal",
                                  "refused")),
    Term("unusable answer",
         "A reply without a legal action at a decision's first attempt: none declared, more than one, an illegal one, "
         "or cut before its end.",
         "docs/scoring.md", ("unusable answers", "unusable")),
    Term("no reply",
         "A call that brought no reply: the model refused, or its server filtered the answer.",
         "docs/formats/journal.md", ("without a reply",)),
    Term("cannot format",
         "Of a seat that failed Phase 0 or whose actions were drawn: so many of its answers have no declaration that "
         "can be read. Cannot play: so many declared actions are not legal. The bound is that on errors in Phase 0.",
         "docs/scoring.md", ("cannot play",)),
    Term("replies",
         "How first replies declared their action: exact, normalised, or with an error.",
         "docs/scoring.md", ("reply",)),
    Term("distinct",
         "Games that differ in start, moves or result; hands that differ in cards, actions or result. A player "
         "without randomness plays both games of a start against itself alike.",
         "docs/decisions/0045"),
    Term("exact",
         "The action was spelled just as the prompt asks.",
         "docs/reading.md"),
    Term("normalised",
         "The action was spelled in another accepted way, which has one meaning only.",
         "docs/reading.md"),
    Term("cut",
         "The server did not finish the reply, for instance at the token limit, so no action is read from it.",
         "docs/reading.md"),
    Term("retries",
         "Tries of a call to a model's server that failed, and were repeated before a reply was recorded. A server "
         "could use them to get another chance.",
         "docs/formats/journal.md", ("failed tries", "failed attempts", "retry")),
    Term("signals",
         "Counts that an odd server or a doctored record would move: retries a call, replies without tokens, "
         "characters of text a token, moves that are the engine's first choice. Each has honest causes too, so "
         "they are printed and not judged.",
         "docs/scoring.md"),
    Term("flagged",
         "The rate of errors as counted is above the protocol's bound. Above 5 %: the whole 95 % interval is. May be "
         "above 5 %: the interval holds 5 %, or there is none.",
         "paper, section 9.4; docs/decisions/0045", ("FLAGGED",)),
    Term("pattern",
         "A habit that the plan gives a seat: how often it was kept of how often it could be. Without a break: always.",
         "docs/patterns.md", ("patterns", "adherence", "without a break")),
    Term("tokens",
         "Pieces of text as the model's server counted them (attested).",
         "docs/scoring.md"),
    Term("cost",
         "Tokens times the prices sealed in the plan. Not known where no price was sealed.",
         "docs/scoring.md"),
    Term("answer time",
         "Wall time of replies by the submitter's clock (attested).",
         "docs/scoring.md"),
    Term("learning",
         "Whether results rise (learned) or fall (declined) within a match by more than chance, and how many games "
         "a rise takes. The corrected p allows for all matches of the run.",
         "paper, section 9.2; docs/scoring.md", ("tau", "τ", "learned", "declined")),
    Term("seat symmetry",
         "In self-play both seats are the same player, so their results must agree. If they do not, the "
         "harness favours one seat.",
         "docs/scoring.md", ("symmetry", "asymmetry")),
    Term("recovery",
         "What followed a forced change of play within a match.",
         "paper, section 4"),
    Term("delta",
         "A figure with an augmentation less the same without it.",
         "paper, Eq. 2"),
    Term("robustness",
         "A delta measured again with a model at another temperature, and whether it moved.",
         "paper, section 9.3"),
    Term("centipawns",
         "Hundredths of a pawn, the unit of the engine's evaluation.",
         "UCI protocol", ("cp",)),
    Term("SAN",
         "Standard algebraic notation: Nf3, Bxe5+, O-O.",
         "FIDE Laws of Chess, appendix C"),
    Term("Agzamov Score",
         "One number from 0 to 100 over seven parts: chess, hold'em, what augmentation adds, and how fast. It "
         "needs Phases 1 and 2 in both games.",
         "paper, Eq. 1 and Table 4", ("A-Score",)),
)


# fmt: off

STATISTICS: Final = (
    Term("n",
         "How many games or hands a figure is of.",
         "docs/scoring.md", ("played",)),
    Term("units",
         "What statistics count as one observation: a start pair in chess, a session in hold'em. Results "
         "within a unit are not independent.",
         "docs/decisions/0013", ("unit",)),
    Term("interval",
         "A 95 % confidence interval, in brackets behind a figure: repeated runs would have the true value "
         "inside in 95 of 100 cases. Of too few units to keep that promise there is none.",
         "docs/decisions/0013; docs/decisions/0045", ("ci", "95 %", "confidence interval")),
    Term("sequential interval",
         "An interval that stays valid however often one looks and whenever one stops.",
         "docs/decisions/0019", ("early stopping", "confidence sequence")),
    Term("MDE",
         "Minimum detectable effect: the least true difference that a run of this size and spread finds with "
         "80 % power at the 5 % level.",
         "paper, section 9.5", ("minimum detectable effect",)),
    Term("power",
         "The probability that a test finds an effect that is really there.",
         "paper, section 9.5"),
    Term("ICC",
         "Intraclass correlation of careers: the share of the variance of start pairs or sessions that is common to "
         "a career, by what its store holds.",
         "docs/decisions/0043", ("intraclass correlation",)),
    Term("alpha",
         "The probability that a test finds an effect where there is none.",
         "paper, section 9.5"),
    Term("p",
         "The probability of a result at least as extreme if there were no effect. In results it is two-sided, so it "
         "counts results as far on the other side too, and is corrected for all comparisons of a run (see corrected). "
         "The p of Phase 0 is one-sided, and so is that of a hypothesis that names a direction.",
         "paper, section 9.5", ("p-value", "p, wins above 1/2", "p, sessions won above 1/2")),
    Term("corrected",
         "Of a p: made greater for how many comparisons a run has, since of twenty arms that are alike one differs by "
         "luck at 5 %. The comparisons of a run's results are corrected by Holm's method: of m the least p is taken "
         "m times, the next m less 1 times, and so on, and none is smaller than the one before.",
         "S. Holm, Scandinavian Journal of Statistics 6 (1979), 65",
         ("Holm", "Holm's method", "corrected p", "p corrected")),
    Term("SD",
         "Standard deviation: how widely single units spread about their mean. Where a match has careers, these "
         "are the units: the SD of their figures is that of whole careers, and smaller than that of sessions.",
         "docs/scoring.md", ("standard deviation", "session SD", "career SD")),
    Term("variance reduction",
         "Taking the luck of the cards out of hold'em results without bias, so that fewer hands are needed. A factor "
         "of 2 is worth twice as many hands.",
         "docs/decisions/0017", ("variance", "variance / 2.86")),
)
