"""Pictures (SVG) inside the pages rather than beside them: a hook of MkDocs.

A picture that is part of its page follows the page between light and dark, and its text can be
selected and found.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

IMAGE = re.compile(r'<p><img alt="([^"]*)" src="([^":]+\.svg)" ?/?></p>')


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace the pictures of a page by their markup."""
    by_url = {file.url: file for file in files}

    def inlined(image: re.Match[str]) -> str:
        file = by_url.get(posixpath.normpath(posixpath.join(page.url, image[2])))
        if file is None:  # MkDocs has warned of it
            return image[0]
        picture = Path(str(file.abs_src_path)).read_text("utf-8")
        return f'<figure class="picture" data-search-exclude>{picture}</figure>'

    return IMAGE.sub(inlined, html)
