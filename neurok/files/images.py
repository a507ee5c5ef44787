"""The media type of an encoded image, found from its first bytes whatever its name or label says."""

import re
from pathlib import PurePosixPath

IMAGE_SIGNATURES = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\xabKTX 20", "image/ktx2"),
    (b"DDS ", "image/vnd-ms.dds"),
    (b"BM", "image/bmp"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
)
IMAGE_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "image/avif": ".avif",
    "image/ktx2": ".ktx2",
    "image/vnd-ms.dds": ".dds",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
    "image/tiff": ".tiff",
}
UNKNOWN_TYPE = "application/octet-stream"


def detect_media_type(image: bytes, stated: str = UNKNOWN_TYPE) -> str:
    """The media type that the bytes show, else the stated one."""
    for signature, kind in IMAGE_SIGNATURES:
        if image.startswith(signature):
            return kind
    if image[:4] == b"RIFF" and image[8:12] == b"WEBP":
        return "image/webp"
    if image[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return stated


def find_image_suffix(kind: str) -> str:
    """The suffix of a file that holds an image of a media type, with its dot."""
    return IMAGE_SUFFIXES.get(kind) or "." + (re.sub(r"\W+", "", kind.rpartition("/")[2]) or "bin")


def guess_media_type(name: str) -> str:
    """The media type that a file's suffix states."""
    suffix = PurePosixPath(name).suffix.lower()
    known = {own: kind for kind, own in IMAGE_SUFFIXES.items()} | {".jpeg": "image/jpeg", ".tif": "image/tiff"}
    return known.get(suffix, f"image/{suffix[1:]}" if suffix[1:].isalnum() else UNKNOWN_TYPE)
