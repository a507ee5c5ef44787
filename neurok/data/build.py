"""Build a store from a recipe: shards in parallel, an index, a card; resumable at any moment."""

import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from neurok.data.engines import run_tasks
from neurok.data.recipes import RECIPES, RecipeItem, build_item, list_items
from neurok.data.sheet import write_sheet
from neurok.data.store import Store, is_finished, write_index, write_shard
from neurok.errors import OutputError


@dataclass(frozen=True)
class ShardTask:
    """One shard to build."""

    folder: str
    number: int
    items: tuple[RecipeItem, ...]
    seed: int


def build(
    recipe: str,
    out: str | Path,
    *,
    partnet: str | None = None,
    animated: str | None = None,
    sources: tuple[str, ...] = (),
    limit: int | None = None,
    workers: int | None = None,
    engine: str = "local",
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> dict[str, Any]:
    """Build the store `out`; an interrupted build continues where it stopped. Returns the index."""
    out = Path(out)
    wanted = list_items(recipe, partnet=partnet, animated=animated, sources=sources, limit=limit, seed=seed)
    plan = {"recipe": recipe, "seed": seed, "items": [asdict(item) for item in wanted]}
    folder = _begin(out, plan)
    size = RECIPES[recipe].per_shard
    groups = [tuple(wanted[i : i + size]) for i in range(0, len(wanted), size)]
    missing = [ShardTask(str(folder), n, g, seed) for n, g in enumerate(groups) if not is_finished(folder, n)]
    done = len(groups) - len(missing)
    for _ in run_tasks(engine, build_shard, missing, workers):
        done += 1
        if progress is not None:
            progress(done / len(groups))
    try:
        return _finish(folder, out, {"name": recipe, "seed": seed})
    except OSError as fault:
        raise OutputError(
            f"the index, card or sheets cannot be written to {folder} ({fault.strerror or fault})",
            "make room and run the same command again",
        ) from fault


def _finish(folder: Path, out: Path, recipe: dict[str, Any]) -> dict[str, Any]:
    """Write index, card and sheets beside the shards, then rename the folder. Returns the index."""
    index = write_index(folder, recipe)
    (folder / "README.md").write_text(format_card(index))
    store = Store(folder)
    for source in sorted({entry["source"] for entry in index["samples"]}):
        write_sheet(store, folder / f"sheet-{source}.png", source=source)
    (folder / "plan.json").unlink()
    os.replace(folder, out)
    return index


def build_shard(task: ShardTask) -> int:
    """Build one shard's items, in their order."""
    write_shard(Path(task.folder), task.number, (build_item(item, task.seed) for item in task.items))
    return task.number


def _begin(out: Path, plan: dict[str, Any]) -> Path:
    """The folder of the build; one that the same plan left behind is continued."""
    if out.exists():
        raise OutputError(f"{out} is there already", "remove it or name another folder")
    if not out.parent.is_dir():
        raise OutputError(f"there is no folder {out.parent}", "make it first")
    folder = out.with_name(out.name + ".building")
    text = json.dumps(plan, sort_keys=True)
    try:
        folder.mkdir(exist_ok=True)
        if not (folder / "plan.json").exists():
            if any(folder.glob("shard-*")):
                raise OutputError(f"{folder} holds shards of an unknown plan", "remove it")
            (folder / ".plan.part").write_text(text)
            os.replace(folder / ".plan.part", folder / "plan.json")
        elif (folder / "plan.json").read_text() != text:
            raise OutputError(f"{folder} is left from another build", "finish that one, or remove the folder")
    except OSError as fault:
        raise OutputError(f"{folder} cannot be made ({fault.strerror})", "choose another place") from None
    return folder


def format_tables(index: dict[str, Any]) -> list[str]:
    """The contents of a store as lines of Markdown: sources and splits, categories, rejected objects with reasons."""
    samples, rejected = index["samples"], index["rejected"]
    lines = [f"{len(samples)} objects in {len(index['shards'])} shards; {len(rejected)} rejected.", ""]
    lines += ["| source | split | objects | states | licences |", "|---|---|---|---|---|"]
    for source, split in sorted({(s["source"], s["split"]) for s in samples}):
        mine = [s for s in samples if (s["source"], s["split"]) == (source, split)]
        licences = ", ".join(sorted({s["licence"] for s in mine}))
        lines.append(f"| {source} | {split} | {len(mine)} | {sum(s['states'] for s in mine)} | {licences} |")
    lines += ["", "| category | objects |", "|---|---|"]
    lines += [f"| {name} | {count} |" for name, count in sorted(Counter(s["category"] for s in samples).items())]
    if rejected:
        lines += ["", "## Rejected", ""] + [f"- {r['name']}: {r['reason']}" for r in rejected]
    return lines


def format_card(index: dict[str, Any]) -> str:
    """The README of a store."""
    lines = [
        f"# Data store, recipe `{index['recipe']['name']}`, seed {index['recipe']['seed']}",
        "",
        *format_tables(index),
    ]
    for source in sorted({s["source"] for s in index["samples"]}):
        lines += ["", f"![some objects of {source}, each at rest and moved](sheet-{source}.png)"]
    lines += ["", "## Shards", ""] + [f"- `{s['name']}` sha256 {s['sha256']}" for s in index["shards"]]
    return "\n".join(lines) + "\n"
