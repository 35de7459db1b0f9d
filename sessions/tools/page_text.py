"""The readable part of a web page."""

from selectolax.lexbor import LexborHTMLParser

_NOISE = "script, style, noscript, template, svg, nav, footer, aside, form, iframe, button"
_MAIN = ("main", "article", "[role=main]", "body")


def page_text(html: str) -> str:
    """Return title and text of HTML, a line for each block."""
    tree = LexborHTMLParser(html)
    title = tree.css_first("title")
    for node in tree.css(_NOISE):
        node.decompose()
    found = [node for name in _MAIN for node in tree.css(name)[:1]]
    lines = found[0].text(separator="\n", strip=True).splitlines() if found else []
    text = "\n".join(line.strip() for line in lines if line.strip())
    head = title.text(strip=True) if title is not None else ""
    return f"{head}\n\n{text}" if head else text
