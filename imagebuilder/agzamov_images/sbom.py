"""The bill of materials of an image, CycloneDX 1.6: a function of the image, without a time or a serial number.

Libraries inside a package are listed as components of that package.
"""

import json
from collections.abc import Iterable

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component as Listed
from cyclonedx.model.component import ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from agzamov_harness.containers.image_records import ImageRecord

from .components import Component

ALGORITHMS = {"sha256": HashAlgorithm.SHA_256, "sha512": HashAlgorithm.SHA_512}


def bill_of_materials(record: ImageRecord, about: str, components: Iterable[Component]) -> bytes:
    """The bill of an image and its packages, as it is written."""
    every = sorted(set(components))
    listed = [
        _listed(component, [part for part in every if part.within == component.purl])
        for component in every
        if not component.within
    ]
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
    return (json.dumps(shown, indent=2, sort_keys=True) + "\n").encode()


def _listed(component: Component, inside: Iterable[Component] = ()) -> Listed:
    hashes = [HashType(alg=ALGORITHMS[component.algorithm], content=component.value)] if component.value else []
    return Listed(
        type=ComponentType.LIBRARY,
        name=component.name,
        version=component.version or None,
        bom_ref=f"{component.within}#{component.purl}" if component.within else component.purl,
        purl=PackageURL.from_string(component.purl),
        hashes=hashes,
        components=map(_listed, inside),
    )
