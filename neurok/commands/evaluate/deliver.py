"""What all verbs that measure do with what they found: print it, or write it to files."""

from pathlib import Path
from typing import Any


def deliver(plain: dict[str, Any], lines: list[str], page: str, json: str | None, output: str | None) -> None:
    """Lines for people, or figures where '-' asks for them; figures to a file, and a report to a folder."""
    from neurok.commands.files import write_text
    from neurok.commands.say import as_json, note, say, written_lines
    from neurok.evaluate.pages import put

    for name, reason in plain["left_out"].items():
        note(f"{name} is left out: {reason}")
    written = [write_text(as_json(plain), Path(json))] if json not in (None, "-") else []
    if output is not None:
        folder = Path(output)
        written += [put(folder / "report.md", page), put(folder / "report.json", as_json(plain) + "\n")]
    if json == "-":
        print(as_json(plain))
        return
    for line in (*lines, *written_lines(written)):
        say(line)
