"""What a process of the job is doing: the step, the save and the load under way.

A step ends with the last optimizer step before the next batch is asked for, and begins where the one before ended: or
where the loader was asked, when a pass begins or another loader had its turn. Saves and loads are not part of it.
"""
import atexit
import os
import threading
import weakref

from stallcast_record import (ASYNC, PENDING_SAVE, PENDING_SAVE_BYTES, PENDING_SAVE_FILES, clock, guarded, record)

# Kinds of values: side_file.hpp.
STEP, STEP_WAIT, STEP_COMPUTE, STEP_BATCHES = 5, 6, 7, 9
SAVE, SAVE_BYTES, SAVE_FILES, SAVE_PERIOD, SAVE_STEPS, LOAD, LOAD_BYTES = range(20, 27)


class Pass:
    """One time through a loader, from its __iter__."""

    def __init__(self, loader, asked):
        self.loader, self.asked = loader, asked
        self.first = True
        self.last_ask = None
        self.last_wait = 0.0
        self.sized = 0


PAUSE = 0.1         # of what a save beside the training took so far: parts that come as soon are of it, too


class Here(threading.local):
    """What one thread is doing."""

    saving = 0      # calls that save, one in another
    steps = 0       # that were done when the outermost of them began
    save = None     # the Save that it had a part in last
    opened = None   # (file, when, steps) that it opened last for writing


here = Here()


class Save:
    """One save: parts with no step in between, or hardly a pause. In front of the training it takes what its parts take,
    beside it the time from its first part to the end of its last one."""

    def __init__(self, start, aside):
        self.start, self.aside = start, aside
        self.seconds = self.size = 0.0
        self.files = self.flushing = 0
        self.begun = here.steps                     # steps that were done by then
        self.until = self.steps = 0                 # end of its last part, steps that were done by then
        self.thread = threading.current_thread()    # of its last part

    def goes_on(self, began, aside):
        """Is what began then a part of it?"""
        if self.aside != aside:
            return False
        if not aside or self.flushing or began < self.until:
            return True
        if self.thread is not threading.current_thread() and not self.thread.is_alive():
            return False
        return self.steps == here.steps or began - self.until < PAUSE * self.seconds

    def lasts(self, began, now):
        if self.aside:
            self.until = max(self.until, now)
            self.seconds = self.until - self.start
        else:
            self.seconds += now - began
        self.steps, self.thread = job.steps, threading.current_thread()
        here.save = self
        record.put(PENDING_SAVE, self.seconds)


class Job:
    """What this process is doing. Steps belong to one thread; others at worst miscount."""

    def __init__(self):
        self.loaders = weakref.WeakKeyDictionary()
        self.current = None     # the Pass that gave the last batch
        self.marked = None      # end of the last optimizer step that no step was made of yet
        self.begin = None       # of the step that is under way
        self.wait = self.saved = 0.0
        self.batches = self.steps = self.depth = self.inside = 0
        self.thread = None
        self.save = None        # the Save under way
        self.load = None
        self.last_save = None   # the Save before


job = Job()


def forked():
    """A child: a worker of the loader, or a process that starts its own."""
    current = job.current
    job.__init__()
    job.current = current


os.register_at_fork(after_in_child=forked)


def end_step(saving=False):
    """A step ended with the last optimizer step before the next batch was asked for."""
    if job.save is not None and not job.save.aside and not saving:
        end_save()
    if job.load is not None:
        seconds, size = job.load
        record.add(LOAD, 0, seconds)
        record.add(LOAD_BYTES, 0, size)
        job.load = None
    if job.marked is None:
        return
    if job.current is not None and job.begin is not None:
        duration = max(job.marked - job.begin - job.saved, 0.0)
        wait = min(job.wait, duration)
        loader = job.current.loader
        record.add(STEP, loader, duration)
        record.add(STEP_WAIT, loader, wait)
        record.add(STEP_COMPUTE, loader, duration - wait)
        record.add(STEP_BATCHES, loader, float(job.batches))
    job.begin, job.marked = job.marked, None
    job.wait = job.saved = 0.0
    job.batches = 0


def aside():
    """Is this call made in another thread than the one that trains?"""
    return job.thread is not None and job.thread != threading.get_ident()


def end_save():
    save, job.save = job.save, None
    record.add(SAVE, 0, save.seconds)
    if save.files:
        record.add(SAVE_BYTES, 0, save.size)
        record.add(SAVE_FILES, 0, float(save.files))
    for place in (PENDING_SAVE, PENDING_SAVE_BYTES, PENDING_SAVE_FILES):
        record.put(place, 0.0)
    if job.last_save is not None:
        record.add(SAVE_PERIOD, 0, save.start - job.last_save.start)
        record.add(SAVE_STEPS, 0, float(save.begun - job.last_save.begun))
    job.last_save = save


def heard(event, args):
    """Emptying the file of the save before takes time, too: a save begins where its file is opened."""
    if event != "open":
        return
    try:
        if isinstance(args[1], str) and args[1][:1] in "wx":
            here.opened = (args[0], clock(), job.steps)
    except Exception:
        pass


@guarded
def begin_part(target, began):
    """When the save of `target` began that is called now."""
    opened, here.opened = here.opened, None
    if here.saving == 0:
        here.steps = job.steps
        if opened and opened[2] == job.steps and getattr(target, "name", None) == opened[0]:
            began = opened[1]
    here.saving += 1
    return began


@guarded
def end_part():
    here.saving -= 1


@guarded
def saved(target, began, now, size, files):
    """Saves with no step in between are one: a model, its optimizer, its schedule."""
    other = aside()
    if other:
        record.put(ASYNC, 1.0)
    else:
        end_step(saving=True)
        job.saved += now - began
    if job.save is not None and not job.save.goes_on(began, other):
        end_save()
    if job.save is None:
        job.save = Save(began, other)
    job.save.lasts(began, now)
    job.save.size += size
    job.save.files += files
    record.put(PENDING_SAVE_BYTES, job.save.size)
    record.put(PENDING_SAVE_FILES, job.save.files)
    record.spent(clock() - now)


@guarded
def begin_flush():
    """The save that is being flushed, where this thread had a part in it."""
    save = None if here.saving or job.save is not here.save else job.save
    if save is not None:
        save.flushing += 1
    return save


def flushed(save, began, now):
    """The save that was made durable takes as much longer."""
    if here.saving:
        return
    if not aside():
        job.saved += now - began
    if save is None:
        return
    save.flushing -= 1
    if save is job.save:
        save.lasts(began, now)


@guarded
def finish():
    end_step()
    if job.save is not None:
        end_save()


atexit.register(finish)
