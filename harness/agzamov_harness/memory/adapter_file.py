"""Adapters: what a memory system declares of itself, and how it is spoken to. One YAML file each, no code.

An adapter is data: templates say what a tool is called with, expressions say what is read out of its result (JMESPath
for structured results, regular expressions with named groups for prose). docs/add-a-memory.md explains one. In a
template `${name}` stands for a value; a text that is one variable and nothing else becomes its value, a number too.

In a plan's file `server` is a built-in server, the name of an adapter that comes with this program, or the path of an
adapter's file from the plan's folder. What is sealed has the adapter beside it, in canonical JSON.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import jmespath
import msgspec
from jmespath.exceptions import JMESPathError

from agzamov_verify.core import canon
from agzamov_verify.memory.built_in_servers import SERVERS
from agzamov_verify.memory.declared_server import MODELS_URL, Adapter, Variant, names_a_file
from agzamov_verify.memory.native_tools import Effect
from agzamov_verify.memory.tool_effects import effect_of
from agzamov_verify.plan.manifest import ManifestError, located

from ..foundation.checked_yaml import load_yaml, read_limited, require_schema
from .http_launch import CAREER, PORT, launch_problems
from .reading_problems import reading_problems

VARIABLE = re.compile(r"\$\{([A-Za-z_]+)\}")


def variables(template: Any) -> frozenset[str]:
    """Names of all variables in a template."""
    match template:
        case str():
            return frozenset(VARIABLE.findall(template))
        case dict():
            return frozenset().union(*map(variables, template.values()), *map(variables, template))
        case list() | tuple():
            return frozenset().union(*map(variables, template))
        case _:
            return frozenset()


def filled(template: Any, values: Mapping[str, str | int]) -> Any:
    """The template with every variable filled in, once: filled-in values are not expanded again."""
    match template:
        case str():
            whole = VARIABLE.fullmatch(template)
            return values[whole[1]] if whole else VARIABLE.sub(lambda found: str(values[found[1]]), template)
        case dict():
            return {filled(key, values): filled(value, values) for key, value in template.items()}
        case list() | tuple():
            return [filled(value, values) for value in template]
        case _:
            return template


ADAPTERS: Final = Path(__file__).parent / "adapters"
BUILT_IN: Final = ADAPTERS / "builtin.yaml"
PAGE_ENTRIES_MAX = 200

LAUNCH_VARIABLES = frozenset({"DATA", "HERE", "HOME", "INSTALLED", MODELS_URL, "PYTHON", "SYSTEM"})
STORE_VARIABLES = frozenset({"entry", "content", "kind", "number", "game"})
SEARCH_VARIABLES = frozenset({"query", "limit", "number", "game"})
END_GAME_VARIABLES = frozenset({"number", "game"})
EXPORT_VARIABLES = frozenset({"offset", "page", "page_entries"})
FETCH_VARIABLES = frozenset({"id", "entry"})
NO_EXPRESSIONS = frozenset(
    {"tool", "args", "answer", "files", "in_order", "query_words", "gives", "ellipsis", "absent"}
)
"""Keys of an adapter's parts that hold no expression."""
NO_EXPORT: Final = "none"
"""In an adapter's file, the export of a server that has no tool which gives every entry."""


class DeclaredSystem(msgspec.Struct, frozen=True):
    """A memory system by its name, and the adapter that speaks to it.

    `here`: the folder of the adapter's file. `sha256`: the digest of the adapter in canonical JSON. `file`: what a
    person types for it, where the adapter does not come with this program.
    """

    name: str
    adapter: Adapter
    variant: Variant
    here: Path = ADAPTERS
    sha256: str = ""
    file: str = ""

    @property
    def typed(self) -> str:
        """The word by which a person names it in a command."""
        return self.file or self.name


def systems() -> dict[str, DeclaredSystem]:
    """Every system of the adapters that come with this program by name, the built-in ones first."""
    others = sorted(path for path in ADAPTERS.glob("*.yaml") if path != BUILT_IN)
    return {system.name: system for path in (BUILT_IN, *others) for system in read_systems(path)}


