"""A plan's file: YAML to a checked plan, with the documents and adapters that it names; and its small profile.

Every error is one line with the key's path. Documents of one's own are read with the plan, which then holds them whole.

The small profile is the same design in few games between scripted players, in minutes and free of cost: every model is
the reference player; matches, shifts and games are as small as each game's folder says (`small_match`, `small_rules`);
tools and the engine search few nodes; what a model would do by tool calls the harness does; a memory that needs more
than `make install` has a stand-in. The robustness check is left out: a scripted player has no temperature. Nothing of
it complies with the protocol, and its report says where."""

import os
import re
from codecs import BOM_UTF8
from collections.abc import Collection, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from agzamov_verify.core import canon
from agzamov_verify.documents.library import CHARACTERS_MAX, PATH, names_a_folder
from agzamov_verify.experiment.analysis_plan import AnalysisPlan
from agzamov_verify.experiment.matches import Match
from agzamov_verify.experiment.people_settings import PeopleSettings
from agzamov_verify.memory.built_in_servers import SERVERS
from agzamov_verify.plan.manifest import (
    Budget,
    Engine,
    ManifestError,
    Plan,
    Quality,
    located,
)
from agzamov_verify.plan.people_study import is_study, settings_of
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.plan.schema import OF_NO_PROTOCOL, plan_schema
from agzamov_verify.protocols import CURRENT, PROTOCOLS, is_draft
from agzamov_verify.protocols.document_shape import OutsideShape, spelled
from agzamov_verify.seats import ReferenceSeat, Seat
from agzamov_verify.systems import FullSystem, MemoryAndToolsSystem, System
from agzamov_verify.table.registry import GAMES

from ..foundation.checked_yaml import YAML_SUFFIXES, load_yaml, read_limited, require_schema
from ..foundation.files_below import opened_below, require_below
from ..memory.adapter_file import with_adapters

NAMED_MAX: Final = 5
"""Files of a folder that an error names."""


def with_documents(wished: object, folder: Path) -> object:
    """The plain values of a plan in a folder, with the texts of each folder of documents that it names.

    Raises ManifestError with the key's path.
    """
    if not isinstance(wished, dict) or not isinstance(wished.get("systems"), dict):
        return wished
    protocol = wished.get("protocol", CURRENT)
    known = isinstance(protocol, str) and protocol in PROTOCOLS  # another is refused later, with its key
    games = PROTOCOLS[protocol if known else CURRENT].games
    systems = {
        name: _with_texts(f"systems.{name}", system, folder, games) for name, system in wished["systems"].items()
    }
    return {**wished, "systems": systems}


def _with_texts(place: str, system: object, folder: Path, games: Collection[str]) -> object:
    """A system with its texts of these games; as it is where it names no folder, or the schema refuses its name."""
    if not isinstance(system, dict) or system.get("kind") != "rag":
        return system
    documents = system.get("documents")
    if not isinstance(documents, str) or not names_a_folder(documents) or not re.fullmatch(PATH, documents):
        return system
    if system.get("texts"):
        raise ManifestError(f"{place}.texts: expected none: the texts are read from {documents}")
    try:
        return {**system, "texts": _texts(folder, documents, games)}
    except OSError as error:
        raise ManifestError(f"{place}.documents: {folder / documents}: {error.strerror}") from error
    except ManifestError as error:
        raise ManifestError(f"{place}.documents: {error}") from error


def _texts(plan_folder: Path, documents: str, games: Collection[str]) -> dict[str, str]:
    """The texts of these games in a folder below that of the plan, by game.

    Raises OSError, and ManifestError for none, for a wrong one, and for a link that leads out of the plan's folder:
    what a stranger's plan names is sealed and published.
    """
    folder = plan_folder / documents
    require_below(folder, plan_folder)
    if not folder.is_dir():
        raise ManifestError(f"{folder}: expected a folder below that of the plan, found none")
    paths = {game: folder / f"{game}.txt" for game in GAMES if game in games}
    texts = {game: _read(path, plan_folder) for game, path in paths.items() if os.path.lexists(path)}
    if not texts:
        expected = " or ".join(path.name for path in paths.values())
        found = ", ".join(islice(sorted(path.name for path in folder.iterdir()), NAMED_MAX))
        raise ManifestError(f"{folder}: expected {expected}, found {found or 'nothing'}")
    return texts


def _read(path: Path, plan_folder: Path) -> str:
    """A text, its lines ended by line feeds, without spaces before them."""
    with opened_below(path, plan_folder) as file:
        data = file.read(CHARACTERS_MAX + 1).removeprefix(BOM_UTF8)
    if len(data) > CHARACTERS_MAX:
        raise ManifestError(f"{path}: expected at most {CHARACTERS_MAX:,} characters, found more")
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ManifestError(
            f"{path}: expected plain ASCII text, found byte {data[error.start]:#04x} in line {line}"
        ) from error
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


SUFFIX: Final = " (small)"
STAND_IN: Final = "_stand_in"
TITLE_CHARACTERS_MAX: Final = 200
NODES_MAX: Final = 1_000
STUDY_GAMES_MAX: Final = 4
"""Of the small profile of a study with people: games of each person in each arm."""


