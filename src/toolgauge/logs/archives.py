"""Files in a zip archive that nobody vouches for, one at a time, each and all of bounded size.

Read are files that are stored, deflated, or packed with zstd (method 93, which newer programs write), where a library
for it is installed. The standard library's bzip2 and lzma unpack without a bound, and no writer of logs uses them.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

from toolgauge.errors import DataError, MissingExtra, os_cause
from toolgauge.files import open_regular
from toolgauge.limits import MAX_LINE_BYTES
from toolgauge.logs.conversation import LeftOut

MAX_FILES = 200_000
MAX_UNPACKED = 16 << 30
"""Bytes of all files of an archive, unpacked; more are not read on."""
MAX_DIRECTORY = 32 << 20
"""Bytes of the list of its files, which is read whole and then takes ten times that."""
ZSTD = 93
_TAIL = 1 << 17
_LOCAL = struct.Struct("<4s22xHH")
"""The head of a packed file: its mark, and the lengths of name and extra field."""


_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, RuntimeError)
"""What zipfile raises for archives that are damaged or packed in a way that it does not know."""


def packed_files(
    path: Path, wanted: Callable[[str], bool], longest: int = MAX_LINE_BYTES
) -> Iterator[tuple[str, bytes] | LeftOut]:
    """Names and contents of the wanted files of an archive. Raises DataError where it is none."""
    try:
        with open_regular(path) as file:
            _check_directory(file, path)
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            members = [member for member in archive.infolist() if wanted(member.filename)]
            if len(members) > MAX_FILES:
                raise DataError(f"more than {MAX_FILES:,} files", path)
            left = MAX_UNPACKED
            for number, member in enumerate(members, 1):
                place = f"[{number}]"
                try:
                    content = _unpacked(archive, file, member, min(longest, left))
                except _DAMAGED:  # whose words have the name of the file, which is that of a sample
                    text = "cannot unpack: damaged, encrypted or compressed with an unsupported method"
                    yield LeftOut(str(path), text, None, place)
                    continue
                if content is None:
                    yield LeftOut(str(path), f"larger than {longest >> 20} MB", None, place)
                    continue
                left -= len(content)
                yield member.filename, content
    except OSError as error:
        raise DataError(f"cannot read: {os_cause(error)}", path) from error
    except _DAMAGED as error:
        raise DataError("not a zip archive", path) from error


def _check_directory(file: BinaryIO, path: Path) -> None:
    """Raise DataError where the list of the files is so large that reading it would take all memory."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - _TAIL))
    tail = file.read()
    ends = [(b"PK\x05\x06", "<I", 12), (b"PK\x06\x06", "<Q", 40)]
    for mark, form, offset in ends:
        at = tail.rfind(mark)
        if at >= 0 and len(tail) >= at + offset + 8:
            (listed,) = struct.unpack_from(form, tail, at + offset)
            if MAX_DIRECTORY < listed != 0xFFFFFFFF:
                raise DataError(f"more than {MAX_FILES:,} files", path)


def _unpacked(archive: zipfile.ZipFile, file: BinaryIO, member: zipfile.ZipInfo, longest: int) -> bytes | None:
    """The content of a file; None for one of more than `longest` bytes, of which no more is unpacked."""
    if member.file_size > longest:
        return None
    if member.compress_type == ZSTD:
        content = _zstd(file, member, longest)
    elif member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with archive.open(member) as stream:
            content = stream.read(longest + 1)
    else:
        raise ValueError("unsupported compression")
    return content if len(content) <= longest else None


def _zstd(file: BinaryIO, member: zipfile.ZipInfo, longest: int) -> bytes:
    file.seek(member.header_offset)
    mark, name, extra = _LOCAL.unpack(file.read(_LOCAL.size))
    if mark != b"PK\x03\x04":
        raise ValueError("header missing")
    file.seek(name + extra, io.SEEK_CUR)
    packed = file.read(min(member.compress_size, longest))
    return _zstd_reader()(packed, longest + 1)


def _zstd_reader() -> Callable[[bytes, int], bytes]:
    """A function that unpacks at most so many bytes. Raises MissingExtra."""
    try:
        zstd = import_module("compression.zstd")  # Python 3.14
        return lambda packed, most: bytes(zstd.ZstdDecompressor().decompress(packed, most))
    except ImportError:
        pass
    try:
        library = import_module("zstandard")
    except ImportError:
        raise MissingExtra("an archive compressed with zstd", "zstandard", "inspect") from None

    def unpack(packed: bytes, most: int) -> bytes:
        try:
            return bytes(library.ZstdDecompressor().stream_reader(io.BytesIO(packed)).read(most))
        except library.ZstdError as error:
            raise ValueError("damaged") from error

    return unpack
