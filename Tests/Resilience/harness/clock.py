"""A wall clock for one process that a run can set forward and back."""

import pathlib
import shutil
import struct
import subprocess

SOURCE = pathlib.Path(__file__).with_name("clock.c")


class Clock:
    """The clock of the processes that start with its environment."""

    def __init__(self, home):
        self.library, self.file, self.offset = home / "clock.so", home / "clock", 0.0
        compiler = shutil.which("cc") or shutil.which("clang")
        if compiler is None:
            raise SystemExit("no C compiler: install gcc, or put Swift's clang into PATH")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", self.library, SOURCE, "-ldl"], check=True)
        self.set(0.0)

    def environment(self):
        return {"LD_PRELOAD": str(self.library), "CLOCK_OFFSET": str(self.file)}

    def set(self, seconds):
        """Sets the clock to this many seconds after the true time."""
        self.offset = seconds
        # Written in place, because the processes have the file in memory.
        with open(self.file, "r+b" if self.file.exists() else "wb") as file:
            file.write(struct.pack("q", round(seconds * 1e9)))
