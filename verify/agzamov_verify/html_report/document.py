"""The frame of a page: its head, its Content-Security-Policy, one style sheet, and one script behind all else."""

import base64
import hashlib
from collections.abc import Iterable
from typing import Final

from .markup import Element, element, fill, html, raw

POLICY: Final = (
    "default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)


def csp_hash(content: bytes) -> str:
    """The source expression that allows just this inline script or style sheet (CSP Level 3, section 2.3.1)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode('ascii')}'"


def document(title: str, style: str, script: str, body: Iterable[Element], also_styles: str = "") -> str:
    """A page as HTML. `also_styles`: a further source of style sheets."""
    styles = " ".join(filter(None, (csp_hash(style.encode()), also_styles)))
    policy = POLICY.format(script=csp_hash(script.encode()), style=styles)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        raw("style", style),
    )
    whole = element("body")
    fill(whole, (*body, raw("script", script)))
    return "<!doctype html>\n" + html(element("html", head, whole, lang="en"))
