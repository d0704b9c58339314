#!/usr/bin/env python3
"""Fetch the evaluation corpora: documentation packages that Debian holds, and invented papers.

    fetch_corpora.py TARGET [CORPUS | SET.toml ...]

Without a corpus it fetches all of them; a question set stands for the corpora that
it asks.  Each corpus becomes TARGET/<corpus>/, a plain folder of HTML pages.
The invented corpora lie beside this file, in everyday/, and are copied.
Packages are downloaded with apt-get and unpacked with dpkg-deb; nothing is
installed and no root is needed as long as apt's package lists are there.  A corpus
that is already there is left alone.
"""

from __future__ import annotations

import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

INVENTED = Path(__file__).parent / "everyday"

# corpus (which is also the package, unless PACKAGES says otherwise) -> folder of its pages inside the package
CORPORA = {
    "python3.11-doc": "usr/share/doc/python3.11/html",
    "postgresql-doc-15": "usr/share/doc/postgresql-doc-15/html",
    "sqlite3-doc": "usr/share/doc/sqlite3",
    "git-doc": "usr/share/doc/git-doc",
    "debian-policy": "usr/share/doc/debian-policy/policy.html",
    "python-django-doc": "usr/share/doc/python-django-doc/html",
    "exim4-doc-html": "usr/share/doc/exim4-doc-html/spec_html",
    "debian-reference-ja": "usr/share/debian-reference",
    "developers-reference-ja": "usr/share/developers-reference/ja",
    "maint-guide-ja": "usr/share/doc/maint-guide-ja/html",
    "gimp-help-ja": "usr/share/gimp/2.0/help/ja",
    "borgbackup-doc": "usr/share/doc/borgbackup/html",
    "haproxy-doc": "usr/share/doc/haproxy",
    "installation-guide-fr": "usr/share/doc/installation-guide-amd64/fr",
    "gnucash-guide-en": "usr/share/doc/gnucash-docs/gnucash-guide-en",
    "nut-doc": "usr/share/doc/nut-doc/html",
}
PACKAGES = {"installation-guide-fr": "installation-guide-amd64", "gnucash-guide-en": "gnucash-docs"}

# Indices, search pages, and pages that repeat the others in one file.
DROPPED = {
    "*": ["genindex*.html", "search.html", "py-modindex.html", "bookindex.html", "_*/*"],
    "sqlite3-doc": [
        "doc_*_crossref.html",
        "keyword_index.html",
        "sitemap.html",
        "doclist.html",
        "requirements.html",
        "releaselog/*",
    ],
    "git-doc": ["index.html", "howto-index.html"],
    "exim4-doc-html": ["ch-*_index.html"],
    "python-django-doc": ["contents.html", "django-*.html", "releases/*"],
    "developers-reference-ja": ["developers-reference.html"],
    "gimp-help-ja": ["gimp-help-index.html"],
    "borgbackup-doc": ["book.html"],
    "haproxy-doc": ["lua/genindex.html", "lua/search.html", "lua/_*/*"],
    "installation-guide-fr": ["index.html"],
    "gnucash-guide-en": ["index.html", "ix*.html", "fdl*.html"],
    "nut-doc": ["*index.html", "FAQ.html", "developer-guide/*", "packager-guide/*", "cables/*", "solaris-usb/*"],
}


class Failed(Exception):
    """Something went wrong that one line can say."""


def run(command: list[str], cwd: Path) -> None:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    except FileNotFoundError:
        raise Failed(f"{command[0]} is not there: the corpora are Debian packages") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise Failed(f"{' '.join(command)}: {lines[-1]}")


def download(package: str, folder: Path) -> Path:
    """Download a package; refresh apt's lists once if that fails and may help."""
    try:
        run(["apt-get", "-q", "download", package], folder)
    except Failed:
        if os.geteuid() != 0:
            raise
        run(["apt-get", "-q", "update"], folder)
        run(["apt-get", "-q", "download", package], folder)
    return next(folder.glob("*.deb"))


def dropped(corpus: str, page: str) -> bool:
    patterns = DROPPED["*"] + DROPPED.get(corpus, [])
    return any(fnmatch.fnmatch(page, pattern) for pattern in patterns)


def fetch(corpus: str, target: Path) -> int:
    """Fetch one corpus into target/corpus and return its number of pages."""
    if (INVENTED / corpus).is_dir():
        shutil.copytree(INVENTED / corpus, target / corpus)
        return sum(each.is_file() for each in (target / corpus).rglob("*"))
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target) as name:
        folder = Path(name)
        unpacked, pages = folder / "package", folder / "pages"
        run(["dpkg-deb", "-x", str(download(PACKAGES.get(corpus, corpus), folder)), str(unpacked)], folder)
        root = unpacked / CORPORA[corpus]
        for source in sorted(root.rglob("*.html")):
            page = source.relative_to(root).as_posix()
            if source.is_symlink() or not source.is_file() or dropped(corpus, page):
                continue
            (pages / page).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, pages / page)
        if not pages.is_dir():
            raise Failed(f"{corpus}: the package holds no pages at {CORPORA[corpus]}")
        pages.rename(target / corpus)
    return sum(1 for _ in (target / corpus).rglob("*.html"))


def asked_for(names: list[str]) -> list[str]:
    """The corpora named, with a question set standing for those that it asks."""
    wanted: list[str] = []
    for name in names:
        if name.endswith(".toml"):
            wanted += [question["corpus"] for question in tomllib.loads(Path(name).read_text("utf-8"))["question"]]
        else:
            wanted.append(name)
    return list(dict.fromkeys(wanted))


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    target = Path(arguments[0]).resolve()
    try:
        there = [*CORPORA, *(each.name for each in sorted(INVENTED.iterdir()))]
        wanted = asked_for(arguments[1:]) or there
        unknown = [corpus for corpus in wanted if corpus not in there]
        if unknown:
            raise Failed(f"no such corpus: {', '.join(unknown)} (there are: {', '.join(there)})")
        target.mkdir(parents=True, exist_ok=True)
        for corpus in wanted:
            if (target / corpus).is_dir():
                print(f"{corpus}: already there")
            else:
                print(f"{corpus}: {fetch(corpus, target)} pages", flush=True)
    except (Failed, OSError, tomllib.TOMLDecodeError) as problem:
        print(f"fetch_corpora: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
