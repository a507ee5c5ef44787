"""The joints of an object as `neurok render` draws them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neurok.articulate.painting import PALETTE, choose_joint_colors, is_painted, make_color, paint_links
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
    if joints is None or not joints.coordinate_freedoms or not joints.mesh.face_count:
        rows = list_clip_rows(asset.motions) if len(asset.motions) > 1 else []
        return DrawnJoints(asset.motions[0].mesh, rows, [TINT] * len(rows), TINT_SHARE) if rows else None
    painted = paint_links(joints)
    rows = list_rows(painted)
    if not is_painted(painted):
        return DrawnJoints(painted.mesh, rows, [TINT] * len(rows), TINT_SHARE)
    faded = fade_colors(painted.mesh, make_color(PALETTE[0]), FADED_SHARE)
    return DrawnJoints(faded, rows, choose_joint_colors(painted), 1.0)


def write_joints(drawn: DrawnJoints, path: Path, view: CameraView, size: int | None) -> str:
    """Write the sheet; what is in it, in words."""
    rows = drawn.rows[:MAX_ROWS]
    side = ROW_SIZE if size is None else (size, size)
    save_picture(render_joints(drawn.mesh, rows, drawn.colors, view, side, share=drawn.share), path)
    count = counted(len(drawn.rows), "joint")
    rest = ", ".join(row.part.name for row in drawn.rows[MAX_ROWS:])
    return f"{count}; drawn are the first {len(rows)}, not {rest}" if rest else f"{count} from lower to upper limit"
