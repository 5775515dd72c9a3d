"""The device that models are trained on, and the memory that they use there."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

HINT = "netinfof.baselines needs PyTorch and PyTorch Geometric: pip install 'netinfof[baselines]'"


def need_torch() -> None:
    """Fail with one line if PyTorch, PyTorch Geometric or SciPy is missing."""
    from importlib.util import find_spec

    missing = [name for name in ("torch", "torch_geometric", "scipy") if find_spec(name) is None]
    if missing:
        raise ImportError(f"no module named {' or '.join(missing)}: {HINT}", name=missing[0])


def choose(device: str) -> Any:
    """Return the device of PyTorch: with ``auto`` the first GPU, else the CPU."""
    import torch

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        found = torch.device(device)
        torch.zeros(1, device=found)
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"invalid `device`: {device!r} (need 'auto', 'cpu', or a device that PyTorch has here): {str(error).splitlines()[0]}") from None
    return found


def describe(device: Any) -> str:
    """Return the name of a device."""
    import platform

    import torch

    if device.type == "cuda":
        return f"cuda: {torch.cuda.get_device_name(device)}"
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            name = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), name)
    except OSError:
        pass
    return f"{device.type}: {name}, {torch.get_num_threads()} threads"


class PeakMemory:
    """Measures the largest amount of memory while it is open: of the GPU's allocations, or of the process."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.bytes = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> PeakMemory:
        if self.device.type == "cuda":
            import torch

            torch.cuda.reset_peak_memory_stats(self.device)
        else:
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._thread is None:
            import torch

            self.bytes = int(torch.cuda.max_memory_allocated(self.device))
            return
        self._stop.set()
        self._thread.join()
        self.bytes = max(self.bytes, _resident())

    def _watch(self) -> None:
        while not self._stop.wait(0.02):
            self.bytes = max(self.bytes, _resident())


def _resident() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        try:
            import resource
        except ImportError:
            return 0
        import sys

        # Kilobytes on Linux, bytes on macOS.
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (1 if sys.platform == "darwin" else 1024)
