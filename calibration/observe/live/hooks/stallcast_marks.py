"""Where loader and training loop are, for `stallcast replay`: calls that strace sees and that do nothing else.

`access("/.stallcast/...")` finds no such file. `ask`, `start`, `ready` and `take` name the batch: the worker's process,
how many times it began anew, and its number; `pass`, `want` and `step` are of the training loop. What they mean:
docs/reference/traces.md. Loaded only where strace watches.
"""
import functools
import os

from stallcast_job import job
from stallcast_record import guarded
import stallcast_torch

access = os.access


@guarded
def mark(what, *batch):
    access("/.stallcast/" + "/".join([what] + [str(part) for part in batch]), os.F_OK)


class Queue:
    """A queue whose every task passes `seen`; what else it has is the queue's own."""

    def __init__(self, queue, seen):
        self._stallcast = (queue, seen)

    def __getattr__(self, name):
        return getattr(self._stallcast[0], name)

    def put(self, task, *args, **kwargs):
        queue, seen = self._stallcast
        seen(task)
        return queue.put(task, *args, **kwargs)

    def get(self, *args, **kwargs):
        queue, seen = self._stallcast
        task = queue.get(*args, **kwargs)
        seen(task)
        return task


class Tasks:
    """The batches that one worker was asked for."""

    def __init__(self, worker):
        self.worker = worker
        self.passes = 0
        self.asked = {}

    def seen(self, what, keep=False):
        @guarded
        def look(task):
            if isinstance(task, tuple):
                if isinstance(task[0], int):
                    mark(what, self.worker, self.passes, task[0])
                    if keep:
                        self.asked[task[0]] = self.passes
            elif task is not None:  # an iterator that begins anew
                self.passes += 1
                self.asked.clear()
        return look


def around_worker(original):
    @functools.wraps(original)
    def _worker_loop(kind, dataset, index_queue, data_queue, *args, **kwargs):
        tasks = Tasks(os.getpid())
        return original(kind, dataset, Queue(index_queue, tasks.seen("start")), Queue(data_queue, ready_of(tasks)),
                        *args, **kwargs)
    return _worker_loop


def ready_of(tasks):
    @guarded
    def look(result):
        if isinstance(result[0], int):
            mark("ready", tasks.worker, tasks.passes, result[0])
    return look


@guarded
def watch_queues(iterator):
    if not hasattr(iterator, "_stallcast_tasks"):
        iterator._stallcast_tasks = [Tasks(worker.pid) for worker in iterator._workers]
        iterator._index_queues = [Queue(queue, tasks.seen("ask", keep=True))
                                  for queue, tasks in zip(iterator._index_queues, iterator._stallcast_tasks)]


def around_reset(original):
    @functools.wraps(original)
    def _reset(self, *args, **kwargs):
        watch_queues(self)
        return original(self, *args, **kwargs)
    return _reset


@guarded
def taken(iterator):
    """The batch that is being given out: the one asked for that is not outstanding any more."""
    gone = [(number, tasks) for tasks in iterator._stallcast_tasks for number in tasks.asked
            if number not in iterator._task_info]
    if not gone:
        return mark("take")
    number, tasks = next((one for one in gone if one[0] == iterator._rcvd_idx), max(gone, key=lambda one: one[0]))
    mark("take", tasks.worker, tasks.passes, number)
    for number, tasks in gone:
        del tasks.asked[number]


def around_process(original):
    @functools.wraps(original)
    def _process_data(self, *args, **kwargs):
        taken(self)
        return original(self, *args, **kwargs)
    return _process_data


def around_iter(original):
    @functools.wraps(original)
    def __iter__(self):
        mark("pass")
        return original(self)
    return __iter__


def around_next(original):
    @functools.wraps(original)
    def __next__(self):
        mark("want")
        data = original(self)
        if not hasattr(self, "_stallcast_tasks"):  # it has no workers
            mark("take")
        return data
    return __next__


def around_step(original):
    inner = outer_step(original)

    @functools.wraps(original)
    def step(self, *args, **kwargs):
        try:
            return inner(self, *args, **kwargs)
        finally:
            if job.depth == 0:
                mark("step")
    step._stallcast = True
    return step


outer_step = stallcast_torch.around_step
stallcast_torch.around_step = around_step


@guarded
def lay(name, module):
    stallcast_torch.lay(name, module)
    if name == "torch.utils.data.dataloader":
        workers = module._MultiProcessingDataLoaderIter
        for kind, method, around in ((module.DataLoader, "__iter__", around_iter),
                                     (module._BaseDataLoaderIter, "__next__", around_next),
                                     (workers, "_reset", around_reset), (workers, "_process_data", around_process),
                                     (module._utils.worker, "_worker_loop", around_worker)):
            setattr(kind, method, around(getattr(kind, method)))
