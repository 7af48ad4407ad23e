"""A GPU of one stream: `launch` gives it work and returns at once, as PyTorch does."""
import time

_free = None   # when it is done with what it was given; None: nobody used it
_device = 0
capturing = False


def launch(seconds):
    global _free
    _free = max(time.perf_counter(), _free or 0.0) + seconds


def synchronize():
    time.sleep(max(0.0, (_free or 0.0) - time.perf_counter()))


def is_initialized():
    return _free is not None


def is_current_stream_capturing():
    return capturing


def current_device():
    return _device


def set_device(number):
    global _device
    _device = number


class Event:
    made = 0

    def __init__(self, enable_timing=False):
        assert enable_timing
        Event.made += 1
        self.at = None

    def record(self):
        assert not capturing
        self.at = max(time.perf_counter(), _free or 0.0)

    def query(self):
        return time.perf_counter() >= self.at

    def elapsed_time(self, end):
        assert self.query() and end.query()
        return 1000.0 * (end.at - self.at)
