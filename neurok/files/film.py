"""Films of pictures: H.264 in MP4, which every browser plays, and GIF."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neurok.errors import OutputError
from neurok.geometry.arrays import Array
from neurok.geometry.motion import Motion

MIN_FRAME_RATE, MAX_FRAME_RATE = 10.0, 60.0  # frames per second of a film
DEFAULT_FRAME_RATE = 30.0  # where the motion itself is outside of these


def choose_film_times(motion: Motion) -> tuple[Array, float]:
    """When the frames of a film are taken [s], [k], and how many are shown per second.

    The motion's own times where they are even and between MIN_FRAME_RATE and MAX_FRAME_RATE,
    else as many as make a film of the same duration.
    """
    if motion.frame_count < 2:
        return motion.time, DEFAULT_FRAME_RATE
    steps = np.diff(motion.time)
    rate = (motion.frame_count - 1) / motion.duration
    even = np.ptp(steps) <= 1e-3 * steps.mean()
    if even and MIN_FRAME_RATE * (1 - 1e-6) <= rate <= MAX_FRAME_RATE * (1 + 1e-6):
        return motion.time, float(rate)
    rate = MAX_FRAME_RATE if rate > MAX_FRAME_RATE else DEFAULT_FRAME_RATE
    count = max(int(round(motion.duration * rate)), 1) + 1
    return np.linspace(motion.time[0], motion.time[-1], count), rate


def write_film(pictures: Iterable[NDArray[np.uint8]], path: Path, size: tuple[int, int], rate: float) -> None:
    """Pictures [h, w, 3] of one size (width, height; even, as 4:2:0 colours demand) as MP4, its index in front."""
    import imageio_ffmpeg

    options = ["-crf", "18", "-preset", "veryfast", "-movflags", "+faststart"]
    try:
        # fatal: of the half a frame that it got before it was stopped, the encoder would complain as of an error.
        writer = imageio_ffmpeg.write_frames(
            str(path), size, fps=rate, codec="libx264", pix_fmt_out="yuv420p", macro_block_size=2,
            output_params=options, ffmpeg_log_level="fatal", quality=None,
        )  # fmt: skip
        with closing(writer):  # also when stopped: the encoder ends before its folder goes
            writer.send(None)
            count = 0
            for picture in pictures:
                writer.send(np.ascontiguousarray(picture))
                count += 1
    except (OSError, RuntimeError) as fault:
        raise OutputError(
            f"the film cannot be written ({str(fault).splitlines()[0]})", "choose another place"
        ) from fault
    _check_film(path, count)


def _check_film(path: Path, count: int) -> None:
    """Refuse a film that does not hold all its frames: where the disk is full, the encoder ends without a complaint."""
    from imageio_ffmpeg import count_frames_and_secs

    try:
        found, _ = count_frames_and_secs(str(path))
    except RuntimeError:  # not a film at all
        found = 0
    if found != count:
        problem = f"the film was cut off while it was written ({found} of {count} frames can be read)"
        raise OutputError(problem, "make room on the disk, or choose another place")
