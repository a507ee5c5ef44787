"""The scene of the README, docs/gallery/scene.jpg: python docs/gallery/scene.py [SEED]."""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from neurok.files.camera import CameraView
from neurok.files.pictures import render_mesh
from neurok.scenes.actions import parse_action
from neurok.scenes.agent import run_agent
from neurok.scenes.making import make_scene
from neurok.scenes.words import parse_scene

TEXT = (
    "a kitchen counter with a red kettle, a toaster, a microwave and an open drawer below. "
    "A dining chair in front of the kitchen counter. A refrigerator right of the kitchen counter"
)
SHARE = 0.55  # of the hand's work, at which the picture is taken
SIZE = (1280, 800)


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    scene = make_scene(parse_scene(TEXT, seed))
    run = run_agent(scene, [parse_action("open door of refrigerator", scene.placed)])
    mesh = run.recording.mesh_at(round(SHARE * (run.recording.frame_count - 1)))
    pixels = render_mesh(mesh, CameraView(azimuth=-34.0, elevation=20.0, margin=0.03), SIZE)
    Image.fromarray(np.asarray(pixels)).resize((960, 600), Image.Resampling.LANCZOS).save(
        Path(__file__).with_name("scene.jpg"), quality=85, optimize=True
    )


if __name__ == "__main__":
    main()
