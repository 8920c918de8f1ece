"""Order in which an image is built: its layers on those of the images below it, and the configuration of them all."""

from pathlib import Path
from typing import NamedTuple

from .architecture import Architecture
from .declaration import Config, Part, lineage, platform, read, suite
from .suites import Suite


class LayerSpec(NamedTuple):
    """A layer of an image: the image that declares it, the declaration, and the Debian suite that it is made from."""

    image: str
    part: Part
    suite: Suite


def stacked(images: Path, name: str) -> list[LayerSpec]:
    """All layers of an image with those that it stands on, the lowest first. Raises ImageFault."""
    whole, made_from = reversed(list(lineage(images, name))), suite(images, name)
    return [LayerSpec(each, part, made_from) for each in whole for part in read(images, each).layers]


def configured(images: Path, name: str, architecture: Architecture) -> Config:
    """Configuration of an image's containers: its own, over the environment and labels of its base images."""
    config = Config()
    for each in reversed(list(lineage(images, name))):
        declared = read(images, each)
        added = declared.config
        special = platform(images, each, architecture).labels
        labels = {**config.labels, **added.labels, **special, "org.opencontainers.image.licenses": declared.licence}
        config = Config(added.entrypoint, added.cmd, {**config.env, **added.env}, added.user, added.workdir, labels)
    return config
