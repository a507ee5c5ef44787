"""What a run writes down of itself: `log.jsonl`, `held.jsonl`, and TensorBoard's events where that is installed."""

import json
import os
from pathlib import Path
from typing import Any

from neurok.errors import OutputError

LOG, HELD, BOARD = "log.jsonl", "held.jsonl", "board"


class Records:
    """The records of a run's folder; lines of steps that were lost with the process that made them are forgotten."""

    def __init__(self, folder: Path, step: int) -> None:
        self.folder = folder
        for name in (LOG, HELD):
            _rewind(folder / name, step)
        self.board = _board(folder / BOARD, step)

    def log(self, step: int, seconds: float, figures: dict[str, float]) -> None:
        """Figures of training."""
        self._write(LOG, "train", step, seconds, figures)

    def held(self, step: int, seconds: float, figures: dict[str, float]) -> None:
        """Figures of held-out objects."""
        self._write(HELD, "held", step, seconds, figures)

    def _write(self, name: str, group: str, step: int, seconds: float, figures: dict[str, float]) -> None:
        line = {"step": step, "seconds": round(seconds, 1), **{k: round(v, 5) for k, v in figures.items()}}
        try:
            with open(self.folder / name, "a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
        except OSError as fault:
            raise OutputError(
                f"{self.folder / name} cannot be written ({fault.strerror})", "make room and resume"
            ) from None
        if self.board is not None:
            for key, value in figures.items():
                self.board.add_scalar(f"{group}/{key}", value, step)
            self.board.flush()


def _rewind(path: Path, step: int) -> None:
    """Keep the lines up to a step; one that was cut off half way goes as well."""
    if not path.is_file():
        return
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            if json.loads(line)["step"] <= step:
                kept.append(line + "\n")
        except (ValueError, KeyError, TypeError):
            continue
    part = path.with_name(f".{path.name}.part")
    part.write_text("".join(kept), encoding="utf-8")
    os.replace(part, path)


def _board(folder: Path, step: int) -> Any:
    """TensorBoard's writer, or None where it is not installed: the log holds the same figures."""
    try:
        import tensorboard  # noqa: F401
    except ImportError:
        return None
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder), purge_step=step + 1)
