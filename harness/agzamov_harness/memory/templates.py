"""Templates of an adapter: plain values with `${name}` for a value to fill in.

A text that is one variable and nothing else becomes its value, a number too; in a longer text the value is spelled.
"""

import re
from collections.abc import Mapping
from typing import Any

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
