"""What goes with an image: a bill of materials (CycloneDX) and a provenance statement (in-toto, SLSA 1).

Both are functions of the image: they hold no time, no serial number and no machine. Neither is signed,
and the provenance says that its builder vouches for nothing: rebuild the image and compare.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component as Listed
from cyclonedx.model.component import ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from .component import Component
from .records import ImageRecord

BUILD_TYPE = "urn:agzamov:image-build:1"
BUILDER = "urn:agzamov:whoever-ran-agzamov-images-build"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
ALGORITHMS = {"sha256": HashAlgorithm.SHA_256, "sha512": HashAlgorithm.SHA_512}


def write(folder: Path, record: ImageRecord, about: str, components: Iterable[Component]) -> None:
    """Write both papers beside the image."""
    listed = sorted(set(components))
    (folder / f"{record.name}.cdx.json").write_text(_bill(record, about, listed))
    statement = json.dumps(_provenance(record, listed), indent=2, sort_keys=True)
    (folder / f"{record.name}.provenance.json").write_text(statement + "\n")


def _bill(record: ImageRecord, about: str, components: list[Component]) -> str:
    listed = list(map(_listed, components))
    bom = Bom(components=listed)
    bom.metadata.component = Listed(
        type=ComponentType.CONTAINER,
        name=f"agzamov/{record.name}",
        version=f"sha256:{record.config_digest}",
        bom_ref=f"agzamov/{record.name}",
        description=about,
        licenses=[LicenseExpression(record.licence)],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=record.config_digest)],
    )
    bom.register_dependency(bom.metadata.component, listed)
    bom.metadata.properties.add(Property(name="cdx:reproducible", value="true"))
    shown = json.loads(JsonV1Dot6(bom).output_as_string())
    del shown["serialNumber"], shown["metadata"]["timestamp"]
    return json.dumps(shown, indent=2, sort_keys=True) + "\n"


def _listed(component: Component) -> Listed:
    return Listed(
        type=ComponentType.LIBRARY,
        name=component.name,
        version=component.version,
        bom_ref=component.purl,
        purl=PackageURL.from_string(component.purl),
        hashes=[HashType(alg=ALGORITHMS[component.algorithm], content=component.value)],
    )


def _provenance(record: ImageRecord, components: list[Component]) -> dict[str, object]:
    subject = {"name": f"agzamov/{record.name}", "digest": {"sha256": record.manifest_digest}}
    resolved = [{"uri": one.purl, "digest": {one.algorithm: one.value}} for one in components]
    definition = {
        "buildType": BUILD_TYPE,
        "externalParameters": {"image": record.name},
        "internalParameters": {"inputs": record.inputs_digest, "config": record.config_digest},
        "resolvedDependencies": resolved,
    }
    return {
        "_type": STATEMENT,
        "subject": [subject],
        "predicateType": PREDICATE,
        "predicate": {"buildDefinition": definition, "runDetails": {"builder": {"id": BUILDER}}},
    }