def system_of(name: str) -> DeclaredSystem:
    """The system of that name, or the one of an adapter's file. Raises ManifestError."""
    if names_a_file(name):
        found = read_systems(Path(name))
        if len(found) != 1:
            raise ManifestError(f"{name}: expected the adapter of one system, found {len(found)} systems")
        return found[0]
    known = systems()
    if name not in known:
        raise ManifestError(f"expected a memory system, found {name!a}; known are {', '.join(known)}")
    return known[name]


def read_systems(path: Path, folder: Path | None = None) -> list[DeclaredSystem]:
    """The systems of one adapter's file, where a folder is given only of one below it: what a stranger's plan names is
    sealed and published, and a part of it told in errors.

    Raises ManifestError with the file and the key's path in each line.
    """
    try:
        text = read_limited(path, folder)
        adapter = adapter_from_yaml(text)
    except ManifestError as error:
        lines = (line.removeprefix(f"{path}: ") for line in str(error).splitlines())
        raise ManifestError("\n".join(f"{path}: {line}" for line in lines)) from error
    variants = adapter.systems or {path.stem: _alone(adapter)}
    here, file = path.parent.absolute(), "" if path.parent == ADAPTERS else str(path)
    sha256 = hashlib.sha256(sealed_text(adapter).encode()).hexdigest()
    return [DeclaredSystem(name, adapter, variant, here, sha256, file) for name, variant in variants.items()]


def sealed_text(adapter: Adapter) -> str:
    """An adapter in canonical JSON, every default written out, as a sealed plan holds it."""
    return canon.dumps(adapter).decode()


def sealed_system(server: str, text: str, plan_folder: Path) -> DeclaredSystem:
    """The system whose adapter a sealed plan holds: its file says where it stood alone. Raises ManifestError."""
    try:
        adapter = msgspec.json.decode(text.encode(), type=Adapter)
    except msgspec.MsgspecError as error:
        raise ManifestError(f"{server}: expected a sealed adapter, found {error}") from error
    if wrong := list(_problems(adapter)):
        raise ManifestError("\n".join(f"{server}: {line}" for line in wrong))
    path = plan_folder / server
    here, file = (path.parent.absolute(), str(path)) if names_a_file(path.name) else (ADAPTERS, "")
    name = path.stem if file else server
    return DeclaredSystem(name, adapter, _alone(adapter), here, hashlib.sha256(text.encode()).hexdigest(), file)


def _alone(adapter: Adapter) -> Variant:
    """The one system of an adapter that does not name several."""
    return Variant(adapter.about, adapter.traits.query, tuple(adapter.launch.options))


def adapter_from_yaml(text: bytes) -> Adapter:
    """The adapter that YAML text spells, checked. Raises ManifestError."""
    wished = load_yaml(text, "adapter")
    if isinstance(wished, dict) and wished.get("export") == NO_EXPORT:
        wished = {**wished, "export": {"absent": True}}
    require_schema(wished, _schema(), "adapter")
    try:
        adapter = msgspec.convert(wished, Adapter)
        canon.dumps(adapter)
    except msgspec.ValidationError as error:
        raise ManifestError(located(error)) from error
    except canon.NotCanonical as error:
        raise ManifestError(str(error).removeprefix("$.")) from error
    if wrong := list(_problems(adapter)):
        raise ManifestError("\n".join(wrong))
    return adapter


def _schema() -> Mapping[str, Any]:
    """JSON Schema of an adapter, whose parts say of each problem where it stands."""
    (schema,), parts = msgspec.json.schema_components([Adapter], ref_template="#/$defs/{name}")
    return {**schema, "$defs": parts}


def _problems(adapter: Adapter) -> Iterator[str]:
    yield from launch_problems(adapter)
    yield from _template_problems(adapter)
    for name in ("describe", "store", "search", "fetch", "end_game", "export"):
        part = getattr(adapter, name)
        for field in part.__struct_fields__:
            value = getattr(part, field)
            if field not in NO_EXPRESSIONS and value:
                yield from _expression_problem(f"{name}.{field}", value)
    yield from reading_problems(adapter)
    yield from _native_problems(adapter)
    yield from _place_problems(adapter)


def _place_problems(adapter: Adapter) -> Iterator[str]:
    """Places outside of the server's own folder."""
    places = [("launch.links", link) for link in adapter.launch.links]
    for key, place in (*places, ("export.files", adapter.export.files)):
        if Path(place).is_absolute() or ".." in Path(place).parts:
            yield f"{key}: expected a place below the server's own folder, found {place!a}"


