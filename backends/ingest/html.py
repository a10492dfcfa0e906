"""Read HTML as Markdown, without what is not the page's own text."""

import re
import warnings
from typing import Any

from backends.ingest.decoding import mend
from backends.ingest.loading import Loaded, UnreadableFile

_NOT_TEXT = "head, script, style, nav, noscript, template, svg, iframe, object, [hidden]"


def load_html(data: bytes) -> Loaded:
    """Convert a page; links and images keep their text alone, headings and tables stay.

    The encoding is the one that the page declares, else what Beautiful Soup detects.

    Raises:
        UnreadableFile: It is binary, or nested too deep.
    """
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        raise UnreadableFile("is binary, not HTML; check the file")
    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
    from bs4.element import PreformattedString

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)  # XHTML is read as HTML
        page = BeautifulSoup(data, "html.parser")
    try:
        title = _title(page)
        for element in page.select(_NOT_TEXT):
            element.decompose()
        for mark in page.find_all(string=lambda string: isinstance(string, PreformattedString)):
            mark.extract()  # comments, declarations, instructions to other programs
        text, remark = mend(_markdown(page))
    except RecursionError as error:
        raise UnreadableFile("is nested too deep; simplify the page") from error
    return Loaded(title, [(text, None)], markdown=True, remark=remark)


def _title(page: Any) -> str:
    for name in ("title", "h1", "h2"):
        element = page.find(name)
        text = re.sub(r"\s+", " ", element.get_text()).strip() if element else ""
        if text:
            return text
    return ""


def _markdown(page: Any) -> str:
    from markdownify import MarkdownConverter

    converter = MarkdownConverter(
        heading_style="ATX",
        strip=["a", "img"],
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
    )
    text: str = converter.convert_soup(page)
    return text
