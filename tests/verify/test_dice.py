"""The dice against RFC 5869's vectors, the openssl program, the cryptography library and statistics."""

import re
import subprocess
from collections import Counter
from itertools import permutations

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agzamov_verify.core.dice import WORD, Dice, Stream, hkdf_sha256, seed_root

ROOT = bytes(range(32))
P_MIN = 0.001  # the draws are fixed, so a pass today is a pass for ever

RFC_5869 = {
    "A.1": (
        "0b" * 22,
        bytes(range(0x0D)).hex(),
        bytes(range(0xF0, 0xFA)).hex(),
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    ),
    "A.2": (
        bytes(range(0x50)).hex(),
        bytes(range(0x60, 0xB0)).hex(),
        bytes(range(0xB0, 0x100)).hex(),
        (
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
            "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
    ),
    "A.3": (
        "0b" * 22,
        "",
        "",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
    ),
}


@pytest.mark.parametrize(("ikm", "salt", "info", "okm"), RFC_5869.values(), ids=RFC_5869.keys())
def test_hkdf_gives_the_vectors_of_rfc_5869(ikm: str, salt: str, info: str, okm: str) -> None:
    output = hkdf_sha256(bytes.fromhex(ikm), bytes.fromhex(salt), bytes.fromhex(info), len(okm) // 2)
    assert okm == output.hex()


@given(st.binary(max_size=80), st.binary(max_size=80), st.binary(max_size=80), st.integers(1, 200))
def test_hkdf_agrees_with_the_cryptography_library(ikm: bytes, salt: bytes, info: bytes, length: int) -> None:
    assert HKDF(SHA256(), length, salt, info).derive(ikm) == hkdf_sha256(ikm, salt, info, length)


def openssl(*arguments: str, data: bytes = b"") -> bytes:
    """The bytes in the last run of hexadecimal digits that the openssl program prints."""
    run = subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True)
    return bytes.fromhex(re.findall(r"[0-9A-Fa-f:]{64,}", run.stdout.decode())[-1].replace(":", ""))


def openssl_hmac(key: bytes, data: bytes) -> bytes:
    return openssl("dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{key.hex()}", data=data)


def test_the_seed_root_is_what_openssl_derives() -> None:
    secret, salt, manifest_digest = b"s" * 32, b"agz/self/v1", bytes(range(32))
    info = b"agz/seed/v1\0" + manifest_digest
    options = [f"hexkey:{secret.hex()}", f"hexsalt:{salt.hex()}", f"hexinfo:{info.hex()}"]
    with_flags = [part for option in options for part in ("-kdfopt", option)]
    expected = openssl("kdf", "-keylen", "32", "-kdfopt", "digest:SHA256", *with_flags, "HKDF")
    assert expected == seed_root(secret, salt, manifest_digest)


def test_a_stream_is_what_openssl_computes_from_root_label_and_counter() -> None:
    key = openssl_hmac(ROOT, b"poker/deck/17")
    blocks = b"".join(openssl_hmac(key, counter.to_bytes(8, "big")) for counter in range(3))
    expected = [int.from_bytes(blocks[at : at + 4], "big") for at in range(0, len(blocks), 4)]
    stream = Dice(ROOT).stream("poker/deck/17")
    assert expected == [stream.word() for _ in expected]


def test_a_root_that_differs_in_one_bit_gives_another_stream() -> None:
    other = bytes([ROOT[0] ^ 1]) + ROOT[1:]
    assert Stream(ROOT, "a").word() != Stream(other, "a").word()


@pytest.mark.parametrize("changed", [(b"t", b"salt", b"m"), (b"s", b"Salt", b"m"), (b"s", b"salt", b"n")])
def test_a_seed_root_depends_on_secret_origin_and_manifest(changed: tuple[bytes, bytes, bytes]) -> None:
    assert seed_root(b"s", b"salt", b"m") != seed_root(*changed)


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 52, 960, 1000])
def test_draws_below_a_bound_are_uniform(bound: int) -> None:
    stream = Stream(ROOT, f"uniform/{bound}")
    drawn = Counter(stream.below(bound) for _ in range(40_000))
    assert set(drawn) <= set(range(bound))
    if bound > 1:
        assert stats.chisquare([drawn[value] for value in range(bound)]).pvalue > P_MIN


def test_a_bound_that_does_not_divide_the_word_is_not_biased() -> None:
    """Without rejection, 3 * 2^30 would give its lower third twice as often as the rest."""
    bound = 3 * 2**30
    stream = Stream(ROOT, "rejection")
    thirds = Counter(stream.below(bound) // 2**30 for _ in range(20_000))
    assert stats.chisquare([thirds[third] for third in range(3)]).pvalue > P_MIN


def test_rejection_keeps_exactly_the_words_below_the_last_whole_multiple() -> None:
    bound = 3 * 2**30
    words = Stream(ROOT, "kept")
    drawn = Stream(ROOT, "kept")
    kept = [word for word in (words.word() for _ in range(200)) if word < bound]
    assert kept == [drawn.below(bound) for _ in kept]


def test_the_largest_bound_passes_words_through() -> None:
    words, drawn = Stream(ROOT, "whole"), Stream(ROOT, "whole")
    assert [words.word() for _ in range(20)] == [drawn.below(WORD) for _ in range(20)]


@given(st.lists(st.integers(), max_size=60), st.data())
def test_a_deal_is_the_start_of_a_permutation(items: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(items)))
    label = data.draw(st.text("abc/01", max_size=5))
    dealt = Stream(ROOT, label).deal(items, count)
    assert dealt == Stream(ROOT, label).deal(items, len(items))[:count]
    assert Counter(Stream(ROOT, label).deal(items, len(items))) == Counter(items)


def test_every_order_of_four_items_is_equally_likely() -> None:
    stream = Stream(ROOT, "orders")
    dealt = Counter(tuple(stream.deal("abcd", 4)) for _ in range(24_000))
    assert stats.chisquare([dealt[order] for order in permutations("abcd")]).pvalue > P_MIN


def test_a_deal_leaves_its_items_as_they_were() -> None:
    items = list(range(10))
    Stream(ROOT, "kept").deal(items, 10)
    assert list(range(10)) == items


def test_streams_of_other_labels_are_independent_and_order_does_not_matter() -> None:
    dice = Dice(ROOT)
    a_first = [dice.stream("a").below(10) for _ in range(3)]
    a, b = dice.stream("a"), dice.stream("b")
    pairs = [(a.below(6), b.below(6)) for _ in range(20_000)]
    table = [[Counter(pairs)[i, j] for j in range(6)] for i in range(6)]
    assert stats.chi2_contingency(table).pvalue > P_MIN
    assert a_first == [Dice(ROOT).stream("a").below(10) for _ in range(3)]


def test_labels_that_run_together_are_still_two_labels() -> None:
    assert Stream(ROOT, "game/1").word() != Stream(ROOT, "game/11").word()


def test_a_choice_is_the_option_at_the_drawn_index() -> None:
    drawn, chosen = Stream(ROOT, "choice"), Stream(ROOT, "choice")
    options = "abcdefg"
    assert [options[drawn.below(7)] for _ in range(50)] == [chosen.choice(options) for _ in range(50)]
