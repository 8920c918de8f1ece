"""What is told of a server that ended: the lines that say why, and no file that went with its folder."""

import re

from agzamov_harness.memory.launch import fresh_folder
from agzamov_harness.memory.stderr_words import last_words, telling_lines

NPM = """npm error code E404
npm error 404 Not Found - GET https://registry.example/my-memory-server - Not found
npm error 404
npm error 404  'my-memory-server@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm notice
npm notice New major version of npm available! 10.8.2 -> 11.6.2
npm notice Changelog: https://github.com/npm/cli/releases/tag/v11.6.2
npm notice To update run: npm install -g npm@11.6.2
npm notice
npm error A complete log of this run can be found in: {home}/.npm/_logs/2026-11-28T06_00_00_000Z-debug-0.log
"""
"""As npm 10 prints it."""


def test_an_error_is_told_and_no_notice_and_no_file_that_is_gone() -> None:
    with fresh_folder(None) as folder:
        printed = NPM.replace("{home}", str(folder.home))
    lines = telling_lines(printed)
    assert lines[:2] == printed.splitlines()[:2]
    assert not re.search(r"notice|_logs|agzamov-memory", " ".join(lines))
    words = last_words(printed)
    assert words.startswith('; its error on stderr is "npm error code E404; npm error 404 Not Found - GET ')
    assert "_logs" not in words


def test_a_traceback_is_told_by_its_last_line_and_its_places_by_variables() -> None:
    with fresh_folder(None) as folder:
        printed = f'Traceback (most recent call last):\n  File "{folder.program}/server.py", line 3, in <module>\n'
    printed += "    raise Weird(1)\nlib.Weird: 1\n"
    assert telling_lines(printed)[1] == '  File "${HERE}/server.py", line 3, in <module>'
    assert last_words(printed) == "; its last line on stderr is 'lib.Weird: 1'"
    printed = printed.replace("lib.Weird: 1", "KeyError: 'notes'")
    assert telling_lines(printed)[-1] == "KeyError: 'notes'"
    assert last_words(printed) == """; its last line on stderr is "KeyError: 'notes'\""""


def test_an_error_before_words_of_no_use_is_found_and_silence_is_told_as_nothing() -> None:
    printed = "Error: Cannot find module 'left'\n    at Module.resolve (node:internal:1)\n\nNode.js v20.1.0\n"
    assert telling_lines(printed)[::2] == ["Error: Cannot find module 'left'", "Node.js v20.1.0"]
    assert last_words(printed) == """; its error on stderr is "Error: Cannot find module 'left'\""""
    assert telling_lines(printed + "info: bye\n" * 9) == telling_lines(printed)
    assert telling_lines("Error: first\n" + "".join(f"at {n}\n" for n in range(9))) == ["Error: first"]
    assert telling_lines("one\n\ntwo\n") == ["one", "two"]
    assert telling_lines("info: bye\n") == ["info: bye"]
    assert (telling_lines("\n"), last_words("\n")) == ([], "")


def test_a_log_that_is_kept_is_not_taken_for_one_that_is_gone() -> None:
    printed = "error: see /tmp/agzamov-memory-logs-abcd1234/memory.log\n"
    assert telling_lines(printed) == [printed.strip()]


def test_what_a_server_prints_to_hold_up_its_reader_is_looked_at_in_part() -> None:
    """Without limits each of these took minutes."""
    for printed in ("/" * 2**20, "${DATA}" * 2**17, "a\n" * 2**19, "error" * 2**18):
        assert len(telling_lines(printed)) <= 5
        assert len(last_words(f"{printed}\nerror: the end\n")) < 500
