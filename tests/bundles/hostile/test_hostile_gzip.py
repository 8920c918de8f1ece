"""Hostile gzip: bombs, members after members, other formats. Memory stays bounded."""

import gzip
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from agzamov_verify import bundle
from agzamov_verify.core.gzip_member import HEADER, compressed
from agzamov_verify.core.limits import JOURNAL_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX
from agzamov_verify.core.untrusted_input import DirectorySource, HostileBundle, gzip_lines
from bundles.bundle_factory import (
    SELF_PLAY,
    Draft,
    journal_file,
    reindex,
    reseal,
    zipped,
)
from bundles.hostile.refusals import MIB, measured, refused


def put_segment(draft: Draft, data: bytes) -> None:
    """Make these bytes a journal segment, with everything around it consistent."""
    reindex(draft)
    draft.files[journal_file(SELF_PLAY)] = data
    reseal(draft)


def bomb(size: int, filler: bytes = b" ") -> bytes:
    """`size` bytes that compress hundreds or a thousand times."""
    packer = zlib.compressobj(9, wbits=31)
    piece = filler * (MIB // len(filler))
    packed = b"".join(packer.compress(piece) for _ in range(size // MIB))
    packed += packer.flush()
    packed = HEADER + packed[len(HEADER) :]
    assert len(packed) * 200 < size
    return packed


def test_bytes_after_the_gzip_member_are_refused(draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, draft.files[journal_file(SELF_PLAY)] + b"PK\3\4")
    assert refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY)).findings[0].found == "bytes after it"


def test_a_second_gzip_member_is_refused(draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, draft.files[journal_file(SELF_PLAY)] + zipped(b"more\n"))
    assert refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY)).findings[0].found == "bytes after it"


def test_an_empty_second_member_is_refused(draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, draft.files[journal_file(SELF_PLAY)] + gzip.compress(b""))
    refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY))


@pytest.mark.parametrize(("byte", "value"), [(3, 8), (4, 1), (8, 2), (8, 4), (9, 3), (9, 0)])
def test_a_byte_of_the_header_that_our_writer_does_not_write_is_refused(
    byte: int, value: int, draft: Draft, tmp_path: Path
) -> None:
    """Bytes 8 and 9 (XFL, OS) were free: one content, several digests."""
    data = bytearray(draft.files[journal_file(SELF_PLAY)])
    data[byte] = value
    put_segment(draft, bytes(data))
    (first, *_) = refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY)).findings
    assert first.expected == "a gzip member that begins with 1f 8b 08 00 00 00 00 00 00 ff"
    assert first.found == bytes(data[:10]).hex(" ")


@pytest.mark.parametrize("data", [b"", b"one\n", os.urandom(3 * MIB)], ids=["nothing", "a line", "much"])
def test_what_our_writer_packs_any_reader_unpacks(data: bytes) -> None:
    packed = compressed(data)
    assert (gzip.decompress(packed), packed[:10]) == (data, HEADER)


def test_a_wrong_gzip_checksum_is_refused(draft: Draft, tmp_path: Path) -> None:
    data = bytearray(draft.files[journal_file(SELF_PLAY)])
    data[-8] ^= 1
    put_segment(draft, bytes(data))
    refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY))


@pytest.mark.parametrize(
    "data", [zlib.compress(b"x"), b"\x28\xb5\x2f\xfd", b"BZh9", b""], ids=["zlib", "zstd", "bzip2", "nothing"]
)
def test_another_compression_is_refused(data: bytes, draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, data)
    refused(draft.write(tmp_path), 6, journal_file(SELF_PLAY))


@pytest.mark.slow
def test_a_bomb_of_one_endless_line_is_refused_in_little_memory(draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, bomb(512 * MIB))
    root = draft.write(tmp_path)
    verdict, peak = measured(lambda: refused(root, 6, journal_file(SELF_PLAY)))
    assert verdict.findings[0].expected == f"lines of at most {JOURNAL_LINE_BYTES_MAX} bytes"
    assert peak < 16 * MIB


def test_a_bomb_of_line_feeds_is_refused_in_little_memory(draft: Draft, tmp_path: Path) -> None:
    put_segment(draft, bomb(256 * MIB, b"\n"))
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 6, f"{SELF_PLAY} entry 0"))
    assert peak < 64 * MIB


@pytest.mark.slow
def test_a_bomb_in_a_file_of_calls_is_refused_in_little_memory(draft: Draft, tmp_path: Path) -> None:
    draft.files[bundle.calls_name(SELF_PLAY)] = bomb(256 * MIB, b"\n")
    reseal(draft)
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 10, bundle.calls_name(SELF_PLAY)))
    assert peak < 64 * MIB


@pytest.mark.slow
def test_a_file_of_countless_good_calls_is_not_kept(draft: Draft, tmp_path: Path) -> None:
    packer = zlib.compressobj(9, wbits=31)
    names = (b'{"to":"a%d","us":%d}\n' % (number, number) for number in range(10**6))
    draft.files[bundle.calls_name(SELF_PLAY)] = (
        HEADER + (b"".join(map(packer.compress, names)) + packer.flush())[len(HEADER) :]
    )
    reseal(draft)
    root = draft.write(tmp_path)
    _, peak = measured(lambda: refused(root, 10, bundle.calls_name(SELF_PLAY)))
    assert peak < 32 * MIB


@pytest.mark.slow
def test_a_bomb_of_good_lines_stops_at_the_segments_limit(tmp_path: Path) -> None:
    (tmp_path / "segment").write_bytes(bomb(JOURNAL_SEGMENT_BYTES_MAX + MIB, b"x" * 1023 + b"\n"))
    source = DirectorySource(tmp_path)
    read = 0

    def read_all() -> None:
        nonlocal read
        for line in gzip_lines(source, "segment", "0" * 64, JOURNAL_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX):
            read += len(line) + 1

    def read_too_much() -> None:
        with pytest.raises(
            HostileBundle, match=f"expected at most {JOURNAL_SEGMENT_BYTES_MAX} bytes inflated, found more"
        ):
            read_all()

    _, peak = measured(read_too_much)
    assert JOURNAL_SEGMENT_BYTES_MAX - 2 * MIB < read <= JOURNAL_SEGMENT_BYTES_MAX
    assert peak < 16 * MIB


# What wait4 counts would hold the memory of this process too, from which the child was forked.
LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
from agzamov_verify.cli import main
try:
    main()
finally:
    status = open("/proc/self/status").read().split()
    print("peak KiB", status[status.index("VmHWM:") + 1])
"""


@pytest.mark.slow
@pytest.mark.usefixtures("contained")
@pytest.mark.parametrize("filler", [b" ", b"\n"], ids=["one line", "line feeds"])
def test_the_command_meets_a_bomb_in_a_process_of_its_own(filler: bytes, draft: Draft, tmp_path: Path) -> None:
    """The whole process, as the operating system counts it: not only what Python knows of."""
    put_segment(draft, bomb(512 * MIB, filler))
    command = [sys.executable, "-c", LIMITED, "check", str(draft.write(tmp_path)), "--jobs", "1"]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    ran = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, text=True, check=False
    )
    said, _, peak_kib = ran.stdout.rpartition("peak KiB ")
    assert (ran.returncode, "Traceback" in said) == (1, False), said
    assert f"step 6 {journal_file(SELF_PLAY) if filler == b' ' else SELF_PLAY}" in said
    assert int(peak_kib) * 1024 < 200 * MIB
