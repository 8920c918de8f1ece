"""The tree against the reference vectors of Certificate Transparency and the definition in RFC 6962."""

from collections.abc import Sequence
from hashlib import sha256

import pytest

from agzamov_verify.core.merkle import Tree, inclusion_proof, root_of
from verify.inclusion import leaf_hash, root_from_proof

# google/certificate-transparency, cpp/merkletree/merkle_tree_test.cc
LEAVES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
PROOFS = {
    (0, 1): [],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
SIZES = range(1, 41)
MANY = [b"leaf %d" % index for index in SIZES]


def tree_hash_by_definition(leaves: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962, section 2.1, word for word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    k = max(2**i for i in range(20) if 2**i < len(leaves))
    return sha256(b"\x01" + tree_hash_by_definition(leaves[:k]) + tree_hash_by_definition(leaves[k:])).digest()


def test_the_empty_tree_has_the_hash_of_nothing() -> None:
    assert Tree().root().hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("size", range(1, 9))
def test_the_reference_tree_has_its_published_roots(size: int) -> None:
    assert ROOTS[size - 1] == root_of(LEAVES[:size]).hex()


@pytest.mark.parametrize(("index", "size"), PROOFS)
def test_the_reference_tree_has_its_published_proofs(index: int, size: int) -> None:
    assert PROOFS[index, size] == [node.hex() for node in inclusion_proof(LEAVES[:size], index)]


@pytest.mark.parametrize("size", SIZES)
def test_a_growing_tree_has_the_root_of_the_definition_at_every_size(size: int) -> None:
    tree = Tree()
    for leaf in MANY[:size]:
        tree.append(leaf)
    assert (size, tree_hash_by_definition(MANY[:size])) == (tree.size, tree.root())


@pytest.mark.parametrize("size", SIZES)
def test_every_leaf_is_proven_by_its_proof(size: int) -> None:
    root = tree_hash_by_definition(MANY[:size])
    for index, leaf in enumerate(MANY[:size]):
        assert root == root_from_proof(leaf, index, size, inclusion_proof(MANY[:size], index))


def leads_elsewhere(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    try:
        return root_from_proof(leaf, index, size, proof) != root
    except ValueError:
        return True


@pytest.mark.parametrize("size", SIZES)
def test_a_proof_does_not_prove_another_leaf_index_or_path(size: int) -> None:
    leaves = MANY[:size]
    root = root_of(leaves)
    for index, leaf in enumerate(leaves):
        proof = inclusion_proof(leaves, index)
        assert leads_elsewhere(leaf + b"!", index, size, proof, root)
        assert all(leads_elsewhere(leaf, other, size, proof, root) for other in range(size) if other != index)
        assert leads_elsewhere(leaf, index, size, [*proof, leaf_hash(b"")], root)
        for at in range(len(proof)):
            assert leads_elsewhere(leaf, index, size, proof[:at] + proof[at + 1 :], root)
            assert leads_elsewhere(leaf, index, size, [*proof[:at], leaf_hash(proof[at]), *proof[at + 1 :]], root)


@pytest.mark.parametrize("index", [-1, 8, 10**9])
def test_an_index_outside_the_tree_is_refused(index: int) -> None:
    with pytest.raises(ValueError, match="an index below 8"):
        root_from_proof(LEAVES[0], index, 8, inclusion_proof(LEAVES, 0))


def test_a_proof_one_hash_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="too short"):
        root_from_proof(LEAVES[0], 0, 8, inclusion_proof(LEAVES, 0)[:-1])


def test_a_proof_one_hash_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        root_from_proof(LEAVES[0], 0, 8, [*inclusion_proof(LEAVES, 0), leaf_hash(b"")])


def test_an_inner_node_does_not_pass_for_a_leaf() -> None:
    """Leaves and nodes are hashed with other first bytes, against second preimages."""
    pair = leaf_hash(LEAVES[0]) + leaf_hash(LEAVES[1])
    assert root_of(LEAVES[:2]) != root_of([pair])
