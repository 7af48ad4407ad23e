"""What a process of the job is doing: the step, the save and the load under way.

A step ends with the last optimizer step before the next batch is asked for, and begins where the one before ended: or
where the loader was asked, when a pass begins or another loader had its turn. Saves and loads are not part of it.

Where steps are short only some are measured, so that hooks take about half a hundredth of them. The others are counted,
and one that is measured stands for those since the last; the first of a pass stands for itself alone.
"""
import atexit
import os
import threading
import weakref

from stallcast_device import STEP_GPU, device
from stallcast_record import (ASYNC, HOOK_TIME, PENDING_SAVE, PENDING_SAVE_BYTES, PENDING_SAVE_FILES, STEPS_OF, clock,
                              guarded, place_of, record)

# Kinds of values: side_file.hpp.
STEP, STEP_WAIT, STEP_COMPUTE, STEP_BATCHES = 5, 6, 7, 9
FIRST_COMPUTE, FIRST_BETWEEN = 27, 28   # of the first step of all, in which kernels are loaded and chosen
SAVE, SAVE_BYTES, SAVE_FILES, SAVE_PERIOD, SAVE_STEPS, LOAD, LOAD_BYTES = range(20, 27)
SHARE = 0.005       # of a step's time that hooks may take
PAUSE = 0.1         # of what a save beside the training took so far: what comes as soon is of it, too
ALWAYS = 64         # steps that are measured in any case
AT_ONCE = 1 / 32    # of all steps so far: how many are left out in a row, on average


class Pass:
    """One time through a loader, from its __iter__."""

    def __init__(self, loader, asked):
        self.loader, self.asked = loader, asked
        self.first = True
        self.last_ask = None
        self.last_wait = 0.0
        self.opened = None  # time in __iter__, where that is known
        self.steps = place_of(STEPS_OF, loader)
        self.sized = 0


class Job:
    """What this process is doing. Steps belong to one thread; others at worst miscount."""

    def __init__(self):
        self.loaders = weakref.WeakKeyDictionary()
        self.numbers = {}       # of loaders of one kind and setting
        self.current = None     # the Pass that gave the last batch
        self.marked = None      # end of the last optimizer step that no step was made of yet
        self.begin = None       # of the step that is under way
        self.wait = self.saved = 0.0
        self.batches = self.steps = self.depth = self.inside = self.saving = 0
        self.thread = None
        self.save = None        # [start, seconds, bytes, files, steps before it] of the save under way
        self.side = None        # (thread, time) when a save beside the training last did something
        self.load = None
        self.last_save = None   # (start, steps)
        self.first = True       # is the step under way the first of a pass?
        self.begun = set()      # kinds of first steps that are noted
        self.rest = 0           # steps that are not to be measured, from here on
        self.passed = 0         # and were not, since the last one that was
        self.measured = 0
        self.cost = self.length = self.spent = 0.0


job = Job()


def forked():
    """A child: a worker of the loader, or a process that starts its own."""
    current = job.current
    job.__init__()
    device.forked()
    job.current = current


os.register_at_fork(after_in_child=forked)


def stands():
    """How many steps the one that was measured stands for: the first of a pass for none but itself."""
    if job.first:
        return 1
    many, job.passed = 1 + job.passed, 0
    return many


def first_of_all(kind, loader, value):
    """Notes the value where it is the first of its kind; then it is known apart from those of others."""
    if kind in job.begun:
        return False
    job.begun.add(kind)
    record.add(kind, loader, value)
    return True


def rest(length, steps):
    """How many steps to leave out next, by chance; `length` of the one that was measured, and how many there were."""
    spent = record.cells[HOOK_TIME]
    cost, job.spent = spent - job.spent, spent
    if job.first:
        job.first = False
        return
    job.measured += 1
    if job.measured < ALWAYS:
        job.cost, job.length = cost, length
        return
    job.cost += 0.1 * (cost - job.cost)
    job.length += 0.1 * (length - job.length)
    many = job.cost / (SHARE * max(job.length, 1e-7)) - 1.0
    # A process that is interrupted while it measures finds that expensive; what comes after it would only be counted.
    many = min(many, AT_ONCE * steps)
    job.rest = record.even(2 * int(many)) if many >= 1.0 else 0


def end_step(saving=False):
    """A step ended with the last optimizer step before the next batch was asked for."""
    device.end()
    if job.save is not None and not saving and job.side is None:
        end_save()
    if job.load is not None:
        seconds, size = job.load
        record.add(LOAD, 0, seconds)
        record.add(LOAD_BYTES, 0, size)
        job.load = None
    if job.marked is None:
        return
    if job.rest > 0:
        job.passed += 1
        record.cells[job.current.steps] += 1.0
        device.drop()
    elif job.current is not None and job.begin is not None and record.ready():
        duration = max(job.marked - job.begin - job.saved, 0.0)
        wait = min(job.wait, duration)
        loader = job.current.loader
        many = stands()
        record.add(STEP, loader, duration, many)
        record.add(STEP_WAIT, loader, wait, many)
        record.add(STEP_COMPUTE, loader, duration - wait, many)
        if first_of_all(FIRST_COMPUTE, loader, duration - wait):
            device.drop()
        record.add(STEP_BATCHES, loader, float(job.batches), many)
        device.step(STEP_GPU, loader, many, job.batches)
        record.cells[job.current.steps] += 1.0
        rest(duration, record.cells[job.current.steps])
    job.begin, job.marked = job.marked, None
    job.wait = job.saved = 0.0
    job.batches = 0


def aside():
    """Is this call made in another thread than the one that trains?"""
    return job.thread is not None and job.thread != threading.get_ident()


def end_save():
    start, seconds, size, files, steps = job.save
    job.save = job.side = None
    record.add(SAVE, 0, seconds)
    if files:
        record.add(SAVE_BYTES, 0, size)
        record.add(SAVE_FILES, 0, float(files))
    for place in (PENDING_SAVE, PENDING_SAVE_BYTES, PENDING_SAVE_FILES):
        record.put(place, 0.0)
    if job.last_save is not None:
        record.add(SAVE_PERIOD, 0, start - job.last_save[0])
        record.add(SAVE_STEPS, 0, float(steps - job.last_save[1]))
    job.last_save = (start, steps)


def goes_on(began):
    """Is this a part of the save beside the training? One by the same thread with hardly a pause, however many steps that
    took: the next save may come from a thread of the same number."""
    return (job.side is not None and job.side[0] == threading.get_ident()
            and began - job.side[1] <= PAUSE * (job.side[1] - job.save[0]))


def goes_on_until(now):
    job.save[1] = now - job.save[0]
    job.side = (threading.get_ident(), now)


@guarded
def saved(target, began, now, size, files):
    """Saves with no step in between are one: a model, its optimizer, its schedule."""
    beside = aside()
    if job.save is not None and (not goes_on(began) if beside else job.side is not None):
        end_save()
    if beside:
        record.put(ASYNC, 1.0)
    else:
        end_step(saving=True)
        job.saved += now - began
    if job.save is None:
        job.save = [began, 0.0, 0.0, 0, job.steps]
    if beside:
        goes_on_until(now)
    else:
        job.save[1] += now - began
    job.save[2] += size
    job.save[3] += files
    record.put(PENDING_SAVE, job.save[1])
    record.put(PENDING_SAVE_BYTES, job.save[2])
    record.put(PENDING_SAVE_FILES, job.save[3])
    record.spent(clock() - now)


@guarded
def finish():
    end_step()
    device.collect()
    if job.save is not None:
        end_save()


atexit.register(finish)
