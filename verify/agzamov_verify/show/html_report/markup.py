"""HTML and SVG as trees of the standard library, which escapes every text and attribute; and the frame of a page."""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias
from xml.etree import ElementTree as ET

from ...core.untrusted_input import printable

Element: TypeAlias = ET.Element
Child: TypeAlias = "Element | str"
PERCENT: Final = re.compile(r"(?<=\d) (?=%)")


def element(tag: str, *children: Child, **attributes: str) -> Element:
    """One element. In the name of an attribute `_` stands for a hyphen, and a last `_` for nothing (`class_`)."""
    named = {name.removesuffix("_").replace("_", "-"): printable(value) for name, value in attributes.items()}
    made = ET.Element(tag, named)
    fill(made, children)
    return made


def fill(parent: Element, children: Iterable[Child]) -> None:
    """Add children to an element. Texts are made printable: what reorders or hides text is spelled out.

    A percentage stays on one line.
    """
    for child in children:
        if not isinstance(child, str):
            parent.append(child)
        elif len(parent):
            parent[-1].tail = (parent[-1].tail or "") + _text(child)
        else:
            parent.text = (parent.text or "") + _text(child)


def _text(text: str) -> str:
    return PERCENT.sub("\N{NO-BREAK SPACE}", printable(text))


def capital(text: str) -> str:
    """Words as they stand at the beginning of a line."""
    return f"{text[:1].upper()}{text[1:]}"


def raw(tag: str, text: str, **attributes: str) -> Element:
    """A `script` or `style` element, whose text HTML does not unescape. Raises ValueError if the text would end it."""
    if f"</{tag}" in text.lower() or "<!--" in text:
        raise ValueError(f"a text that ends its {tag} element")
    made = element(tag, **attributes)
    made.text = text
    return made


def table(header: Sequence[Child], rows: Iterable[Sequence[Child]], caption: str = "") -> Element:
    """A table. The first cell of each row is its heading."""
    head = element("thead", element("tr", *(element("th", cell, scope="col") for cell in header)))
    body = element("tbody")
    for first, *rest in rows:
        body.append(element("tr", element("th", first, scope="row"), *(element("td", cell) for cell in rest)))
    named = caption or f"Table: {', '.join(cell for cell in header if isinstance(cell, str))}"
    captions = [element("caption", caption)] if caption else []
    return element(
        "div", element("table", *captions, head, body), class_="scroll", tabindex="0", role="region", aria_label=named
    )


def html(root: Element) -> str:
    """The text of a tree."""
    return ET.tostring(root, encoding="unicode", method="html")


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
