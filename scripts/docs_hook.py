"""Adds to the site what lies beside docs/ (changelog, examples …) and what is made from the code.

Pages link to files as they lie in the repository (``../examples/agent.py``) and to folders, so that the
links hold there too; in the site they lead to the copies and to the folder's index.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

from equipoise.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "examples").glob("agent.*"))]
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", *EXAMPLES)
INDEX = "reference/index.md"
WORKER = "iframe-worker.js"
ELSEWHERE = re.compile(
    r'<(?:script|img|iframe)\b[^>]*\bsrc="(https?:|//)[^"]*"|<link\b[^>]*stylesheet[^>]*//[^>]*>'
)
LINK = re.compile(r"\]\((?P<target>[^)#\s:]+)(?P<anchor>#[^)]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add the files to those of docs/."""
    contents = {name: (ROOT / name).read_text(encoding="utf-8") for name in BESIDE}
    contents |= {INDEX: _index(Path(config.docs_dir)), "commands.md": "\n".join(_commands())}
    contents[f"javascripts/{WORKER}"] = (ROOT / "scripts" / WORKER).read_text(encoding="utf-8")
    for name, content in contents.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Point links out of docs/ to the copies in the site, and links to folders to the index."""
    place = page.file.src_uri
    home = os.path.dirname(place)

    def moved(found: re.Match[str]) -> str:
        target = os.path.normpath(os.path.join(home, found["target"]))
        target = target.removeprefix("../").removeprefix("docs/")
        if (Path(config.docs_dir) / target).is_dir():
            target = INDEX
        return f"]({os.path.relpath(target, home or '.')}{found['anchor'] or ''})"

    return LINK.sub(moved, markdown)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Stop where a page would load anything from elsewhere."""
    if found := ELSEWHERE.search(output):
        raise PluginError(f"{page.file.src_uri} would load {found[0]}")
    return output


def _index(docs: Path) -> str:
    """Return a page with a link to every page of the reference."""
    lines = ["# Reference", "", "- [Every command](../commands.md)", "- [Python](../api.md)"]
    for path in sorted((docs / "reference").rglob("*.md")):
        title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        lines.append(f"- [{title}]({path.relative_to(docs / 'reference').as_posix()})")
    return "\n".join(lines)


def _commands() -> Iterator[str]:
    """Yield the lines of a page of all commands and their options."""
    yield "# Command line\n\n*Made from the commands when the site is built; the same as `--help`.*\n"
    group: Any = typer.main.get_command(app)
    for name, command in group.commands.items():
        for full, one in _leaves(name, command):
            yield f"## equipoise {full}\n\n{_prose(one.help)}\n\n| | meaning |\n|---|---|"
            context = one.context_class(one, info_name=full)
            records = filter(None, (parameter.get_help_record(context) for parameter in one.params))
            yield from (f"| `{_cell(flags)}` | {_cell(_prose(meaning))} |" for flags, meaning in records)
            yield ""


def _leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands") or command.invoke_without_command:
        yield name, command
    for part, inner in getattr(command, "commands", {}).items():
        yield from _leaves(f"{name} {part}", inner)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _prose(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines() if line.strip()).replace("<", "&lt;")
