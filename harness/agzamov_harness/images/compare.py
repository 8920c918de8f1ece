"""`agzamov images verify`: an image built again from nothing, against its record and its pin."""

from pathlib import Path

from . import inputs, records
from .build import Workshop, build
from .faults import Different, ImageFault
from .layers import tar_of
from .records import ImageRecord, Pin
from .tree import first_difference

SHOWN = 16


def verify(shop: Workshop, name: str, folder: Path) -> str:
    """Build an image in `folder`, and say what it is equal to: its record, its pin, else a second build.

    Raises Different with the first layer and file that differ, and ImageFault where it cannot be built.
    """
    pin, before = records.read_pin(shop.images, name), _record(shop, name)
    again = build(_quiet(shop, folder / "again"), name)
    if not pin and not before:
        shop = _quiet(shop, folder / "once-more")
        _same(shop, "a second build", build(shop, name).pin, again.pin, folder / "again")
        return "a second build; nothing is recorded or pinned here"
    if before:
        _same(shop, "its record", before.pin, again.pin, folder / "again")
    if pin:
        _same(shop, f"images/{name}/{records.PIN}", pin, again.pin, folder / "again")
    return " and ".join(told for told, held in (("its record", before), ("its pin", pin)) if held)


def _quiet(shop: Workshop, folder: Path) -> Workshop:
    folder.mkdir(exist_ok=True)
    return shop._replace(out=folder, tell=lambda _: None)


def _record(shop: Workshop, name: str) -> ImageRecord | None:
    try:
        return records.load(name, shop.out)
    except ImageFault:
        return None


def _same(shop: Workshop, whose: str, wanted: Pin, found: Pin, again: Path) -> None:
    """Raises Different with the first layer and file, or the way a container starts, that is not as wanted."""
    if wanted == found:
        return
    pairs = zip([*wanted.diff_ids, ""], [*found.diff_ids, ""], strict=False)
    at = next((number for number, (left, right) in enumerate(pairs) if left != right), None)
    if at is None:
        digests = f"expected the id {wanted.config_digest[:SHOWN]}, found {found.config_digest[:SHOWN]}"
        raise Different(f"{found.name}: equal layers, but not the configuration of {whose}: {digests}")
    stack = inputs.stacked(shop.images, found.name)
    if at >= min(len(stack), len(wanted.diff_ids)):
        raise Different(
            f"{found.name}: expected the {len(wanted.diff_ids)} layers of {whose}, found {len(found.diff_ids)}"
        )
    layer = stack[at]
    where = f"{found.name}: layer {at} ({layer.image}/{layer.part.title}) is not that of {whose}"
    told = first_difference(tar_of(shop.out, layer), tar_of(again, layer), wanted.diff_ids[at])
    raise Different(f"{where}: {told}")
