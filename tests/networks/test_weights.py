"""Weights on disk come back to the bit; whatever else is in their place is refused in a sentence."""

import hashlib
import json
import pickle

import pytest
import torch

from neurok.errors import InputError, NeurokError
from neurok.networks.config import Config, LossWeights, from_values, to_values
from neurok.networks.models import build_model
from neurok.networks.weights import CONFIG, TENSORS, load_model, read_weights, save_weights

TINY = Config(size="tiny")


@pytest.fixture
def folder(tmp_path):
    torch.manual_seed(0)
    save_weights(tmp_path / "w", build_model(TINY).state_dict(), TINY, {"steps": 3})
    return tmp_path / "w"


def _record(folder):
    return json.loads((folder / CONFIG).read_text())


def _put(folder, data: bytes, **changes):
    """Tensors and a record that names their true hash."""
    (folder / TENSORS).write_bytes(data)
    record = _record(folder) | {"sha256": hashlib.sha256(data).hexdigest()} | changes
    (folder / CONFIG).write_text(json.dumps(record))


def _resaved(folder, change):
    from safetensors.torch import save

    state, _ = read_weights(folder)
    change(state)
    _put(folder, save(state))


def test_weights_come_back_to_the_bit(folder):
    torch.manual_seed(0)
    want = build_model(TINY).state_dict()
    model = load_model(folder)
    assert _record(folder)["steps"] == 3
    assert all(torch.equal(value, want[name]) for name, value in model.state_dict().items())
    assert not model.training and not any(p.requires_grad for p in model.parameters())
    again = folder.parent / "again"
    save_weights(again, model.state_dict(), TINY, {"steps": 3})
    assert (again / TENSORS).read_bytes() == (folder / TENSORS).read_bytes()
    assert [p.name for p in again.iterdir() if p.name.endswith(".part")] == []


def test_configurations_of_older_weights_have_the_defaults_of_what_they_lack(folder):
    values = to_values(TINY)
    older = {name: value for name, value in values.items() if name != "losses"}
    assert from_values(older) == from_values(values) == TINY
    assert from_values(older | {"losses": {"drag": 1.0}}).losses == LossWeights(drag=1.0)
    for wrong in ({"losses": {"dragg": 1.0}}, {"losses": 3}, {"sizes": "tiny"}):
        with pytest.raises(InputError, match="another version"):
            from_values(older | wrong)
    assert load_model() is not None  # those that came with neurok


class Boom:
    def __reduce__(self):
        return (exec, ("raise SystemError('a pickle was opened')",))


def _flip(folder):
    data = bytearray((folder / TENSORS).read_bytes())
    data[-1] ^= 1
    (folder / TENSORS).write_bytes(data)


def _first(state):
    return sorted(state)[0]


def _pickled_checkpoint(folder):
    torch.save({"a": Boom()}, folder / "x")
    _put(folder, (folder / "x").read_bytes())


REFUSED = {
    "a wrong hash": (_flip, "are not those"),
    "a pickle": (lambda f: _put(f, pickle.dumps(Boom())), "not a safetensors file"),
    "a pickled checkpoint": (_pickled_checkpoint, "not a safetensors file"),
    "an empty file": (lambda f: _put(f, b""), "not a safetensors file"),
    "a lying header": (lambda f: _put(f, (1 << 60).to_bytes(8, "little") + b"{}"), "not a safetensors file"),
    "a wrong shape": (lambda f: _resaved(f, lambda s: s.update({_first(s): torch.zeros(3, 7)})), "do not fit"),
    "a missing tensor": (lambda f: _resaved(f, lambda s: s.pop(_first(s))), "do not fit"),
    "a tensor too many": (lambda f: _resaved(f, lambda s: s.update(extra=torch.zeros(2))), "do not fit"),
    "numbers that are none": (lambda f: _resaved(f, lambda s: s[_first(s)].fill_(float("nan"))), "not finite"),
    "another size": (lambda f: _put(f, (f / TENSORS).read_bytes(), config={"size": "base"}), "do not fit"),
    "an unknown size": (lambda f: _put(f, (f / TENSORS).read_bytes(), config={"size": "huge"}), "unknown size"),
    "an unknown entry": (lambda f: _put(f, (f / TENSORS).read_bytes(), config={"colour": 1}), "another version"),
    "a wrong type": (lambda f: _put(f, (f / TENSORS).read_bytes(), config={"shapes": "many"}), "cannot be read"),
    "no configuration": (lambda f: _put(f, (f / TENSORS).read_bytes(), config=None), "another version"),
    "a torn record": (lambda f: (f / CONFIG).write_text("{"), "cannot be read"),
    "a record of another kind": (lambda f: (f / CONFIG).write_text("[1]"), "are not those"),
    "no tensors": (lambda f: (f / TENSORS).unlink(), "weights.safetensors is missing"),
    "no record": (lambda f: (f / CONFIG).unlink(), "config.json is missing"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_anything_else_is_refused_in_a_sentence(folder, kind):
    damage, words = REFUSED[kind]
    damage(folder)
    with pytest.raises(NeurokError, match=words) as caught:
        load_model(folder)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def test_no_weights_at_all(tmp_path):
    with pytest.raises(InputError, match="holds no weights"):
        load_model(tmp_path)
