"""Draws the pictures of the documents anew: `make pictures`."""

from pathlib import Path

from PIL import Image

import neurok
from neurok.demo import build_conditions, make_plain_laptop
from neurok.files.camera import CameraView
from neurok.files.pictures import render_film_strip

mesh, lid = make_plain_laptop()
motion = neurok.animate(neurok.kinematics(mesh), build_conditions(mesh, lid)).motion()
strip = render_film_strip(motion, CameraView(elevation=24.0, margin=0.04), count=6, size=(400, 360))
picture = Image.fromarray(strip).resize((strip.shape[1] // 2, strip.shape[0] // 2), Image.Resampling.LANCZOS)
path = Path(__file__).with_name("laptop.png")
picture.save(path, optimize=True)
print(f"wrote {path} ({path.stat().st_size / 1000:.0f} kB)")
