"""What scanners are shown of an image: Debian's packages where they look, and the libraries inside packages."""

import json
import tarfile
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from agzamov_harness.containers.image_records import ImageFault
from agzamov_images.build import build
from agzamov_images.components import Component, bundled
from agzamov_images.tree import file
from images import small
from images.small import Small

WHEEL = Component("pypi", "mixed", "1.0", "sha256", "0" * 64)
OPENSSL = {"name": "openssl", "version": "4.0.3", "hashes": [{"alg": "SHA-256", "content": "a" * 64}]}
CRATE = {"name": "libc", "version": "0.2.177", "purl": "pkg:cargo/libc@0.2.177?download_url=file://x"}
NATIVE = small.elf(62, b"OpenSSL 4.0.3 29 Sep 2026\0")
HOLDS = {
    "mixed/__init__.py": b"",
    "mixed/native.so": NATIVE,
    "mixed.libs/libgfortran-040039e1-0352e75f.so.5.0.0": b"so",
    "mixed-1.0.dist-info/sboms/a.json": json.dumps({"components": [OPENSSL, CRATE]}).encode(),
}


def inside(files: dict[str, bytes]) -> list[tuple[str, str]]:
    found = bundled(WHEEL, [file(f"opt/site/{name}", data) for name, data in files.items()])
    assert {one.within for one in found} <= {"pkg:pypi/mixed@1.0"}
    return [(one.purl, one.value[:1]) for one in found]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("m.libs/libgomp-a34b3233.so.1.0.0", b"so", "pkg:generic/libgomp@1.0.0"),
        ("m.libs/libopenblas64_-32a4b2a6.so", b"so", "pkg:generic/libopenblas64_"),
        ("m/m.so", small.elf(62, b"see /node-v22.23.3.tar.gz"), "pkg:generic/node@22.23.3"),
        ("m/m.so", small.elf(183, b"OpenSSL 3.5.8 1 Sep 2026"), "pkg:generic/openssl@3.5.8"),
        ("m/m.so", small.elf(62, b"llama_model_loader: loaded"), "pkg:generic/llama.cpp"),
    ],
)
def test_a_library_inside_a_package_is_named(name: str, content: bytes, found: str) -> None:
    assert [purl for purl, _ in inside({name: content})] == [found]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m/news.txt", b"OpenSSL 3.5.8 1 Sep 2026"),
        ("m/m.so", small.elf(62, b"OpenSSL is not in here")),
        ("m-1.dist-info/sboms/a.json", b"no JSON"),
        ("m-1.dist-info/sboms/a.json", b'["a list"]'),
        ("m-1.dist-info/sboms/a.json", b'{"components": [{"version": "1"}]}'),
        ("m/sboms/a.json", json.dumps({"components": [OPENSSL]}).encode()),
    ],
)
def test_what_shows_no_library_names_none(name: str, content: bytes) -> None:
    assert inside({name: content}) == []


def test_a_library_that_is_shown_twice_is_listed_once_with_its_digest() -> None:
    assert inside(HOLDS) == [
        ("pkg:cargo/libc@0.2.177", ""),
        ("pkg:generic/libgfortran@5.0.0", small.sha256(b"so")[0]),
        ("pkg:generic/openssl@4.0.3", "a"),
    ]


def with_wheel(made: Small, files: dict[str, bytes]) -> None:
    """Another wheel in place of `mixed`."""
    old, data = next(made.cache.glob("*/mixed-*.whl")), small.wheel(files)
    path = made.folder / "requirements.txt"
    path.write_text(path.read_text().replace(small.sha256(old.read_bytes()), small.sha256(data)))
    small.put(made.cache, old.name, data)


def test_the_bill_lists_them_as_components_of_their_wheel_and_is_valid(made: Small) -> None:
    with_wheel(made, HOLDS)
    build(made.workshop(), "small")
    text = (made.built / "small.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    listed: dict[str, Any] = {one["purl"]: one for one in json.loads(text)["components"]}
    assert "pkg:deb/debian/tool@1:2%2Bb1?arch=amd64&distro=debian-12" in listed
    parts = listed["pkg:pypi/mixed@1.0"]["components"]
    assert [(one["name"], one.get("version")) for one in parts] == [
        ("libc", "0.2.177"),
        ("libgfortran", "5.0.0"),
        ("openssl", "4.0.3"),
    ]
    statement = json.loads((made.built / "small.provenance.json").read_text())
    used = [row.get("uri", "") for row in statement["predicate"]["buildDefinition"]["resolvedDependencies"]]
    assert [uri for uri in used if "openssl" in uri] == [], "only what was fetched by itself was resolved"


def test_a_bill_with_one_wrong_field_is_not_valid(made: Small) -> None:
    build(made.workshop(), "small")
    text = (made.built / "small.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text.replace('"library"', '"lib"', 1)) is not None


def test_scanners_find_debian_packages_and_the_release_where_they_look(made: Small) -> None:
    build(made.workshop(), "small")
    with tarfile.open(made.built / "small" / "debs.tar") as layer:
        opened = layer.extractfile("var/lib/dpkg/status.d/tool")
        assert opened
        assert opened.read() == small.CONTROL


def test_a_package_whose_control_file_is_of_another_one_is_refused(made: Small) -> None:
    data = small.deb({"./usr/bin/tool": b"#!"}, control=b"Package: toolbox\n")
    (made.folder / "debs.amd64.lock.json").write_text(small.lock_of(data))
    small.put(made.cache, "tool_2_amd64.deb", data)
    with pytest.raises(ImageFault, match="expected the control file of tool, found b'Package: toolbox"):
        build(made.workshop(), "small")
