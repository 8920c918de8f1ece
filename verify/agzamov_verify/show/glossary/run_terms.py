"""Terms of runs, bundles and seats, and of the levels and steps of verification."""

from typing import Final

from .term import Term

# fmt: off

RUN: Final = (
    Term("run",
         "One plan, sealed and played to its end. Its id is the first 16 digits of the sealed plan's SHA-256.",
         "docs/formats/manifest.md", ("run id",)),
    Term("bundle",
         "The signed folder that a run leaves: plan, recorded replies, results. Verification reads nothing else.",
         "docs/formats/bundle.md"),
    Term("plan",
         "What a person writes before a run: who plays whom, how often, by which rules.",
         "docs/formats/manifest.md", ("manifest",)),
    Term("sealed",
         "Fixed before the first move: the plan, the names and digests in it, and a commitment to the secret "
         "of the seed. A change afterwards gives another run id.",
         "docs/formats/manifest.md", ("seal",)),
    Term("attested",
         "Said and signed by the submitter only. Nobody else can check it from the bundle.",
         "docs/formats/bundle.md", ("claimed",)),
    Term("submitter",
         "Whoever signed the bundle, known by the SHA-256 of a public key and by nothing else.",
         "docs/formats/bundle.md", ("key", "key id")),
    Term("protocol",
         "The normative numbers of one version of the test, shipped with the verifier.",
         "paper, Table 8"),
    Term("departures",
         "Places where a plan is not what its protocol version requires. A run with departures gives no result "
         "under that protocol.",
         "paper, Table 8", ("departure", "compliant", "Departs")),
    Term("isolation",
         "Whether the parts of a run were kept from each other and from the network by containers, or ran as "
         "plain processes.",
         "docs/containers.md", ("process", "container")),
    Term("seed",
         "All cards, starts and random moves follow from one secret number that is committed before the run "
         "and revealed in the bundle. Who may choose it may also play many runs and show the best one.",
         "docs/formats/manifest.md", ("origin", "seed.origin")),
    Term("seat",
         "A player as the plan names it. A match has seat A, which is measured, seat B, and others in games "
         "that take more. Any of them may have a system; a protocol may measure more than the first.",
         "docs/formats/manifest.md", ("seats", "A", "B", "seat A", "seat B")),
    Term("naked",
         "The condition in which a model has its prompt alone: no memory, no tools, no retrieval.",
         "paper, section 3.4", ("condition",)),
    Term("Phase 0",
         "A check before anything is measured: the model must beat a random player with few illegal actions, "
         "or it goes no further in that game.",
         "paper, section 4.1", ("gate", "phase")),
    Term("Phase 1",
         "Self-play of the naked model, from which the baseline is taken.",
         "paper, section 4.2", ("self-play",)),
    Term("Phase 2",
         "The model with an augmentation against the same model without it, in three arms: naked (the control), "
         "placebo and real. A memory can have two more, filler and stale.",
         "paper, section 4.2; docs/decisions/0039", ("control", "arm", "arms")),
    Term("Phase 3",
         "Both models have an augmentation, and strategies are forced to change during the match.",
         "paper, section 4.2"),
    Term("Phase 4",
         "Play against people.",
         "paper, section 4.2"),
    Term("Phase 5",
         "Play from positions that are better or worse for one side from the start.",
         "paper, section 4.2"),
    Term("Phase 6",
         "The phase of an arena: different models meet, and every seat's results are looked at. The table over all "
         "bundles of an arena is made by `agzamov arena table`.",
         "docs/arena.md"),
    Term("oracle",
         "An augmentation system without a memory: the plan's author writes what its seat is told of its opponents. "
         "It is the ceiling of what a memory can give.",
         "docs/decisions/0039", ("system", "facts")),
    Term("baseline",
         "In phases: the naked model's own figures, which later phases are compared with. Among the hold'em "
         "figures: variance reduction by a fixed public value of every hand.",
         "paper, section 4.2; docs/decisions/0017"),
    Term("match",
         "All games or hands between two seats in one phase. Its id is phase, game, condition and names.",
         "docs/formats/manifest.md"),
    Term("benchmark player",
         "A scripted hold'em player whose mixed policy is published, so that its play can be drawn again.",
         "docs/benchmark-policy.md"),
    Term("substitution",
         "An illegal or missing action is replaced by a random legal one, drawn from the seed.",
         "paper, section 9.4", ("substituted",)),
    Term("career",
         "One of several equal parts of a match, each played in order from an empty store. What a store holds links "
         "the games of a career, so careers are what is repeated: intervals and tests of such an arm are over careers.",
         "docs/decisions/0040", ("careers", "one career", "within one career")),
    Term("exploratory",
         "Of a hypothesis that is not among H1 to H5: it is found or not found, which suggests and confirms nothing.",
         "paper, section 9.5; docs/decisions/0040", ("confirmed", "not confirmed")),
    Term("supported",
         "Of H1 to H5: p times five is below alpha, the level of the plan. Not supported is not refuted: with "
         "few games even a real effect is not found.",
         "paper, section 9.5", ("not supported",)),
    Term("provisional",
         "Of a constant of the score that was set before data of models existed; `score` says how it changes with it.",
         "docs/decisions/0015", ("delta_max", "frozen")),
    Term("placebo",
         "The arm of an augmentation that gives text of the same length and form without its information.",
         "paper, section 4.3"),
    Term("planted",
         "Of a question beside the game that changes nothing in it: one of a few spots that are the same in each phase "
         "and arm, or an earlier decision without what was added to its prompt. Equal prompts should have equal "
         "answers.",
         "docs/scoring.md; docs/decisions/0081", ("planted question", "common spot", "asked again", "exchangeability")),
    Term("way of use",
         "Who stores and searches in a memory: the harness, or the model by tool calls. A matrix never mixes them.",
         "docs/memory.md", ("harness", "tool calls")),
    Term("hypotheses",
         "The claims that the plan declared before the run, each with its test: H1 to H5 are supported or "
         "not, all others are found or not found, which confirms nothing; or not tested.",
         "paper, section 9.5; docs/decisions/0016", ("hypothesis", "H1", "E1")),
)

