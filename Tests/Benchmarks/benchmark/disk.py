"""Measures the disk's own commit time, to separate its share of a latency from the service's."""

import os
import threading
import time


class Disk:
    """Writes a page of WAL into a directory and syncs it, as a commit does, twenty times a second."""

    def __init__(self, directory):
        self.took = []
        self.file = os.open(directory / "disk", os.O_RDWR | os.O_CREAT)
        threading.Thread(target=self._write, daemon=True).start()

    def _write(self):
        while True:
            time.sleep(0.05)
            started = time.monotonic()
            os.pwrite(self.file, os.urandom(8192), 0)
            os.fdatasync(self.file)
            self.took.append(time.monotonic() - started)

    def p99_ms(self):
        """Returns the 99th percentile since the last call."""
        took, self.took = sorted(self.took), []
        return 1000 * took[len(took) * 99 // 100]