def _native_problems(adapter: Adapter) -> Iterator[str]:
    """Tools that no model may be offered, and those that are offered twice."""
    for index, name in enumerate(adapter.native):
        place = f"native[{index}]"
        if name in adapter.reserved:
            yield f"{place}: expected a tool for single entries, found {name}, which no model is offered"
        if name in adapter.native[:index]:
            yield f"{place}: expected each tool once, found {name} twice"
    effect, text = effect_of(adapter.search.tool, adapter.store, adapter.search)
    if adapter.search.tool not in adapter.native or effect is not Effect.SEARCHES:
        return
    for name, value in adapter.search.args.items():
        if name != text and "query" in variables({name: value}):
            yield (
                f"search.args.{name}: expected ${{query}} in {text} alone, found it here too; native offers"
                f" {adapter.search.tool}, whose query the model writes once"
            )


def _template_problems(adapter: Adapter) -> Iterator[str]:
    """Variables that nothing fills in."""
    launch = [adapter.launch.command, adapter.launch.args, adapter.launch.env, adapter.launch.links]
    port = frozenset(() if adapter.launch.runs_already else {PORT})
    career = frozenset({CAREER} if adapter.launch.runs_already else ())
    given: list[tuple[str, Any, frozenset[str]]] = [
        ("launch", launch, LAUNCH_VARIABLES | port),
        ("launch.url", adapter.launch.url, port),
        ("store.args", adapter.store.args, STORE_VARIABLES | career),
        ("search.args", adapter.search.args, SEARCH_VARIABLES | career),
        ("fetch.args", adapter.fetch.args, FETCH_VARIABLES | career),
        ("end_game.args", adapter.end_game.args, END_GAME_VARIABLES | career),
        ("export.args", adapter.export.args, EXPORT_VARIABLES | career),
        *((f"first[{number}].args", call.args, career) for number, call in enumerate(adapter.first)),
    ]
    for place, template, known in given:
        for name in sorted(variables(template) - known):
            wanted = f"one of {', '.join(sorted(known))}" if known else "no variable"
            yield f"{place}: expected {wanted}, found ${{{name}}}"


def _expression_problem(place: str, value: str) -> Iterator[str]:
    """An expression that cannot be parsed: `…_text` is a regular expression, the others are JMESPath."""
    try:
        if place.endswith("_text"):
            re.compile(value)
        else:
            jmespath.compile(value)
    except re.error as error:
        yield f"{place}: expected a regular expression, found {value!a} ({error})"
    except JMESPathError as error:
        yield f"{place}: expected a JMESPath expression, found {value!a} ({str(error).splitlines()[0]})"


def with_adapters(wished: object, folder: Path) -> object:
    """The plain values of a plan, with the adapter of each server from outside written out. Raises ManifestError."""
    if not isinstance(wished, dict) or not isinstance(wished.get("systems"), dict):
        return wished
    systems = {name: _with_adapter(name, system, folder) for name, system in wished["systems"].items()}
    return {**wished, "systems": systems}


def _with_adapter(name: str, system: object, folder: Path) -> object:
    if not isinstance(system, dict) or system.get("kind") != "memory" or "adapter" in system:
        return system
    server = system.get("server")
    path = _file_of(server, folder) if isinstance(server, str) else None
    if path is None or not isinstance(server, str):
        return system
    place = f"systems.{name}.server"
    try:
        found = read_systems(path, folder if names_a_file(server) else None)
    except ManifestError as error:
        raise ManifestError("\n".join(f"{place}: {line}" for line in str(error).splitlines())) from error
    if not found or found[0].adapter.systems:
        raise ManifestError(f"{place}: {path}: expected the adapter of one system, without the key systems")
    return {**system, "adapter": sealed_text(found[0].adapter)}


def _file_of(server: str, folder: Path) -> Path | None:
    """The file of a server's adapter; None for a server that is built in or unknown."""
    if server in SERVERS:
        return None
    if names_a_file(server):
        return folder / server
    ours = {path.stem: path for path in ADAPTERS.glob("*.yaml") if path != BUILT_IN}
    return ours.get(server)
