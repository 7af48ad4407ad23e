"""What a GPU does for a step, by events of CUDA or ROCm: from having a batch to having done what came with it.

Python hands the GPU its work and goes on: by itself it sees the launches, and the GPU only where it waits for it. An event
is a mark between the pieces of work of a stream, and the GPU notes when it comes to it. Nothing here waits for a GPU.
"""
import sys
from collections import deque

from stallcast_record import clock, record

STEP_GPU, BATCH_GPU = 18, 19    # kinds of values: side_file.hpp
MOST_PENDING = 64   # steps whose work the GPU has not done


class Device:
    """Events of the stream that the training thread works with. One error, and there are no more."""

    def __init__(self):
        self.free = []
        self.begun = None       # (event, device) of the batch that was given last
        self.stepped = None     # event after the last optimizer step with it
        self.spans = []         # of the batches of the step under way
        self.pending = deque()  # (kind, loader, how many it stands for, spans) of steps
        self.broken = False

    def cuda(self):
        torch = sys.modules.get("torch")
        cuda = getattr(torch, "cuda", None)
        if self.broken or cuda is None or not cuda.is_initialized() or cuda.is_current_stream_capturing():
            return None
        return cuda

    def mark(self, cuda):
        event = self.free.pop() if self.free else cuda.Event(enable_timing=True)
        event.record()
        return event

    def attempt(self, what):
        try:
            what()
        except Exception:
            self.__init__()
            self.broken = True
            record.failed()

    def begin(self):
        """A batch was given to the training."""
        self.attempt(self._begin)

    def _begin(self):
        cuda = self.cuda()
        if cuda is not None and len(self.pending) + len(self.spans) < MOST_PENDING:
            self.begun = self.mark(cuda), cuda.current_device()

    def optimizer_step(self):
        """The work of a step was launched, as far as it is known: what comes after it, a save or a validation, is none."""
        if self.begun is not None:
            began = clock()
            self.attempt(self._optimizer_step)
            record.spent(clock() - began)

    def _optimizer_step(self):
        cuda = self.cuda()
        if cuda is None or cuda.current_device() != self.begun[1]:
            self.drop()
        elif self.stepped is None:
            self.stepped = self.mark(cuda)
        else:
            self.stepped.record()

    def end(self):
        """The next batch is asked for."""
        if self.begun is not None:
            self.attempt(self._end)

    def _end(self):
        begun, end, self.begun, self.stepped = self.begun, self.stepped, None, None
        cuda = self.cuda()
        if end is None and cuda is not None and cuda.current_device() == begun[1]:
            end = self.mark(cuda)
        if end is not None:
            self.spans.append((begun[0], end))

    def step(self, kind, loader, many, batches):
        """The batches since the last call were those of a step, or what is a step without an optimizer; its time is noted
        once the GPU is done. A step of which a batch was not timed has none."""
        if self.spans:
            if len(self.spans) == batches:
                self.pending.append((kind, loader, many, self.spans))
            self.spans = []
        self.collect()

    def collect(self):
        """Notes what the GPU is done with."""
        if self.pending:
            self.attempt(self._collect)

    def _collect(self):
        while self.pending and all(event.query() for span in self.pending[0][3] for event in span):
            kind, loader, many, spans = self.pending.popleft()
            record.add(kind, loader, sum(begin.elapsed_time(end) for begin, end in spans) / 1000.0, many)
            for span in spans:
                self.free.extend(span)

    def forked(self):
        """A child of the process: events of its parent are not its to end."""
        parents = vars(self).copy()
        self.__init__()
        self.parents = parents

    def drop(self):
        """The step under way is not measured."""
        self.begun = self.stepped = None
        self.spans = []


device = Device()
