"""Peak memory of a process and everything it has started."""

from pathlib import Path

PROC = Path("/proc")


def peak_bytes(pid: int, proc: Path = PROC) -> int:
    """Sum the highest resident sizes of `pid` and its living descendants, in bytes.

    Every process peaks at a time of its own, so the sum is an upper bound. Memory of a
    graphics card is not in it. Raises RuntimeError where the system keeps no such figure
    under /proc, as on macOS.
    """
    if not proc.is_dir():
        raise RuntimeError("peak memory is read from /proc, which this system does not have")
    parents, peaks = {}, {}
    for status in proc.glob("[0-9]*/status"):
        try:
            fields = _fields(status.read_text(encoding="utf-8", errors="replace"))
        except OSError:
            continue  # it has just ended
        parents[int(fields["Pid"])] = int(fields["PPid"])
        # A process of the kernel, or one that is ending, has no memory.
        peaks[int(fields["Pid"])] = int(fields.get("VmHWM", "0 kB").split()[0]) * 1024
    if not peaks.get(pid):
        raise RuntimeError(f"process {pid} has ended")
    return sum(peak for process, peak in peaks.items() if _descends(process, pid, parents))


def _fields(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in pairs}


def _descends(process: int, ancestor: int, parents: dict[int, int]) -> bool:
    while process != ancestor:
        if process not in parents:
            return False
        process = parents[process]
    return True
