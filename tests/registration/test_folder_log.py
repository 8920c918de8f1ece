"""Logs in folders of tiles, and their proofs, against the vectors of Certificate Transparency and RFC 6962."""

from pathlib import Path

import pytest

from agzamov_harness.registry.log_writer import append, create_log, proof, public_key
from agzamov_verify.core.merkle import inclusion_proof, root_of
from agzamov_verify.transparency_log.checkpoint import parse_checkpoint
from agzamov_verify.transparency_log.folder_log import FolderLog, read_file, tile_name
from agzamov_verify.transparency_log.proofs import consistency_path, is_consistent, leaf_hash, root_from_inclusion
from agzamov_verify.transparency_log.signed_note import ED25519, BadNote
from agzamov_verify.transparency_log.tlog_proof import included, parse_proof
from registration.test_signed_notes import ORIGIN, key_of
from verify.test_merkle import LEAVES, PROOFS, ROOTS

# google/certificate-transparency, cpp/merkletree/merkle_tree_test.cc
CONSISTENCY = {
    (1, 1): [],
    (1, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
MANY = [b"entry %d" % number for number in range(700)]


def log_of(folder: Path, entries: list[bytes], step: int = 0) -> FolderLog:
    create_log(folder, ORIGIN, key_of(1))
    for start in range(0, len(entries), step or len(entries)):
        append(folder, entries[start : start + (step or len(entries))], key_of(1))
    return FolderLog(folder)


def test_roots_and_proofs_are_those_of_certificate_transparency(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", LEAVES, 1)
    assert [log.root_at(size).hex() for size in range(1, 9)] == ROOTS
    for (index, size), path in PROOFS.items():
        if size == 8:
            assert [sha256.hex() for sha256 in log.inclusion(index)] == path
    for (older, size), path in CONSISTENCY.items():
        assert [sha256.hex() for sha256 in consistency_path(log.hash_at, older, size)] == path


def test_a_log_that_grew_in_any_steps_is_the_same(tmp_path: Path) -> None:
    whole = log_of(tmp_path / "whole", MANY)
    for step in (1, 37, 256, 300):
        grown = log_of(tmp_path / str(step), MANY[:40] if step == 1 else MANY, step)
        assert grown.checkpoint.root == root_of(MANY[: grown.size])
        assert list(grown.entries()) == MANY[: grown.size]
        if grown.size == whole.size:
            same = {
                path.relative_to(whole.folder): path.read_bytes() for path in whole.folder.rglob("*") if path.is_file()
            }
            assert all((grown.folder / name).read_bytes() == data for name, data in same.items())


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 511, 512, 513])
def test_every_proof_of_a_log_leads_to_its_root_and_to_no_other(tmp_path: Path, size: int) -> None:
    log = log_of(tmp_path / "log", MANY[:size])
    for index in {0, 1, size // 2, size - 2, size - 1} & set(range(size)):
        path = log.inclusion(index)
        assert list(path) == inclusion_proof(MANY[:size], index)
        leaf = leaf_hash(MANY[index])
        assert root_from_inclusion(leaf, index, size, path) == log.checkpoint.root
        assert root_from_inclusion(leaf_hash(b"other"), index, size, path) != log.checkpoint.root
        assert root_from_inclusion(leaf, index, size, [*path, bytes(32)]) != log.checkpoint.root
        assert not path or root_from_inclusion(leaf, index, size, path[:-1]) != log.checkpoint.root
        assert root_from_inclusion(leaf, size, size, path) is None


def test_consistency_holds_for_every_beginning_and_fails_for_another_root(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", MANY[:70])
    for size in range(1, 71):
        root = root_of(MANY[:size])
        for older in range(size + 1):
            path = consistency_path(log.hash_at, older, size)
            before = root_of(MANY[:older])
            assert is_consistent(older, before, size, root, path)
            assert not is_consistent(older, bytes(32), size, root, path)
            assert not is_consistent(older, before, size, root, [*path, bytes(32)])
            assert older == size or not path or not is_consistent(older, before, size, bytes(32), path)


@pytest.mark.parametrize(
    ("index", "name"), [(0, "000"), (999, "999"), (1000, "x001/000"), (1_234_067, "x001/x234/067")]
)
def test_tiles_have_the_names_of_the_specification(index: int, name: str) -> None:
    assert tile_name(0, index) == f"tile/0/{name}"
    assert tile_name("entries", index, 8) == f"tile/entries/{name}.p/8"


def test_seventy_thousand_entries_have_the_tiles_of_the_specification(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", [b"%d" % number for number in range(70_000)])
    names = [str(path.relative_to(log.folder)) for path in log.folder.rglob("*") if path.is_file()]
    assert sum(name.startswith("tile/0/") and ".p" not in name for name in names) == 273
    assert sorted(name for name in names if ".p/" in name) == [
        "tile/0/273.p/112",
        "tile/1/001.p/17",
        "tile/2/000.p/1",
        "tile/entries/273.p/112",
    ]
    assert len(log.inclusion(65_536)) == 14


def test_a_proof_file_holds_for_its_entry_alone(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", MANY[:300])
    keys = [public_key(ORIGIN, ED25519, key_of(1))]
    data = proof(log.folder, 299)
    assert parse_proof(data).data == data
    assert included(data, MANY[299], keys, ()).number == 299
    with pytest.raises(BadNote, match="a proof of something else"):
        included(data, MANY[298], keys, ())
    with pytest.raises(BadNote, match="a log that the policy names"):
        included(data, MANY[299], [public_key("example.com/other", ED25519, key_of(1))], ())
    with pytest.raises(BadNote, match="none of its signatures"):
        included(data, MANY[299], [public_key(ORIGIN, ED25519, key_of(9))], ())
    for bad in (data.replace(b"index 299", b"index 0299"), data[1:], data.replace(b"\n\n", b"\n", 1)):
        with pytest.raises(BadNote):
            included(bad, MANY[299], keys, ())


def test_a_changed_entry_is_found_by_whoever_reads_the_log(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", MANY[:300])
    bundle = log.folder / tile_name("entries", 1, 44)
    bundle.write_bytes(bundle.read_bytes().replace(b"entry 270", b"entry 999"))
    with pytest.raises(BadNote, match="another root"):
        list(FolderLog(log.folder).entries())
    with pytest.raises(BadNote, match="other bytes"):
        FolderLog(log.folder).entry(270)


def test_an_old_copy_and_a_rewritten_log_are_told_from_one_that_grew(tmp_path: Path) -> None:
    log_of(tmp_path / "log", MANY[:10])
    older = parse_checkpoint((tmp_path / "log" / "checkpoint").read_bytes())
    append(tmp_path / "log", MANY[10:20], key_of(1))
    newer = FolderLog(tmp_path / "log")
    newer.require_grown_from(older)
    with pytest.raises(BadNote, match="an old copy"):
        log_of(tmp_path / "small", MANY[:10]).require_grown_from(newer.checkpoint)
    with pytest.raises(BadNote, match="the log was rewritten"):
        log_of(tmp_path / "forked", [b"another", *MANY[1:20]]).require_grown_from(older)


def test_a_log_is_neither_begun_again_nor_continued_by_another_key_nor_if_it_is_damaged(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", MANY[:10])
    with pytest.raises(BadNote, match="it was kept"):
        create_log(log.folder, ORIGIN, key_of(1))
    with pytest.raises(BadNote, match="none of its signatures"):
        append(log.folder, [b"more"], key_of(2))
    tile = log.folder / tile_name(0, 0, 10)
    tile.write_bytes(bytes(320))
    with pytest.raises(BadNote):
        append(log.folder, [b"more"], key_of(1))


@pytest.mark.parametrize("name", ["checkpoint", "tile/0/000.p/10", "tile/entries/000.p/10"])
def test_links_and_missing_files_are_refused(tmp_path: Path, name: str) -> None:
    log = log_of(tmp_path / "log", MANY[:10])
    (tmp_path / "outside").write_bytes((log.folder / name).read_bytes())
    (log.folder / name).unlink()
    with pytest.raises(BadNote, match="a log's file"):
        [FolderLog(log.folder).inclusion(3), *FolderLog(log.folder).entries()]
    (log.folder / name).symlink_to(tmp_path / "outside")
    with pytest.raises(BadNote, match="a log's file"):
        [FolderLog(log.folder).inclusion(3), *FolderLog(log.folder).entries()]


def test_a_folder_in_the_place_of_a_file_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(BadNote, match=f"a regular file {tmp_path}, found something else"):
        read_file(tmp_path, 1)
