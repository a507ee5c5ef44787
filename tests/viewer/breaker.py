"""A child that breaks by a fault of its own program, as `neurok.viewer.spaces` would."""

from pathlib import Path

from neurok.viewer.children import run_as_child


def break_down(folder: Path) -> None:
    raise AttributeError("'Twists' object has no attribute 'spread'")


if __name__ == "__main__":
    run_as_child(break_down, broken=("how it moves could not be found", "report the file"))
