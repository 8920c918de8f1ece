"""Length limits of what is read one line or one message at a time: files of a bundle, an engine, a declared action.

A longer line of a file is refused before it is decoded, a longer one of an engine or a reply is cut. Limits of a reply,
its tool calls and an answer of a memory stand beside the questions, in `core.questions`; those of a whole file in
`core.untrusted_input`. What a text of a prompt may hold is in the module that writes it.
"""

from typing import Final

JOURNAL_LINE_BYTES_MAX: Final = 2**20
"""One entry: a reply of 100,000 characters, each of at most 6 bytes in JSON, fits."""
JOURNAL_SEGMENT_BYTES_MAX: Final = 64 * 2**20
"""One file of a journal, uncompressed: few files for a long stream, and one fits into memory."""
CALL_LINE_BYTES_MAX: Final = 4096
"""One row of the call records: a few numbers, and words of a server of at most 300 characters."""
EVALUATION_LINE_BYTES_MAX: Final = 300
"""One judged move: a position's number, two moves and two scores."""
ENGINE_LINE_BYTES_MAX: Final = 2**16
"""One line of a UCI engine: an expected line of moves is the longest."""
DECLARATION_CHARACTERS_MAX: Final = 200
"""One line of a reply that can declare something; no action takes as many."""
ERROR_MESSAGE_CHARACTERS_MAX: Final = 400
"""One message of a plan's or manifest's error, which may quote what was found."""
