"""A person at the table. The name of the seat is the person's pseudonym; nothing else that is personal has a key here.

What a person declares (a rating, years of play) is their own word. A run asks for no move before the person has read
and accepted the page of consent, whose text is sealed with the plan.
"""

import hashlib
from collections.abc import Iterator
from typing import Annotated, ClassVar, Final

from msgspec import Meta

from ..experiment.plan_fields import Line, Problem
from .seat import Seat

RATING_MAX: Final = 4_000
YEARS_MAX: Final = 120
DIGEST_SHOWN: Final = 12

CONSENT: Final = """\
You are about to play games against a computer program.

What is recorded: your moves, when you made each of them, the name under which you sit at this table, and what is \
written beside it here. Your moves and their times go into a signed result that may be published. Once it is \
published it cannot be taken back.

What is not recorded: your real name, your address, your browser. If others could know you by the name of your seat, \
ask for another one before you play.

You may stop at any time, without a reason: close this page. As long as no result was made of your games, whoever \
invited you can delete them; ask for it.

You are not told more about your opponent than this page shows, and you should not use an engine or ask anybody for \
help, unless whoever invited you says otherwise."""
"""The page of consent where a plan has none of its own. A study writes its own, as its ethics board wants it."""


class HumanSeat(Seat, frozen=True, tag="human"):
    """A person, who plays in a browser (docs/people.md).

    `rating`: a rating that the person declares, on the list `rating_list`; 0 for none. `years_of_play`: declared as
    well; 0 for not declared. `consent`: the text that is accepted before the first move.
    """

    rating: Annotated[int, Meta(ge=0, le=RATING_MAX, description="a rating that the person declares; 0: none")] = 0
    rating_list: Line = ""
    years_of_play: Annotated[int, Meta(ge=0, le=YEARS_MAX, description="as declared; 0: not declared")] = 0
    consent: Annotated[str, Meta(min_length=1, max_length=20_000)] = CONSENT

    is_person: ClassVar[bool] = True

    def problems(self, path: str) -> Iterator[Problem]:
        if self.patterns or self.briefing:
            yield Problem(path, "expected no patterns and no briefing: a person is told nothing beside the game")
        if bool(self.rating) != bool(self.rating_list):
            yield Problem(path, "expected rating and rating_list together: a rating says nothing without its list")
        if not self.consent.strip():
            yield Problem(f"{path}.consent", "expected the text that a person accepts before the first move")

    def isolation_problems(self, path: str, isolation: str) -> Iterator[Problem]:
        if isolation != "process":
            yield Problem(path, "expected isolation: process: a page for a person is not served out of a container")

    @property
    def consent_sha256(self) -> str:
        """SHA-256 of the page of consent."""
        return hashlib.sha256(self.consent.encode()).hexdigest()

    @property
    def declared(self) -> str:
        """What the person declares, in words; empty for nothing."""
        years = f"{self.years_of_play} year{'' if self.years_of_play == 1 else 's'} of play"
        rated = f"rating {self.rating} ({self.rating_list})"
        return ", ".join([*([rated] if self.rating else []), *([years] if self.years_of_play else [])])

    @property
    def kind_words(self) -> str:
        return "person"

    def words(self, weights_sha256: str) -> str:
        declared = f"declares: {self.declared}" if self.declared else "declares nothing"
        page = f"page of consent, sha256 {self.consent_sha256[:DIGEST_SHOWN]}.."
        return f"a person in a browser, who {declared}; who it was and every move are attested; {page}"
