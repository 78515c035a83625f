"""What a command writes: the beginning of it is kept, and too much of it ends the command.

I/O: reads a pipe.
"""

from __future__ import annotations

import asyncio
import codecs
import os
from dataclasses import field

from evalaction.frozen import mutable

KEPT = 64 * 1024
"""Bytes of the output that are kept."""
MOST_OUTPUT = 1024 * 1024
"""Bytes of output after which a command is ended."""
_CHUNK = 64 * 1024


@mutable
class Output:
    """What a command writes, as it comes through a pipe."""

    pipe: int
    """The end that is read; it does not block."""
    kept: bytearray = field(default_factory=bytearray)
    read: int = 0
    """Bytes in all."""
    full: asyncio.Event = field(default_factory=asyncio.Event)
    """It wrote more than it may."""

    def take(self) -> bool:
        """Take what there is; return whether there may be more."""
        try:
            chunk = os.read(self.pipe, _CHUNK)
        except BlockingIOError:
            return False
        self.kept += chunk[: KEPT - len(self.kept)]
        self.read += len(chunk)
        if self.read > MOST_OUTPUT:
            self.full.set()
        if self.full.is_set() or not chunk:
            asyncio.get_running_loop().remove_reader(self.pipe)
            return False
        return True

    @property
    def text(self) -> str:
        """What is kept, without the beginning of a character whose end was cut off."""
        return codecs.getincrementaldecoder("utf-8")("replace").decode(bytes(self.kept), final=not self.is_cut)

    @property
    def is_cut(self) -> bool:
        """Whether it wrote more than is kept."""
        return self.read > len(self.kept)
