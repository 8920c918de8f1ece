"""`agzamov images verify`: an image built again from nothing, against its record and its pin."""

from pathlib import Path

from agzamov_harness.containers import image_records
from agzamov_harness.containers.image_records import Different, ImageFault, ImageRecord, Pin
from agzamov_images import build_order

from . import image_files
from .build import Workshop, build
from .layers import tar_of
from .tree import first_difference

SHOWN = 16


def verify(shop: Workshop, name: str, folder: Path) -> str:
    """Build an image in `folder`, and say what it is equal to: its record, its pin, else a second build.

    Raises Different with the first layer and file that differ, and ImageFault where it cannot be built.
    """
    pin, before = image_files.read_pin(shop.images, name, shop.architecture.name), _record(shop, name)
    again = build(_quiet(shop, folder / "again"), name)
    if not pin and not before:
        shop = _quiet(shop, folder / "once-more")
        _same(shop, "a second build", build(shop, name).pin, again.pin, folder / "again")
        return "a second build; nothing is recorded or pinned here"
    if before:
        _same(shop, "its record", before.pin, again.pin, folder / "again")
    if pin:
        path = image_files.pin_path(shop.images, name, shop.architecture.name)
        _same(shop, f"images/{name}/{path.name}", pin, again.pin, folder / "again")
    return " and ".join(title for title, held in (("its record", before), ("its pin", pin)) if held)


def _quiet(shop: Workshop, folder: Path) -> Workshop:
    folder.mkdir(exist_ok=True)
    return shop._replace(out=folder, tell=lambda _: None)


def _record(shop: Workshop, name: str) -> ImageRecord | None:
    try:
        return image_records.load(name, shop.out)
    except ImageFault:
        return None


def _same(shop: Workshop, whose: str, expected: Pin, actual: Pin, again: Path) -> None:
    """Raises Different with the first layer and file, or the way a container starts, that is not as wanted."""
    if expected == actual:
        return
    pairs = zip([*expected.diff_ids, ""], [*actual.diff_ids, ""], strict=False)
    index = next((number for number, (left, right) in enumerate(pairs) if left != right), None)
    if index is None:
        digests = f"expected the id {expected.config_digest[:SHOWN]}, found {actual.config_digest[:SHOWN]}"
        raise Different(f"{actual.name}: equal layers, but not the configuration of {whose}: {digests}")
    stack = build_order.stacked(shop.images, actual.name)
    if index >= min(len(stack), len(expected.diff_ids)):
        raise Different(
            f"{actual.name}: expected the {len(expected.diff_ids)} layers of {whose}, found {len(actual.diff_ids)}"
        )
    layer = stack[index]
    where = f"{actual.name}: layer {index} ({layer.image}/{layer.part.title}) is not that of {whose}"
    difference = first_difference(tar_of(shop.out, layer), tar_of(again, layer), expected.diff_ids[index])
    raise Different(f"{where}: {difference}")