def small(plan: Plan) -> Plan:
    """The small profile of a plan. Raises ManifestError where it cannot be played."""
    repeats = plan.repeats
    matches = tuple(_match(match, plan) for match in plan.matches if match.measured not in repeats)
    named = {name for match in matches for name in match.seats}
    games = PROTOCOLS[plan.protocol].games
    rules = {name: GAMES[name].small_rules(plan.rules_of(name)) for name in games}
    analysis = msgspec.structs.replace(plan.analysis, sequential=AnalysisPlan().sequential)
    names = _small_names(plan)
    made = msgspec.structs.replace(
        plan,
        title=plan.title[: TITLE_CHARACTERS_MAX - len(SUFFIX)] + SUFFIX,
        seats={name: _seat(seat) for name, seat in plan.seats.items() if name in named},
        matches=tuple(match.with_systems(names) for match in matches),
        systems={names[name]: _with_parts(system.small(), names) for name, system in plan.systems.items()},
        engine=Engine(plan.engine.hash_mib, min(plan.engine.nodes, NODES_MAX)),
        quality=Quality(min(plan.quality.nodes, NODES_MAX)),
        prices={},
        budget=Budget(),
        people=_small_settings(plan),
        analysis=analysis,
        **rules,
    )
    if wrong := problems(made):
        raise ManifestError("\n".join(f"its small profile cannot be played: {problem}" for problem in wrong))
    return made


def _small_settings(plan: Plan) -> PeopleSettings | msgspec.UnsetType:
    """The settings of a study whose people are scripted players, who need not wait; none of another plan."""
    return msgspec.structs.replace(settings_of(plan), hold=None) if is_study(plan) else msgspec.UNSET


def _small_names(plan: Plan) -> dict[str, str]:
    """The systems' names in the small profile: one with a stand-in that is named for its own server has another."""
    changed = {name for name, system in plan.systems.items() if system.small().server_named != system.server_named}
    return {name: f"{name}{STAND_IN}" if name in changed & SERVERS.keys() else name for name in plan.systems}


def _with_parts(system: System, names: Mapping[str, str]) -> System:
    """A full stack whose parts have these names; any other system as it is."""
    if not isinstance(system, FullSystem | MemoryAndToolsSystem):
        return system
    return msgspec.structs.replace(system, memory=names.get(system.memory, system.memory))


def _match(match: Match, plan: Plan) -> Match:
    """A match in its small size, its shifts at the same parts of it."""
    made: Match = GAMES[match.game].small_match(match, plan.rules_of(match.game))
    if is_study(plan):  # each person plays as much in each arm
        made = msgspec.structs.replace(match, games=min(match.planned, STUDY_GAMES_MAX))
    course, small_course = (one.planned // max(1, one.careers) for one in (match, made))
    shifts = tuple(
        msgspec.structs.replace(shift, after=max(1, shift.after * small_course // course)) for shift in match.shifts
    )
    return msgspec.structs.replace(made, shifts=shifts)


def _seat(seat: Seat) -> Seat:
    """The reference player in the place of a model or a person; it keeps their patterns, and reads their briefing."""
    return ReferenceSeat(seat.patterns, seat.briefing) if seat.is_model or seat.is_person else seat


PLAN = "plan"
DRAFT_HINT: Final = "; in a clone `make schema` adds what is new to the formats of drafts"


DECIMAL_KEYS = frozenset(
    {"temperature", "top_p", "input_usd", "cached_usd", "output_usd", "cost_usd_max", "alpha", "of_interest"}
)


class PlanFile(NamedTuple):
    """A plan that is to be sealed, and the folder of its file, from which the paths in it are meant."""

    plan: Plan
    folder: Path


def read_plan(path: Path) -> Plan:
    """The plan in a YAML file, checked. Raises ManifestError with the file and the key's path in each line."""
    text = read_limited(path)
    try:
        return plan_from_yaml(text, path.parent)
    except ManifestError as error:
        lines = str(error).splitlines()
        if path.suffix not in YAML_SUFFIXES:
            lines = [f"expected a plan in YAML, begin from one in manifests/; {lines[0]}"]
        raise ManifestError("\n".join(f"{path}: {line}" for line in lines)) from error


def plan_from_yaml(text: bytes, folder: Path) -> Plan:
    """The plan that YAML text in a folder spells, checked, with the adapters and the documents that it names.

    Raises ManifestError with the key's path.
    """
    return plan_from(with_documents(with_adapters(load_yaml(text, PLAN), folder), folder))


def plan_from(wished: object) -> Plan:
    """A plan from plain values. Raises ManifestError."""
    wished = _decimals_as_text(wished)
    _require_of_a_protocol(wished)
    require_schema(wished, plan_schema(), PLAN)
    try:
        plan = msgspec.convert(wished, Plan)
        canon.dumps(plan)
    except msgspec.ValidationError as error:
        raise ManifestError(located(error)) from error
    except canon.NotCanonical as error:
        raise ManifestError(str(error).removeprefix("$.")) from error
    if wrong := dict.fromkeys(map(str, problems(plan))):
        raise ManifestError("\n".join(wrong))
    try:
        spelled(plan, PROTOCOLS[plan.protocol].formats.manifest, PLAN)
    except OutsideShape as error:
        hint = DRAFT_HINT if is_draft(plan.protocol) else ""
        raise ManifestError(f"{str(error).removeprefix('plan.')} ({plan.protocol}){hint}") from error
    return plan


def _require_of_a_protocol(wished: object) -> None:
    """Raises ManifestError for a game that is there and that no protocol has, so that no plan may name it yet."""
    matches = wished.get("matches") if isinstance(wished, dict) else None
    for index, match in enumerate(matches if isinstance(matches, list) else ()):
        game = match.get("game") if isinstance(match, dict) else None
        if isinstance(game, str) and game in OF_NO_PROTOCOL:
            raise ManifestError(f"matches[{index}].game: expected a game of a protocol; no protocol has {game} yet")


def _decimals_as_text(value: Any, key: str = "") -> Any:
    """A person may write `temperature: 0`; a sealed decimal is text."""
    if isinstance(value, dict):
        return {name: _decimals_as_text(inner, str(name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [_decimals_as_text(inner) for inner in value]
    return str(value) if key in DECIMAL_KEYS and type(value) is int else value
