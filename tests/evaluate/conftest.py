"""A cupboard in the SAPIEN layout: a door on a hinge and a drawer that slides, made of boxes."""

from pathlib import Path

import pytest

CUPBOARD = """<robot name="cupboard">
  <link name="base"/>
  <link name="body"><visual><geometry><box size="0.6 0.4 1"/></geometry></visual></link>
  <link name="door"><visual><origin xyz="0.31 0 0.2"/><geometry><box size="0.02 0.38 0.4"/></geometry></visual></link>
  <link name="drawer">
    <visual><origin xyz="0.15 0 -0.3"/><geometry><box size="0.35 0.3 0.2"/></geometry></visual>
  </link>
  <joint name="stand" type="fixed"><parent link="base"/><child link="body"/></joint>
  <joint name="hinge" type="revolute">
    <origin xyz="0.3 -0.2 0"/><parent link="body"/><child link="turn"/><axis xyz="0 0 1"/>
    <limit lower="-1.5" upper="0"/>
  </joint>
  <link name="turn"/>
  <joint name="leaf" type="fixed"><origin xyz="-0.3 0.2 0"/><parent link="turn"/><child link="door"/></joint>
  <joint name="slide" type="prismatic">
    <parent link="body"/><child link="drawer"/><axis xyz="1 0 0"/><limit lower="0" upper="0.3"/>
  </joint>
</robot>
"""


@pytest.fixture
def cupboards(tmp_path: Path) -> Path:
    """A folder with two of them, 1 and 2."""
    folder = tmp_path / "objects"
    for name in ("1", "2"):
        (folder / name).mkdir(parents=True)
        (folder / name / "mobility.urdf").write_text(CUPBOARD)
    return folder
