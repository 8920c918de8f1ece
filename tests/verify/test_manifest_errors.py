"""What a bad manifest is answered with: the key's path first, in bounded time and length."""

import msgspec
import pytest

from agzamov_verify.core.limits import ERROR_MESSAGE_CHARACTERS_MAX
from agzamov_verify.plan.manifest import Manifest, Plan, located


def message(data: bytes, kind: type[object]) -> str:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(data, type=kind)
    return located(caught.value)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"title":"x","seats":{},"matches":"none"}', "matches: expected `array`, got `str`"),
        (b"[]", "expected `object`, got `array`"),
        (b'{"title":"x","seats":{},"matches":[],"speed":1}', "object contains unknown field `speed`"),
        (
            b'{"title":"x","seats":{"agent":{"kind":"random","speed":1}},"matches":[]}',
            "seats[...]: object contains unknown field `speed`",
        ),
        (b'{"title":"x","seats":{"A":{"kind":"random"}},"matches":[]}', "seats: expected `str` matching regex "),
    ],
)
def test_the_path_of_the_key_stands_in_front(data: bytes, expected: str) -> None:
    assert message(data, Plan).startswith(expected)


def test_a_key_that_spells_a_path_does_not_move_the_fault() -> None:
    data = b'{"title":"x","seats":{"agent":{"kind":"random"," - at `$.title`":1}},"matches":[]}'
    assert message(data, Plan) == "seats[...]: object contains unknown field ` - at `$.title``"


@pytest.mark.parametrize("key", [" - at `" * 150_000, " - at `key in $" * 60_000, "\\u0020" * 100_000])
def test_a_megabyte_of_a_key_is_answered_at_once_and_in_one_line(key: str) -> None:
    """Under a pattern that starts over at every " - at `", a tenth of this took minutes."""
    told = message(f'{{"{key}":1}}'.encode(), Manifest)
    assert told.startswith("object contains unknown field `")
    assert len(told) <= ERROR_MESSAGE_CHARACTERS_MAX
