"""What was measured, for people: lines on the terminal, a Markdown page, pictures of the best and the worst."""

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OutputError
from neurok.evaluate.deformation import Evaluation, Task, corners_of
from neurok.evaluate.method import METHODS, methods
from neurok.evaluate.objects import find, pairs_of
from neurok.evaluate.pairs import torn
from neurok.evaluate.plot import line_plot
from neurok.evaluate.results import Result
from neurok.evaluate.targets import target_of
from neurok.geometry.mesh import Array
from neurok.mechanics.trajectory import Trajectory

SIDE = 300  # pixels of a picture


def summary(plain: dict[str, Any]) -> list[str]:
    """The headline of every method and target: how much of the motion it recovers."""
    settings = plain["settings"]
    lines = [f"{settings['objects']} objects of {settings['data']}, split {settings['split']}; "
             "motion recovered, median / mean [95 % of the median] (1 is perfect, 0 is not moving):"]  # fmt: skip
    for row in plain["rows"]:
        if not row["group"].startswith("category") and "motion_recovered" in row:
            lines.append(f"  {row['target']:<14}{row['group']:<11}{row['method']:<12}{recovered(row)}"
                         f"  {row['pairs']} pairs, {row['skipped']} skipped")  # fmt: skip
    return lines


def recovered(row: dict[str, Any], name: str = "motion_recovered") -> str:
    cell = row[name]
    low, high = cell["interval"]
    return f"{cell['median']:6.2f} / {cell['mean']:5.2f} [{low:.2f}, {high:.2f}]"


# ---------------------------------------------------------------- Markdown


def markdown(plain: dict[str, Any]) -> str:
    """The report's page."""
    settings = plain["settings"]
    lines = ["# Deformation", "", f"Data `{Path(settings['data']).name}`, split `{settings['split']}`: "
             f"{settings['objects']} objects, seed {settings['seed']}. The diagonal of state a is 1. Every figure is a "
             "median over pairs / its floor (two samplings of the true target) / not moving.", ""]  # fmt: skip
    lines += [f"- `{name}`: {METHODS[name][2]}" for name in settings["methods"]]
    for group in dict.fromkeys(row["group"] for row in plain["rows"]):
        lines += ["", f"## {group}", ""] + _table([row for row in plain["rows"] if row["group"] == group])
    lines += ["", "## The paper's table", "",
              "Its sampling and normalisation are not published: compare its rows among themselves.", "",
              "| method | Chamfer-L1 | Chamfer-L2 | IoU | here |", "|---|---|---|---|---|"]  # fmt: skip
    for row in plain["paper"]:
        here = f"not run: {row['not_run']}" if row["not_run"] else ""
        lines.append(f"| {row['method']} | {row['chamfer_l1']} | {row['chamfer_l2']} | {row['iou']} | {here} |")
    if plain["left_out"]:
        lines += ["", "## Left out", ""] + [f"- {name}: {reason}" for name, reason in plain["left_out"].items()]
    return "\n".join(lines) + "\n"


def _table(rows: list[dict[str, Any]]) -> list[str]:
    lines = ["| target | method | motion recovered, median / mean [95 %] | Chamfer-L1 recovered | Chamfer-L1 | "
             "Chamfer-L2 | surface IoU | volume IoU | pairs (skipped) | s |",
             "|---|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for row in rows:
        counts = f"{row['pairs']} ({row['skipped']})"
        if "motion_recovered" not in row:
            lines.append(f"| {row['target']} | {row['method']} | – | – | – | – | – | – | {counts} | – |")
            continue
        cells = [_three(row.get(name)) for name in ("chamfer_l1", "chamfer_l2", "surface_iou", "volume_iou")]
        lines.append(
            f"| {row['target']} | {row['method']} | {recovered(row)} | {recovered(row, 'chamfer_l1_recovered')} | "
            f"{' | '.join(cells)} | {counts} | {row['seconds']:.2f} |"
        )
    return lines


def _three(figures: dict[str, Any] | None) -> str:
    if figures is None:
        return "–"
    return " / ".join(f"{figures[part]['median']:.4f}" for part in ("value", "floor", "still"))


# ---------------------------------------------------------------- files


def write_report(found: Evaluation, plain: dict[str, Any], folder: Path, text: str) -> list[Path]:
    """report.md, report.json and one sheet of pictures per method that moves."""
    page, written = markdown(plain), []
    for method in found.settings["methods"]:
        picture = _sheet(found, method)
        if picture is not None:
            written.append(_put(folder / f"{method}.png", _png(picture)))
            page += f"\n## {METHODS[method][2].capitalize()}\n\n![state a, target, prediction]({method}.png)\n"
    return [*written, _put(folder / "report.md", page.encode()), _put(folder / "report.json", (text + "\n").encode())]


def write_energy(swing: Trajectory, folder: Path) -> Path:
    """energy.png: kinetic, potential and total energy over time."""
    curves = {"kinetic": swing.kinetic, "potential": swing.potential, "total": swing.total}
    return _put(folder / "energy.png", _png(line_plot(swing.time, curves, across="time [s]", up="energy [J]")))


def _png(pixels: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def _put(path: Path, data: bytes) -> Path:
    """Write under a temporary name, then rename."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(exist_ok=True)
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as fault:
        raise OutputError(f"{path} cannot be written ({fault.strerror})", "choose another place") from fault
    return path


def _sheet(found: Evaluation, method: str) -> NDArray[np.uint8] | None:
    """State a, target and prediction of the best, the median and the worst pair, for each target, [h, w, 3]."""
    if method == "still":
        return None
    chosen = []
    for target in found.settings["targets"]:
        mine = [r for r in found.results if (r.method, r.target) == (method, target) and r.figures["moves"]]
        mine.sort(key=lambda r: -r.figures["motion_recovered"])
        chosen += [("best", mine[0]), ("median", mine[len(mine) // 2]), ("worst", mine[-1])] if mine else []
    if not chosen:
        return None
    from neurok.files.pictures import tiled

    entries = {e.name: e for e in find(found.settings["data"], found.settings["split"])}
    pictures = [p for label, result in chosen for p in _pictures(found, entries[result.object], label, result)]
    return tiled(pictures, 9)


def _pictures(found: Evaluation, entry: Any, label: str, result: Result) -> list[NDArray[np.uint8]]:
    from neurok.files.camera import Camera
    from neurok.files.pictures import captioned
    from neurok.files.renderer import Renderer

    task = Task(entry, (result.method,), (result.target,), found.settings["seed"])
    pair = pairs_of(entry, seed=task.seed)[result.pair]
    (method,) = methods(task.methods)
    space = method.space(pair.mesh, pair.truth if method.sees_truth else None)
    shapes = [
        pair.rest,
        pair.target,
        corners_of(pair, method, method.fit(space, target_of(pair, result.target, task.seed))),
    ]
    # What has flown apart must not make the camera step back until nothing is seen.
    camera = Camera.framing([_near(s) for s in shapes], pair.mesh.up, 1.0)
    captions = [f"{result.object}, pair {result.pair}", f"{result.target}: target",
                f"{label}: {result.figures['motion_recovered']:.2f}"]  # fmt: skip
    with Renderer(SIDE, SIDE) as renderer:
        return [captioned(renderer.picture(torn(s, pair.mesh.up), camera=camera), c) for s, c in zip(shapes, captions)]


def _near(corners: Array) -> Array:
    return np.clip(corners.reshape(-1, 3), -1.5, 1.5)
