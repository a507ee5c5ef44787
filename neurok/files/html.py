"""HTML: a motion as one page that plays by itself, without a network, in any browser."""

import base64
import gzip
import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neurok.errors import OutputError
from neurok.files.clips import Clip, encode_clip
from neurok.files.drawing import Drawing
from neurok.files.packets import pack
from neurok.files.scenery import Scenery, build_scenery
from neurok.files.stage import Stage
from neurok.geometry.motion import Motion

PLAYER_FOLDER = Path(__file__).parent / "player"


@dataclass(frozen=True)
class SharePage:
    """What a share page holds. metres: what the stage's unit is."""

    title: str
    facts: str
    metres: float
    scenery: Scenery
    clip: Clip


def write(thing: Motion | Sequence[Motion], folder: Path, name: str) -> None:
    """Write the page; of several motions it shows the first."""
    motion = thing if isinstance(thing, Motion) else thing[0]
    if motion.mesh.face_count == 0:
        raise OutputError("the motion has points and no faces, which a page cannot show", "use .npz or .usdc")
    (Path(folder) / name).write_text(build_page(motion, Path(name).stem), encoding="utf-8")


def build_page(motion: Motion, title: str) -> str:
    """The text of the page."""
    mesh = motion.mesh
    stage = Stage.of(mesh)
    shown = build_scenery(mesh, Drawing(mesh), stage)
    facts = f"{mesh.vertex_count:,} vertices · {motion.frame_count} frames · {motion.duration:.3g} s"
    share = SharePage(title, facts, stage.size * mesh.unit, shown, encode_clip(motion, stage))
    # The file's own time of day would make two equal motions differ.
    data = base64.b64encode(gzip.compress(pack(share, "Share"), 9, mtime=0)).decode()
    parts = {
        "{{title}}": html.escape(title),
        "{{style}}": (PLAYER_FOLDER / "player.css").read_text(encoding="utf-8"),
        "{{script}}": (PLAYER_FOLDER / "player.js").read_text(encoding="utf-8"),
        "{{licence}}": (PLAYER_FOLDER / "LICENSE-three.txt").read_text(encoding="utf-8").strip(),
        "{{data}}": data,
    }
    text = (PLAYER_FOLDER / "player.html").read_text(encoding="utf-8")
    for mark, part in parts.items():
        before, _, after = text.partition(mark)
        text = before + part + after
    return text
