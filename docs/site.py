"""The pages of the documentation site: `make site` copies them and adds the Python reference.

The copies keep their places relative to each other, so links between them stay as they are. The
reference is read from the docstrings of the public names in `leeward.__all__`.
"""

import ast
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


def public_names() -> list[str]:
    """The names that users may rely on."""
    tree = ast.parse((ROOT / "src/leeward/__init__.py").read_text(encoding="utf-8"))
    lists = [
        ast.literal_eval(one.value)
        for one in tree.body
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "__all__"
    ]
    return [name for name in lists[0] if not name.startswith("__")]


def python_page() -> str:
    """A page with an entry for each public name."""
    entries = (f"::: leeward.{name}\n" for name in sorted(public_names(), key=str.lower))
    return "# Python\n\nThe public names of the package, from their docstrings.\n\n" + "\n".join(
        entries
    )


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
    (pages / "docs/reference/python.md").write_text(python_page(), encoding="utf-8")
    (pages / "docs/decisions/index.md").write_text(decisions_page(pages), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
