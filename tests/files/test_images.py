"""Kinds of images by their bytes, against what Pillow writes."""

import io

import pytest
from PIL import Image

from neurok.files.images import image_suffix, media_type, named_type

KINDS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "BMP": "image/bmp", "GIF": "image/gif",
         "TIFF": "image/tiff", "DDS": "image/vnd-ms.dds"}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_tell_the_kind_whatever_is_stated(kind):
    stream = io.BytesIO()
    Image.new("RGB", (2, 2), "red").save(stream, kind)
    assert media_type(stream.getvalue(), "image/lie") == KINDS[kind]
    assert named_type(f"picture{image_suffix(KINDS[kind])}") == KINDS[kind]


def test_what_bytes_do_not_tell_is_as_stated():
    assert media_type(b"", "image/x") == "image/x"
    assert media_type(b"RIFFxxxxWAVE") == "application/octet-stream"
    assert [named_type(name) for name in ("a.JPEG", "b.tif", "c.exr", "d", "e.?")] == [
        "image/jpeg", "image/tiff", "image/exr", "application/octet-stream", "application/octet-stream"
    ]  # fmt: skip
    assert [image_suffix(kind) for kind in ("image/exr", "image/../x", "nonsense/")] == [".exr", ".x", ".bin"]
