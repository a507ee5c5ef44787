"""The source of a reader's bytes: one folder or zip, and nothing outside it.

A file may name others (buffers, textures, meshes). Those names come from
strangers, so they are resolved here and nowhere else: no absolute path, no
climbing out of the folder, no link that leads out, no zip bomb.
"""

import lzma
import os
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from neurok.errors import InputError

# What the packings of a zip raise for bytes they cannot read; NotImplementedError and RuntimeError stand for packings
# and encryptions that Python does not know.
UNPACK_FAULTS = (
    zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError, zlib.error, lzma.LZMAError,
)  # fmt: skip
MAX_FILE_BYTES = 4 << 30  # bytes
MAX_ARCHIVE_BYTES = 8 << 30  # bytes, unpacked
# What all members of an archive may unpack to is so much and so many times the archive's own size, so that reading is
# linear in the bytes of the file: every tenth PartNet-Mobility folder, zipped, unpacks to 1.5 to 4.9 times its size.
FREE_ARCHIVE_BYTES = 64 << 20
MAX_ARCHIVE_RATIO = 40
MAX_UNPACK_RATIO = 1000  # unpacked to packed, above which a zip member is a bomb (for members over 64 MiB)


class Source:
    """A file to read and its neighbours.

    path: the main file, for messages and for its suffix.
    folder: read neighbours below this folder, or, where `archive` is set, below this folder of the zip.
    outside: whether names that lead out of the folder are allowed (a user's flag, never a file's).
    """

    def __init__(
        self, path: Path, *, outside: bool = False, archive: zipfile.ZipFile | None = None, member: str | None = None
    ) -> None:
        self.path = Path(path)
        self.outside = outside
        self.archive = archive
        self.member = PurePosixPath(member) if member else None

    @property
    def name(self) -> str:
        return str(self.member) if self.member else self.path.name

    @property
    def suffix(self) -> str:
        return (self.member or self.path).suffix.lower()

    @property
    def root(self) -> Path:
        """The folder below which everything that the file names must lie."""
        return self.path.parent.resolve()

    def data(self) -> bytes:
        """The bytes of the main file."""
        if self.archive is not None:
            return self.unpack(self.archive, str(self.member))
        return _read_file(self.path)

    def neighbour(self, name: str) -> bytes:
        """The bytes of a file named in the main file (relative to it; %-escapes and backslashes understood)."""
        target = self.locate(name)
        if self.archive is not None:
            return self.unpack(self.archive, target)
        return _read_file(Path(target))

    def exists(self, name: str) -> bool:
        return self._there(self.locate(name))

    def locate(self, name: str) -> str:
        """The safe full path (or zip member) of a neighbour's name; an error where it leads outside.

        Some formats escape names ('a%20b.png') and some do not, so a name that is no file is tried as it stands.
        """
        target = self._safe(name, unquote(name))
        if "%" in name and not self._there(target):
            literal = self._safe(name, name)
            return literal if self._there(literal) else target
        return target

    def _there(self, target: str) -> bool:
        if self.archive is not None:
            return target in self.archive.NameToInfo
        return os.path.isfile(target)  # unlike Path's, never an error: a name may be too long for any file

    def _safe(self, name: str, meant: str) -> str:
        """The full path (or zip member) of `meant`, which the file writes as `name`; an error where it leads out."""
        clean = meant.replace("\\", "/").removeprefix("file://")
        pure = PurePosixPath(clean)
        refused = InputError(
            f"{self.name} names '{name}', which lies outside its own folder",
            "put the file beside it, or allow it with --allow-outside if you trust the file",
        )
        if "\0" in clean or not clean or "://" in clean:
            raise InputError(f"{self.name} names '{name[:80]}', which is not a file", "put the file beside it")
        absolute = pure.is_absolute() or (len(clean) > 1 and clean[1] == ":")
        if self.archive is not None:
            parts: list[str] = []
            folder_in_archive = PurePosixPath() if self.member is None else self.member.parent
            for part in (folder_in_archive / pure).parts:
                if part == "..":
                    if not parts:
                        raise refused
                    parts.pop()
                elif part != ".":
                    parts.append(part)
            if absolute:
                raise refused
            return "/".join(parts)
        folder = self.path.parent.resolve()
        target = self._resolved(folder / clean, name)
        if not self.outside and (absolute or not target.is_relative_to(folder)):
            raise refused
        return str(target)

    def _resolved(self, path: Path, name: str) -> Path:
        """The path without links; a loop of links, or a name too long or with a zero in it, is no file."""
        try:
            return path.resolve()
        except (OSError, RuntimeError, ValueError):
            raise InputError(
                f"{self.name} names '{name[:80]}', which is not a file", "put the file beside it"
            ) from None

    def beside(self, name: str) -> "Source":
        """A neighbour as a source of its own (a mesh named in a URDF has neighbours too).

        What the neighbour names must still lie below the first file's folder.
        """
        target = self.locate(name)
        if self.archive is not None:
            return Source(self.path, archive=self.archive, member=target)
        return _InnerSource(Path(target), self.root, outside=self.outside)

    def unpack(self, archive: zipfile.ZipFile, name: str) -> bytes:
        """The bytes of a member of an archive, which must not be a bomb."""
        try:
            info = archive.getinfo(name)
        except KeyError:
            raise InputError(
                f"{self.path.name} has no member '{name}'", "the archive is incomplete: pack it again"
            ) from None
        is_bomb = info.file_size > 64 << 20 and info.file_size > MAX_UNPACK_RATIO * max(info.compress_size, 1)
        if is_bomb or info.file_size > MAX_FILE_BYTES:
            raise InputError(
                f"'{name}' in {self.path.name} unpacks to {info.file_size / 1e9:.1f} GB from "
                f"{info.compress_size / 1e6:.1f} MB",
                "unpack it by hand if you trust it",
            )
        if isinstance(archive, MeasuredZip):
            archive.spend(info.file_size)
        try:
            with archive.open(info) as stream:
                data = stream.read(info.file_size + 1)
        except UNPACK_FAULTS as fault:
            raise InputError(f"'{name}' in {self.path.name} cannot be unpacked ({fault})", "pack it again") from None
        if len(data) > info.file_size:
            raise InputError(f"'{name}' in {self.path.name} is larger than it says", "pack it again")
        return data


