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

from .pages import DOCS, GENERATED, LANGUAGES, ROOT, Language, heading, page, sections, tables_for_zensical
from .reference import generated

TITLES: dict[Language, str] = {"en": "English", "zh": "中文"}
THEME = Path(__file__).with_name("theme")
"""What the site has instead of Zensical's own templates."""
BRIGHTNESS: dict[Language, tuple[str, str, str]] = {
    "en": ("Follow the system", "Light", "Dark"),
    "zh": ("跟随系统", "浅色", "深色"),
}
ABOUT: dict[Language, str] = {
    "en": "Measures how well language models use tools when people talk to them the way people do.",
    "zh": "衡量大语言模型在真实用户对话中使用工具的能力。",
}
SEARCH = {
    '"Search"': '"搜索"',
    '"Close search"': '"关闭搜索"',
    '"Search results"': '"搜索结果"',
    '"No results"': '"没有找到结果"',
    '"Loading search\\u2026"': '"正在加载搜索…"',
    '"Search is unavailable. Reload the page to try again."': '"搜索不可用，请重新加载页面。"',
    '${i===1?"result":"results"}': "条结果",
    '"Filters"': '"筛选"',
}
"""The words of the search, which Zensical 0.0.73 has in English only, whatever the language of the theme is."""


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
    _translate_search(target / "zh" / "site")
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
            file.write_text(tables_for_zensical(text), encoding="utf-8")
            rows.append({heading(text): f"{name}.md"})
        nav.append({section.title[language]: rows})
    if (DOCS / "images").is_dir():
        shutil.copytree(DOCS / "images", folder / "docs" / "images")
    (folder / "mkdocs.yml").write_text(json.dumps(_configuration(language, nav), ensure_ascii=False), encoding="utf-8")


def _configuration(language: Language, nav: object) -> dict[str, Any]:
    """MkDocs' configuration; JSON is YAML. No font and no script comes from elsewhere."""
    system, light, dark = BRIGHTNESS[language]
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
            "custom_dir": str(THEME),
            "font": False,
            "features": [
                "navigation.sections",
                "navigation.top",
                "navigation.footer",
                "content.code.copy",
                "search.highlight",
            ],
            "palette": [
                {"media": media, "scheme": scheme, "toggle": {"icon": icon, "name": name}}
                for media, scheme, icon, name in (
                    ("(prefers-color-scheme)", "default", "lucide/sun-moon", system),
                    ("(prefers-color-scheme: light)", "default", "lucide/sun", light),
                    ("(prefers-color-scheme: dark)", "slate", "lucide/moon", dark),
                )
            ],
        },
        "markdown_extensions": [
            "admonition",
            "attr_list",
            "tables",
            {"toc": {"permalink": True, "slugify": {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}}}},
            "pymdownx.superfences",
            "pymdownx.highlight",
        ],
        "plugins": [{"search": {"lang": language}}, "offline"],
        "extra": {
            "generator": False,
            "polyfills": [
                {"path": "assets/iframe-worker.js", "type": "text/javascript", "async": False, "defer": False}
            ],
            "alternate": [
                {"name": TITLES[one], "link": f"{root}index.html", "root": root, "lang": one}
                for one, root in _roots(language).items()
            ],
        },
    }


def _translate_search(site: Path) -> None:
    """Raises SystemExit where Zensical says something else now."""
    (script,) = (site / "assets" / "javascripts").glob("bundle.*.js")
    text = script.read_text(encoding="utf-8")
    for english, chinese in SEARCH.items():
        if english not in text:
            raise SystemExit(f"{script.name}: says {english} no more; see SEARCH in {__file__}")
        text = text.replace(english, chinese)
    script.write_text(text, encoding="utf-8")


def _roots(language: Language) -> dict[Language, str]:
    """Where each language's pages begin, as seen from the root of this one's."""
    return {"en": "", "zh": "zh/"} if language == "en" else {"en": "../", "zh": ""}


if __name__ == "__main__":
    print(build(ROOT / "build" / "docs") / "index.html")
