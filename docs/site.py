"""The pages of the documentation site: `make site` copies them and adds the docstrings.

The copies keep their places relative to each other, so links between them stay as they are. The
Python reference lists the public names, a heading and a line for each: docstrings replace them.
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("*.md", "docs/**/*.md", "src/leeward/**/*.md")
ASSETS = ("docs/**/*.png", "docs/**/*.svg", "docs/**/*.csv", "docs/*.js", "LICENSE")
DECISIONS = re.compile(r"\]\(((?:[\w.]+/)*decisions)/?\)")
"""A link to the folder of decisions, which becomes one to their list."""
SOURCE = re.compile(r"\[([^\]]+)\]\((?:[\w.]+/)*\w+(?:\.(?:py|yaml|toml))?(?:#[^)]*)?\)")
"""A link to a source file or folder, which the site does not hold."""
ENTRY = re.compile(r"^### (\S+)\n\n.+\n", re.MULTILINE)
"""A name of the Python reference and its line."""


def python_page(text: str) -> str:
    """The Python reference with the docstring of each name in place of its one line."""
    return ENTRY.sub(lambda found: f"::: {full_name(found[1])}\n", text)


def full_name(heading: str) -> str:
    """The path of a name that is written as it is used after `import leeward`."""
    return heading if "." in heading else f"leeward.{heading}"


def decisions_page(pages: Path) -> str:
    """The list of decisions with their titles."""
    found = sorted(path for path in (pages / "docs/decisions").glob("0*.md"))
    titles = (path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ") for path in found)
    lines = (f"* [{title}]({path.name})" for path, title in zip(found, titles, strict=True))
    return "# Decisions\n\n" + "\n".join(lines) + "\n"


def write(pages: Path) -> None:
    """Copy the pages into an empty folder and add what is generated."""
    for pattern in (*PAGES, *ASSETS):
        for path in sorted(ROOT.glob(pattern)):
            copy = pages / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            if path.suffix == ".md":
                text = DECISIONS.sub(r"](\1/index.md)", path.read_text(encoding="utf-8"))
                copy.write_text(SOURCE.sub(r"\1", text), encoding="utf-8")
    reference = pages / "docs/reference/python.md"
    reference.write_text(python_page(reference.read_text(encoding="utf-8")), encoding="utf-8")
    (pages / "docs/decisions/index.md").write_text(decisions_page(pages), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
