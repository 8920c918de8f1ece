"""Writes a report: a folder with a page and its data, or one HTML file. Whole, or not at all."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from ...checks.opened_bundle import Opened
from ...checks.replay_all import on_all_cores
from ...checks.steps import Verdict
from ...core.untrusted_input import show_name
from ...core.waiting import counted
from ...experiment.matches import Match
from ...table.registry import GAMES
from ..games_of_bundle import streams_played
from ..replayed_game import named_seat
from ..text.first_screen import match_words
from ..views import VIEWS
from .figures import parts_of
from .report_page import Contents, page
from .stream_data import Chunk, ChunkGames, StreamGames, chunk, sheet_names

DATA: Final = "data"
INDEX: Final = "index.html"
ONE_FILE: Final = (".html", ".htm")


class Sink(Protocol):
    """Destination of the chunks of a report, and at last of its page."""

    in_sheets: bool

    def add(self, made: Chunk) -> None:
        """Take one chunk."""

    def finish(self, text: str) -> None:
        """Take the page, which is complete but for the chunks."""


class Folder:
    """A page and a style sheet for each part of a chunk."""

    in_sheets = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, made: Chunk) -> None:
        for name, text in sheet_names(made):
            file = self._folder / DATA / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "ascii")

    def finish(self, text: str) -> None:
        (self._folder / INDEX).write_text(text, "utf-8")


class OneFile:
    """A page with its chunks behind it, in elements that do not run. The page stands first, so that it shows first."""

    in_sheets = False

    def __init__(self, folder: Path) -> None:
        self._chunks, self._page = folder / "chunks", folder / INDEX
        self._chunks.touch()

    def add(self, made: Chunk) -> None:
        with self._chunks.open("a", encoding="ascii") as file:
            for number, part in enumerate(made.parts):
                file.write(f'<script type="text/plain" id="{made.name}-{number}">{part}</script>\n')

    def finish(self, text: str) -> None:
        before, end, after = text.rpartition("</body>")
        with self._page.open("wb") as whole, self._chunks.open("rb") as chunks:
            whole.write(before.encode())
            shutil.copyfileobj(chunks, whole)
            whole.write(f"{end}{after}".encode())
        self._chunks.unlink()


def not_writable(out: Path) -> str:
    """The reason why a report cannot be written there; empty where it can."""
    is_free = not out.exists() or (out.is_dir() and out.suffix not in ONE_FILE and not any(out.iterdir()))
    return "" if is_free else f"{show_name(str(out))}: it exists already; name another with --out, or remove it"


def write_report(opened: Opened, verdict: Verdict, out: Path, command: str, jobs: int) -> Path:
    """Write the report of a bundle that was verified, and return its page. Raises OSError, FileExistsError.

    `out`: a file where its name ends as in ONE_FILE, else a folder, which must not hold anything.
    """
    if why := not_writable(out):
        raise FileExistsError(None, why.partition(": ")[2], str(out))
    is_one_file = out.suffix in ONE_FILE
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as name:
        folder = Path(name)
        sink: Sink = OneFile(folder) if is_one_file else Folder(folder)
        site = _site(opened, verdict, sink, jobs)
        sink.finish(page(Contents(verdict, site, command, sink.in_sheets)))
        if is_one_file:
            (folder / INDEX).replace(out)
            return out
        out.mkdir(exist_ok=True)
        for child in folder.iterdir():
            child.replace(out / child.name)
    return out / INDEX


def _site(opened: Opened, verdict: Verdict, sink: Sink, jobs: int) -> dict[str, Any]:
    """Everything that the page's script must know before a game is opened."""
    _, _, manifest = parts_of(verdict)
    matches = []
    for match in manifest.plan.matches:
        blocks = verdict.blocks.get(match.id, [])
        if not blocks:
            continue
        groups = list(_groups(opened, match, sink, jobs))
        index = chunk(f"{match.id}/index", _index(groups))
        sink.add(index)
        game = GAMES[match.game]
        matches.append(
            {
                "id": match.id,
                "words": match_words(manifest, match.id),
                "game": match.game,
                "title": game.title,
                "noun": list(game.result),
                "letter": game.number[0],
                "digits": game.number[1],
                "count": sum(len(block.records) for block in blocks),
                "career": match.stream_results if match.careers else 0,
                "places": list(VIEWS[match.game].places),
                "seats": [named_seat(match.seats, seat_index) for seat_index in range(len(match.seats))],
                "index": index.reference,
            }
        )
    return {"data": DATA if sink.in_sheets else "", "run": verdict.run, "matches": matches}


def _groups(opened: Opened, match: Match, sink: Sink, jobs: int) -> Iterator[ChunkGames]:
    """The groups of a match's games, each given to the sink as soon as it is made."""
    streams = streams_played(opened, match)
    made = on_all_cores(StreamGames(opened), StreamGames.groups, streams, opened.workers(jobs))
    for groups in counted(f"streams of {match.id}", made, len(streams)):
        for group in groups:
            sink.add(group.chunk)
            yield group


def _index(groups: Sequence[ChunkGames]) -> dict[str, Any]:
    """The list of a match's games in columns, and the chunk of each.

    `unusable` has the games with unusable answers alone, by their number.
    """
    listed = [game for group in groups for game in group.games]
    endings = list(dict.fromkeys(game.ending for game in listed))
    return {
        "won": "".join(game.won for game in listed),
        "endings": endings,
        "ending": [endings.index(game.ending) for game in listed],
        "length": [game.length for game in listed],
        "place": [game.place for game in listed],
        "amount": [game.amount for game in listed],
        "thumbnails": [game.thumbnail for game in listed],
        "unusable": {str(number): game.unusable for number, game in enumerate(listed) if game.unusable},
        "groups": [[group.first, len(group.games), group.chunk.reference] for group in groups],
    }
