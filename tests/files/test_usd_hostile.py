"""Stages from strangers: damage, climbing out of the folder, bombs. Only a NeurokError may come out."""

import os
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pxr")

from neurok.errors import InputError, MissingExtra, NeurokError
from neurok.files.registry import load, save
from neurok.files.source import Source, open_archive
from neurok.files.usd import read
from tests.files.usd_things import image, machine, read_here, skin_motion, two_boxes

TRIANGLE = """int[] faceVertexCounts = [3]
 int[] faceVertexIndices = [0, 1, 2]
 point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
"""
GOOD = '#usda 1.0\ndef Mesh "m" {\n' + TRIANGLE + "}\n"
WRONG_TYPE = GOOD.replace("point3f[] points", "int points").replace("[(0, 0, 0), (1, 0, 0), (0, 1, 0)]", "7")


def write(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#usda 1.0\n" + body)
    return path


def mutations(data: bytes, count: int, seed: int) -> list[bytes]:
    """Flipped, cut, repeated and swapped bytes."""
    generator = np.random.default_rng(seed)
    result = []
    for _ in range(count):
        new = bytearray(data)
        for _ in range(int(generator.integers(1, 6))):
            at = int(generator.integers(0, len(new)))
            kind = generator.integers(0, 4)
            if kind == 0:
                new[at] = int(generator.integers(0, 256))
            elif kind == 1:
                new[at : at + 8] = generator.integers(0, 256, 8, dtype=np.uint8).tobytes()
            elif kind == 2:
                new[at : at + 4] = b"\xff\xff\xff\x7f"
            else:
                del new[at : at + int(generator.integers(1, 40))]
        result.append(bytes(new))
    return result


@pytest.mark.parametrize("suffix", [".usdc", ".usda"])
@pytest.mark.parametrize("make", [skin_motion, machine])
def test_mutated_bytes_end_in_an_error_or_a_sound_mesh(make, suffix, tmp_path):
    data = save(make(), tmp_path / f"good{suffix}").read_bytes()
    for index, new in enumerate([data[: len(data) // 2], *mutations(data, 7, len(data))]):
        path = tmp_path / f"bad{index}{suffix}"
        path.write_bytes(new)
        try:
            asset = load(path)
        except NeurokError as fault:
            assert str(fault).endswith(".") and "\n" not in str(fault)
        else:
            assert np.isfinite(asset.mesh.vertices).all()


@pytest.mark.parametrize(
    "content, problem",
    [
        (b"", "is empty"),
        (b"\0" * 100, "is not a USD file"),
        (b"#usda 1.0\n", "no visible mesh"),
        (b"#usda 1.0\ndef {{{", "cannot be"),
        (b"PXR-USDC" + b"\xff" * 80, "cannot be|damaged"),
        (GOOD.replace("[0, 1, 2]", "[0, 1, 2000000000]").encode(), "do not fit"),
        (GOOD.replace("[0, 1, 2]", "[0, 1, -1]").encode(), "do not fit"),
        (GOOD.replace("= [3]", "= [1000000000]").encode(), "do not fit"),
        (GOOD.replace("(1, 0, 0)", "(nan, 0, 0)").encode(), "not finite"),
        (WRONG_TYPE.encode(), "cannot be|no visible"),
        (b"#usda 1.0\n(\n metersPerUnit = -1\n)\n" + GOOD.removeprefix("#usda 1.0\n").encode(), "metersPerUnit"),
    ],
)  # fmt: skip
def test_damage_is_named(content, problem, tmp_path):
    path = tmp_path / "bad.usd"
    path.write_bytes(content)
    with pytest.raises(InputError, match=problem):
        load(path)


def test_a_parser_that_dies_or_hangs_is_an_error_here(tmp_path, monkeypatch):
    """The process that parses is killed by the system, or never ends."""
    from neurok.files.usd import reader

    path = tmp_path / "good.usda"
    path.write_text(GOOD)
    monkeypatch.setattr(reader, "CHILD_PROGRAM", "import os; os.kill(os.getpid(), 11)")
    with pytest.raises(InputError, match="stops the USD parser"):
        load(path)
    monkeypatch.setattr(reader, "CHILD_PROGRAM", "import time; time.sleep(60)")
    monkeypatch.setattr(reader, "BASE_SECONDS", 0.5)
    with pytest.raises(InputError, match="not read within"):
        load(path)


def test_the_parser_may_not_take_all_memory(tmp_path, monkeypatch):
    from neurok.files.usd import reader

    path = tmp_path / "good.usda"
    path.write_text(GOOD)
    greedy = "child._read_request = lambda *_: bytearray(1 << 40)"
    monkeypatch.setattr(reader, "CHILD_PROGRAM", f"from neurok.files.usd import child; {greedy}; child.main()")
    with pytest.raises(InputError, match="memory"):
        load(path)


OUTSIDE = [
    'def "a" (\n references = @../secret.usda@\n) {}\n',
    'def "a" (\n payload = @../secret.usda@\n) {}\n',
    "(\n subLayers = [@../secret.usda@]\n)\n",
    'def "a" (\n references = @/SECRET/secret.usda@\n) {}\n',
    'def "a" (\n variantSets = "v"\n) {\n variantSet "v" = {\n "x" (\n references = @../secret.usda@\n) {\n }\n }\n}\n',
    'def "a" (\n clips = {\n dictionary default = {\n asset[] assetPaths = [@../secret.usda@]\n'
    ' string primPath = "/m"\n double2[] active = [(0, 0)]\n double2[] times = [(0, 0)]\n }\n }\n) {}\n',
    'def "a" (\n references = @`"${X}"`@\n) {}\n',
    'def "a" (\n references = @https://example.org/a.usda@\n) {}\n',
    'def "a" (\n references = @./link.usda@\n) {}\n',
    'def "a" (\n references = @./inner/deeper.usda@\n) {}\n',
]


@pytest.mark.parametrize("body", OUTSIDE)
def test_what_lies_outside_the_folder_is_refused(body, tmp_path):
    (tmp_path / "secret.usda").write_text(GOOD)
    folder = tmp_path / "given"
    write(folder / "inner" / "deeper.usda", "(\n subLayers = [@../../secret.usda@]\n)\n")
    os.symlink(tmp_path / "secret.usda", folder / "link.usda")
    path = write(folder / "s.usda", body.replace("/SECRET", str(tmp_path)) + 'def Mesh "m" {\n' + TRIANGLE + "}\n")
    with pytest.raises(InputError, match="outside its own folder|computes the name|not a file"):
        read_here(path)


def test_what_lies_outside_is_read_when_allowed(tmp_path):
    (tmp_path / "secret.usda").write_text('#usda 1.0\n(\n defaultPrim = "m"\n)\n' + GOOD.removeprefix("#usda 1.0\n"))
    path = write(tmp_path / "given" / "s.usda", 'def "a" (\n references = @../secret.usda@\n) {}\n')
    with pytest.raises(InputError, match="outside"):
        load(path)
    assert load(path, allow_outside=True).mesh.vertex_count == 3


def test_neighbours_in_the_folder_are_read_and_missing_ones_noted(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.usda").write_text(
        '#usda 1.0\n(\n defaultPrim = "m"\n)\n' + GOOD.removeprefix("#usda 1.0\n")
    )
    body = 'def "a" (\n references = @./parts/m.usda@\n) {}\ndef "b" (\n references = @./parts/none.usda@\n) {}\n'
    asset = read_here(write(tmp_path / "s.usda", body))
    assert asset.mesh.vertex_count == 3
    assert any("none.usda" in note for note in asset.notes)


def textured(asset: str) -> str:
    return (
        'def Mesh "m" (\n prepend apiSchemas = ["MaterialBindingAPI"]\n) {\n'
        + TRIANGLE
        + "rel material:binding = </x>\n}\n"
        'def Material "x" { token outputs:surface.connect = </x/s.outputs:surface>\n'
        'def Shader "s" { uniform token info:id = "UsdPreviewSurface"\n token outputs:surface\n'
        " color3f inputs:diffuseColor.connect = </x/t.outputs:rgb>\n}\n"
        'def Shader "t" { uniform token info:id = "UsdUVTexture"\n'
        f"asset inputs:file = @{asset}@\n float3 outputs:rgb\n}}\n}}\n"
    )


def test_textures_outside_the_folder_are_refused(tmp_path):
    (tmp_path / "secret.png").write_bytes(image((0, 0, 0)))
    for name in ("../secret.png", str(tmp_path / "secret.png")):
        with pytest.raises(InputError, match="outside"):
            read_here(write(tmp_path / "given" / "s.usda", textured(name)))
    asset = read_here(write(tmp_path / "given" / "t.usda", textured("missing.png")))
    assert asset.mesh.materials[0].textures == {}
    assert any("missing.png" in note for note in asset.notes)


@pytest.mark.parametrize("member", ["../evil.usda", "/tmp/evil.usda"])
def test_packages_may_not_unpack_outside(member, tmp_path):
    path = tmp_path / "p.usdz"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("p.usda", GOOD)
        package.writestr(member, GOOD)
    with pytest.raises(InputError, match="leads out"):
        load(path)


def test_bombs_and_broken_packages_are_refused(tmp_path):
    path = tmp_path / "p.usdz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("p.usda", GOOD)
        package.writestr("b.bin", bytes(100 << 20))
    with pytest.raises(InputError, match="unpacks to"):
        load(path)
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("readme.txt", "nothing")
    with pytest.raises(InputError, match="no USD stage"):
        load(path)
    path.write_bytes(b"PK\3\4nonsense")
    with pytest.raises(InputError, match="zip"):
        load(path)


def test_a_stage_in_a_zip_finds_its_neighbours(tmp_path):
    save(two_boxes(), tmp_path / "m.usda")
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(tmp_path.rglob("*")):
            if file.is_file() and file != path:
                archive.write(file, Path("inside") / file.relative_to(tmp_path))
    archive = open_archive(path)
    asset = read(Source(path, archive=archive, member="inside/m.usda"))
    assert asset.mesh.materials == two_boxes().materials


def test_modules_beside_the_file_are_not_imported(tmp_path, monkeypatch):
    """A stranger's folder may hold a numpy.py."""
    (tmp_path / "numpy.py").write_text("raise SystemExit('imported')")
    (tmp_path / "m.usda").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    assert load("m.usda").mesh.vertex_count == 3


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    import neurok.files.usd as usd

    monkeypatch.setattr(usd, "find_spec", lambda name: None)
    (tmp_path / "m.usda").write_text(GOOD)
    with pytest.raises(MissingExtra, match=r"neurok\[usd\]"):
        load(tmp_path / "m.usda")
    with pytest.raises(MissingExtra, match=r"neurok\[usd\]"):
        save(two_boxes(), tmp_path / "n.usda")
    assert not (tmp_path / "n.usda").exists() and sys.modules.get("numpy")
