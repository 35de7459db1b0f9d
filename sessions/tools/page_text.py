"""The readable part of a web page."""

from selectolax.lexbor import LexborHTMLParser, LexborNode

_NOISE = "script, style, noscript, template, svg, nav, footer, aside, form, iframe, button"
_BLOCKS = "p, div, li, br, tr, h1, h2, h3, h4, h5, h6, pre, blockquote, section, article, dt, dd"
_MAIN = ("main", "article", "[role=main]", "body")


def page_text(html: str) -> str:
    """Return title and text of HTML, a line for each block."""
    tree = LexborHTMLParser(html)
    titles = tree.css("title")
    for node in tree.css(_NOISE):
        node.decompose()
    for node in tree.css(_BLOCKS):
        node.insert_after("\n")
    found = [node for name in _MAIN for node in tree.css(name)[:1]]
    lines = [one_line(line) for line in found[0].text().splitlines()] if found else []
    text = "\n".join(line for line in lines if line)
    head = node_text(titles[0]) if titles else ""
    return f"{head}\n\n{text}" if head else text


def node_text(node: LexborNode) -> str:
    """Return the text of an element on one line."""
    return one_line(node.text())


def one_line(text: str) -> str:
    return " ".join(text.split())
