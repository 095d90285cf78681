"""Builds the documentation as a site, in both languages, without network: `make docs` writes build/docs/site.

    docs/*.md, docs/zh/*.md, reference.py -> build/docs/<language>/ -> Zensical, strict about links -> build/docs/site

Zensical is what followed Material for MkDocs, by the same people; the configuration is MkDocs' own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from .pages import DOCS, GENERATED, LANGUAGES, ROOT, Language, heading, page, sections
from .reference import generated

TITLES: dict[Language, str] = {"en": "English", "zh": "中文"}
ABOUT: dict[Language, str] = {
    "en": "Measures how well language models use tools when people talk to them the way people do.",
    "zh": "衡量大语言模型在真实用户对话中使用工具的能力。",
}


def build(target: Path) -> Path:
    """Build the site below `target`, which is replaced; returns the folder that holds index.html.

    Raises SystemExit where Zensical finds something wrong; it has said what.
    """
    shutil.rmtree(target, ignore_errors=True)
    for language in LANGUAGES:
        folder = target / language
        _assemble(folder, language)
        command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
        if code := subprocess.run(command, cwd=folder, check=False).returncode:  # noqa: S603 - our own words
            raise SystemExit(code)
    site = target / "site"
    shutil.copytree(target / "en" / "site", site)
    shutil.copytree(target / "zh" / "site", site / "zh")
    return site


def _assemble(folder: Path, language: Language) -> None:
    """The pages and the configuration of one language."""
    nav: list[dict[str, list[dict[str, str]]]] = []
    for section in sections():
        rows: list[dict[str, str]] = []
        for name in section.pages:
            text = generated(name, language) if name.startswith(GENERATED) else page(name, language)
            file = folder / "docs" / f"{name}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            rows.append({heading(text): f"{name}.md"})
        nav.append({section.title[language]: rows})
    if (DOCS / "images").is_dir():
        shutil.copytree(DOCS / "images", folder / "docs" / "images")
    (folder / "mkdocs.yml").write_text(json.dumps(_configuration(language, nav), ensure_ascii=False), encoding="utf-8")


def _configuration(language: Language, nav: object) -> dict[str, Any]:
    """MkDocs' configuration; JSON is YAML. No font and no script comes from elsewhere."""
    here = "/" if language == "en" else "/zh/"
    return {
        "site_name": "toolgauge",
        "site_description": ABOUT[language],
        "docs_dir": "docs",
        "site_dir": "site",
        "use_directory_urls": False,
        "nav": nav,
        "theme": {
            "name": "material",
            "language": language,
            "font": False,
            "features": ["navigation.sections", "navigation.top", "content.code.copy", "search.highlight"],
            "palette": [
                {"media": "(prefers-color-scheme: light)", "scheme": "default"},
                {"media": "(prefers-color-scheme: dark)", "scheme": "slate"},
            ],
        },
        "markdown_extensions": [
            "admonition",
            "attr_list",
            "tables",
            {"toc": {"permalink": True}},
            "pymdownx.superfences",
            "pymdownx.highlight",
        ],
        "plugins": [{"search": {"lang": language}}],
        "extra": {
            "generator": False,
            "alternate": [
                {"name": TITLES[one], "link": "/" if one == "en" else "/zh/", "lang": one} for one in LANGUAGES
            ],
        },
        "site_url": here,
    }


if __name__ == "__main__":
    print(build(ROOT / "build" / "docs") / "index.html")
