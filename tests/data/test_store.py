"""The store: what goes in comes out, the same bytes every time, damage is noticed."""

import json
from dataclasses import replace

import numpy as np
import pytest

from neurok.data.sample import Facts, decode_sample, encode_sample, sample_from_motion
from neurok.data.store import Rejected, Store, is_finished, write_index, write_shard
from neurok.errors import InputError
from neurok.geometry.motion import Motion
from neurok.geometry.primitives import grid
from neurok.kinematics.articulated import Articulated
from tests.mechanics.objects import chain

FACTS = Facts("made/chain", "made", "Apache-2.0", "chain", "made/chain", parts=("base", "bar"))


def jointed(seed: int = 0) -> Motion:
    import torch

    space = Articulated(chain(3))
    states = space.prior.sample(5, torch.Generator().manual_seed(seed))
    X = np.stack([space.transforms(q).numpy() for q in states])
    return Motion(space.mesh, np.arange(5.0), skin=space.skin, transforms=X)


def waving() -> Motion:
    cloth = grid(1.0, 1.0, 6, 6)
    t = np.linspace(0, 1, 4)
    frames = np.tile(cloth.vertices, (4, 1, 1))
    frames[:, :, 2] += 0.2 * np.sin(3 * cloth.vertices[:, 0] + t[:, None])
    return Motion(cloth, t, positions=frames)


def test_rigid_parts_come_back_exactly():
    motion = jointed()
    sample = decode_sample(encode_sample(sample_from_motion(FACTS, motion)))
    assert sample.moved.size == 0 and sample.facts == FACTS
    for i in range(5):
        np.testing.assert_allclose(sample.frame(i), motion.frame(i), atol=2e-6 * motion.mesh.diagonal)


def test_soft_parts_come_back_within_the_stated_error():
    motion = waving()
    sample = decode_sample(encode_sample(sample_from_motion(FACTS, motion)))
    worst = max(np.abs(sample.frame(i) - motion.frame(i)).max() for i in range(4))
    assert 0 < worst <= sample.step / 2 + 1e-6
    assert sample.step / 2 < 1e-4 * motion.mesh.diagonal


def test_scaling_bones_are_kept_as_displacements():
    motion = jointed()
    grown = motion.transforms.copy()
    grown[:, 1, :3, :3] *= 1.5
    motion = replace(motion, transforms=grown)
    sample = sample_from_motion(FACTS, motion)
    np.testing.assert_allclose(sample.frame(3), motion.frame(3), atol=sample.step)


def build(folder, names=("a", "b", "c")):
    for number, name in enumerate(names):
        facts = replace(FACTS, name=f"made/{name}", split="dev" if name == "b" else "train")
        results = [sample_from_motion(facts, jointed(number)), Rejected(f"made/{name}x", "made", "no faces")]
        write_shard(folder, number, results)
    return write_index(folder, {"name": "test"})


def test_store_round_trip(tmp_path):
    index = build(tmp_path)
    store = Store(tmp_path)
    assert store.names() == ["made/a", "made/b", "made/c"] and store.names("dev") == ["made/b"]
    assert len(index["rejected"]) == 3 and len(store) == 3
    for number, sample in enumerate(store):
        motion = jointed(number)
        np.testing.assert_allclose(sample.frame(2), motion.frame(2), atol=1e-5)


def test_other_tools_read_the_shards(tmp_path):
    """Members are ordinary: python's own tar and numpy read them."""
    import io
    import tarfile

    build(tmp_path)
    with tarfile.open(tmp_path / "shard-00000.tar") as tar:
        names = tar.getnames()
        vertices = np.load(io.BytesIO(tar.extractfile("made__a.vertices.npy").read()))
    assert len(names) == 7 and vertices.shape == (jointed().mesh.vertex_count, 3)


def test_same_input_same_bytes(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        build(tmp_path / folder)
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_half_a_shard_is_no_shard(tmp_path):
    def killed():
        yield sample_from_motion(FACTS, jointed())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_shard(tmp_path, 0, killed())
    assert not is_finished(tmp_path, 0)
    write_shard(tmp_path, 0, [sample_from_motion(FACTS, jointed())])
    assert is_finished(tmp_path, 0)


@pytest.mark.parametrize("place", ["start", "middle", "end"])
def test_a_flipped_byte_is_noticed(tmp_path, place):
    build(tmp_path)
    path = tmp_path / "shard-00001.tar"
    entry = Store(tmp_path).entries["made/b"]
    data = bytearray(path.read_bytes())
    # In a member's header, in its content, and in the last content of the sample.
    spot = {"start": 2, "middle": entry["bytes"] // 2, "end": 600}[place]
    data[spot] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        Store(tmp_path).read("made/b")
    Store(tmp_path).read("made/a")


def test_a_store_says_what_is_wrong(tmp_path):
    with pytest.raises(InputError, match="not a data store"):
        Store(tmp_path)
    build(tmp_path)
    with pytest.raises(InputError, match="no 'made/z'"):
        Store(tmp_path).read("made/z")
    (tmp_path / "shard-00002.tar").unlink()
    with pytest.raises(InputError, match="missing"):
        Store(tmp_path).read("made/c")
    index = json.loads((tmp_path / "index.json").read_text())
    (tmp_path / "index.json").write_text(json.dumps(index | {"format": 99}))
    with pytest.raises(InputError, match="another format"):
        Store(tmp_path)
