"""The joints of an object as `neurok render` draws them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neurok.articulate.painting import PALETTE, find_color, is_painted, make_color, paint_links
from neurok.commands.say import counted
from neurok.files.camera import CameraView
from neurok.files.colors import RGBA
from neurok.files.ghost import TINT, TINT_SHARE
from neurok.files.joint_sheet import MAX_ROWS, ROW_SIZE, JointRow, fade_colors, list_clip_rows, list_rows, render_joints
from neurok.files.pictures import save_picture
from neurok.files.registry import Asset
from neurok.geometry.mesh import Mesh

FADED_SHARE = 0.75  # how far the colours of painted parts are drawn to that of the base where another part is shown


@dataclass(frozen=True)
class DrawnJoints:
    """mesh: as it is drawn; rows: of all joints, with the colour of what each moves; share: how much that covers."""

    mesh: Mesh
    rows: Sequence[JointRow]
    colors: Sequence[RGBA]
    share: float


def list_drawn(asset: Asset) -> DrawnJoints | None:
    """The joints of an object, or those that its clips show; None where it has neither."""
    joints = asset.articulation
    if joints is not None and joints.coordinate_freedoms and joints.mesh.face_count:
        joints = paint_links(joints)
        mesh, rows = joints.mesh, list_rows(joints)
    elif len(asset.motions) > 1:
        mesh, rows = asset.motions[0].mesh, list_clip_rows(asset.motions)
    else:
        return None
    if not rows:
        return None
    if not is_painted(mesh):
        return DrawnJoints(mesh, rows, [TINT] * len(rows), TINT_SHARE)
    colors = [find_color(mesh, row.part.vertices) for row in rows]
    return DrawnJoints(fade_colors(mesh, make_color(PALETTE[0]), FADED_SHARE), rows, colors, 1.0)


def write_joints(drawn: DrawnJoints, path: Path, view: CameraView, size: int | None) -> str:
    """Write the sheet; what is in it, in words."""
    rows = drawn.rows[:MAX_ROWS]
    side = ROW_SIZE if size is None else (size, size)
    save_picture(render_joints(drawn.mesh, rows, drawn.colors, view, side, share=drawn.share), path)
    count = counted(len(drawn.rows), "joint")
    rest = ", ".join(row.part.name for row in drawn.rows[MAX_ROWS:])
    return f"{count}; drawn are the first {len(rows)}, not {rest}" if rest else f"{count} from lower to upper limit"
