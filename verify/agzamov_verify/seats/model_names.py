"""Whether a server's name of a model is the plan's, spelled as providers are known to spell it.

    gpt-4o              gpt-4o-2024-08-06          a dated snapshot of the name that was asked for
    mistral-large-latest   mistral-large-2411      the same of the newest one
    llama3.2            llama3.2:latest            Ollama's tag of a model without a tag
    gpt-4o              openai/gpt-4o              a vendor before the name (OpenRouter, Google's models/…)
    smollm2-135m        models/smollm2-135m.gguf   a file of llama.cpp
    deepseek-r1:nitro   deepseek-r1                OpenRouter's choice of a provider

Another tag, size or version is another model.
"""

import re
from typing import Final

SNAPSHOT: Final = re.compile(r"(?P<name>.+?)[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{2}-\d{4}|\d{2}-\d{2}|\d{3,4})")
NEWEST: Final = ("-latest", ":latest")
ROUTES: Final = (":free", ":nitro", ":floor", ":online", ":exacto")
WEIGHTS: Final = ".gguf"


def is_same_model(asked: str, served: str) -> bool:
    """Whether `served` is the name `asked`, or a server's usual spelling of it."""
    if asked == served:
        return True
    ours, theirs = asked.casefold(), served.casefold()
    if "/" not in ours or "/" not in theirs:  # two vendors' models of one name are two
        ours, theirs = (name.rpartition("/")[2] for name in (ours, theirs))
    ours, theirs = _bare(ours), _bare(theirs)
    snapshot = SNAPSHOT.fullmatch(theirs)
    return ours == theirs or (snapshot is not None and snapshot["name"] == ours)


def _bare(name: str) -> str:
    """A name without the words that only say where its newest weights are found."""
    for ending in (WEIGHTS, *ROUTES, *NEWEST):
        name = name.removesuffix(ending)
    return name