LEVELS: Final = (
    Term("level",
         "How far a bundle may be believed: V0, V1, V2, V3 or V4. A check that was not made is never counted "
         "as passed.",
         "docs/architecture.md"),
    Term("V0",
         "Claimed: a check failed or could not be made here, so the figures are unverified claims.",
         "docs/architecture.md", ("claimed",)),
    Term("V1",
         "Self-consistent: every prompt, card, move, result and figure follows from the sealed plan, the seed "
         "and the recorded replies. The replies themselves could be invented.",
         "docs/architecture.md", ("self-consistent",)),
    Term("V2",
         "Pre-registered: V1, and the plan was logged in public before its random seed existed; by the trust policy of "
         "whoever verifies.",
         "docs/trust.md", ("registered", "registration", "pre-registered")),
    Term("V3",
         "Replayed: V2, and another party asked the same open weights again for a random sample of games.",
         "docs/trust.md", ("replayed",)),
    Term("V4",
         "Independently executed: V2, and another party executed the whole plan under a seed of its own, with figures "
         "that agree within margins declared before.",
         "docs/trust.md", ("agreement", "TOST")),
    Term("attestation",
         "A signed statement about a bundle by somebody else than its submitter: its games asked again (V3), or its "
         "plan executed again (V4). The reader's trust policy says whose word counts.",
         "docs/trust.md", ("replay attestation",)),
    Term("PASS",
         "A step of verification that was taken and found nothing wrong.",
         "docs/formats/bundle.md"),
    Term("FAIL",
         "A step of verification that found something wrong; each finding names place, expected and found.",
         "docs/formats/bundle.md", ("finding",)),
    Term("NOT CHECKED",
         "A step that could not be taken here, for instance because Stockfish is missing. It is not a pass.",
         "docs/formats/bundle.md"),
)
