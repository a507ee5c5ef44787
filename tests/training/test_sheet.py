"""The contact sheet of a run: the same objects every time, drawn by the model it is given."""

import torch

from neurok.networks.config import Config
from neurok.networks.models import build_model
from neurok.training.sheet import DRAW_COUNT, STATE_COUNT, TILE_PIXELS, can_draw, choose_objects, write_sheet


def test_held_out_objects_are_chosen_in_states_apart(small_store):
    shown = choose_objects(small_store)
    assert [each.name for each in shown] == ["procedural/laptop-1"]
    (laptop,) = shown
    far = [abs(state - laptop.mesh.vertices).max() for state in laptop.states]
    assert laptop.states.shape[0] == STATE_COUNT and min(far) > 0.05 * laptop.mesh.diagonal
    assert abs(laptop.states[0] - laptop.states[1]).max() > 0.05 * laptop.mesh.diagonal


def test_a_sheet_is_a_row_of_pictures_that_differ(small_store, tmp_path):
    import numpy as np
    from PIL import Image

    torch.manual_seed(0)
    model = build_model(Config(size="tiny"))
    assert can_draw(model) and not can_draw(build_model(Config(size="tiny", decoder="points")))
    path = write_sheet(choose_objects(small_store), model, tmp_path, 50)
    assert path.name == "sheet-0000050.png"
    pixels = np.asarray(Image.open(path)).astype(int)
    columns = 1 + 2 * STATE_COUNT + DRAW_COUNT
    assert pixels.shape == (TILE_PIXELS + TILE_PIXELS // 12, columns * TILE_PIXELS, 3)
    tiles = [pixels[:TILE_PIXELS, i * TILE_PIXELS : (i + 1) * TILE_PIXELS] for i in range(columns)]
    assert all(tile.std() > 5 for tile in tiles)  # an object is in each
    assert abs(tiles[0] - tiles[1]).max() > 30  # rest and a state
