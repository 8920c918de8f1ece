"""What can go wrong with an image, by whose fault."""


class ImageFault(Exception):
    """An image cannot be declared, fetched, built, loaded or trusted; the message says what to do."""


class Different(ImageFault):
    """Two builds, or a build and its record, are not the same; the message names the first difference."""


class Superseded(ImageFault):
    """A locked package is no longer offered where this machine gets its packages."""