class _InnerSource(Source):
    """A neighbour of another source: its own neighbours may lie anywhere below the first one's folder."""

    def __init__(self, path: Path, root: Path, *, outside: bool) -> None:
        super().__init__(path, outside=outside)
        self._root = root

    @property
    def root(self) -> Path:
        return self._root

    def _safe(self, name: str, meant: str) -> str:
        clean = meant.replace("\\", "/")
        target = self._resolved(self.path.parent / clean, name)
        if target.is_relative_to(self.root) and not PurePosixPath(clean).is_absolute() and clean and "\0" not in clean:
            return str(target)
        return super()._safe(name, meant)


class MeasuredZip(zipfile.ZipFile):
    """A zip from which no more is unpacked than its own size allows, however often its members are named."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path, size = path, path.stat().st_size
        self.left = min(FREE_ARCHIVE_BYTES + MAX_ARCHIVE_RATIO * size, MAX_ARCHIVE_BYTES)

    def spend(self, count: int) -> None:
        """Take so many unpacked bytes off what is left; an error where that is too little."""
        if count > self.left:
            size = self.path.stat().st_size
            raise InputError(
                f"{self.path.name} has {size / 1e6:.1f} MB and unpacks to more than {MAX_ARCHIVE_RATIO} times that",
                "unpack it by hand if you trust it",
            )
        self.left -= count


def open_archive(path: Path) -> zipfile.ZipFile:
    """A zip whose total size is sane."""
    try:
        archive = MeasuredZip(path)
        total = sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as fault:
        raise InputError(f"{path.name} is not a readable zip ({fault})", "pack it again") from None
    allowed = archive.left
    archive.spend(total)  # before the first member is unpacked, which may take long
    archive.left = allowed
    return archive


def _read_file(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder", "name the file in it")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # a pipe may never end, and a device like /dev/zero does not
            raise InputError(f"{path} is a pipe or a device, not a file", "save its content to a file first")
        if status.st_size > MAX_FILE_BYTES:
            raise InputError(f"{path} has {status.st_size / 1e9:.1f} GB", "split it: at most 4 GB are read")
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no file {path}", "check the path") from None
    except OSError as fault:
        raise InputError(f"{path} cannot be read ({fault.strerror})", "check its permissions") from None
