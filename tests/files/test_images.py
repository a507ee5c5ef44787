"""Kinds of images by their bytes, against what Pillow writes."""

import io

import pytest
from PIL import Image

from neurok.files.images import detect_media_type, find_image_suffix, guess_media_type

KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "BMP": "image/bmp", "GIF": "image/gif",
         "TIFF": "image/tiff", "DDS": "image/vnd-ms.dds"}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_tell_the_kind_whatever_is_stated(kind):
    stream = io.BytesIO()
    Image.new("RGB", (2, 2), "red").save(stream, kind)
    assert detect_media_type(stream.getvalue(), "image/lie") == KINDS[kind]
    assert guess_media_type(f"picture{find_image_suffix(KINDS[kind])}") == KINDS[kind]


def test_what_bytes_do_not_tell_is_as_stated():
    assert detect_media_type(b"", "image/x") == "image/x"
    assert detect_media_type(b"RIFFxxxxWAVE") == "application/octet-stream"
    assert [guess_media_type(name) for name in ("a.JPEG", "b.tif", "c.exr", "d", "e.?")] == [
        "image/jpeg", "image/tiff", "image/exr", "application/octet-stream", "application/octet-stream"
    ]  # fmt: skip
    assert [find_image_suffix(kind) for kind in ("image/exr", "image/../x", "nonsense/")] == [".exr", ".x", ".bin"]
