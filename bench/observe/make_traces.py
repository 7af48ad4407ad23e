#!/usr/bin/env python3
"""Writes a trace of each format that `stallcast import` reads, of any size, made up here.

    make_traces.py KIND --bytes N --seed S > trace

The same seed gives the same bytes. Tests count these traces twice, by `stallcast import` and by
tests/observe/count_trace.py; import_speed.py times the large ones.
"""

import argparse
import random
import struct
import sys

FILES = 64
SIZES = (4096, 65536, 131072, 1 << 20, 4 << 20)


class Out:
    """Bytes to standard output, counted."""

    def __init__(self, limit):
        self.limit, self.done, self.parts, self.held = limit, 0, [], 0

    def put(self, data):
        data = data.encode() if isinstance(data, str) else data
        self.parts.append(data)
        self.done += len(data)
        self.held += len(data)
        if self.held > 1 << 20:
            self.flush()

    def flush(self):
        sys.stdout.buffer.write(b"".join(self.parts))
        self.parts, self.held = [], 0

    def full(self):
        return self.done >= self.limit


def kineto(out, rng, base=False, fractions=True):
    """Steps of 20 ms with a wait for data, 40 host calls, kernels and collectives each."""
    out.put('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Made-up GPU", "totalGlobalMem": 1073741824}],\n'
            '"distributedInfo": {"backend": "nccl", "rank": 2, "world_size": 8},\n"traceEvents": [\n')
    now = 0 if base else 1700000000000000
    number = 0
    first = True

    def event(cat, name, ts, dur, args="", tid=77):
        nonlocal first
        stamp = f"{ts:.3f}" if fractions else f"{int(ts)}"
        length = f"{dur:.3f}" if fractions else f"{int(dur)}"
        out.put(("" if first else ",\n") + f'{{"ph": "X", "cat": "{cat}", "name": "{name}", "pid": 7, "tid": {tid}, '
                f'"ts": {stamp}, "dur": {length}, "args": {{"External id": {number}{args}}}}}')
        first = False

    while not out.full():
        wait, step = rng.randrange(100, 4000), 20000 + rng.randrange(5000)
        event("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", now + 1, wait)
        for k in range(40):
            event("cpu_op", "aten::addmm", now + wait + 10 * k, 8, ', "Input Dims": [[64, 64], [64]]')
            event("kernel", "void gemm<float, 64>(float*, int)", now + wait + 100 + 100 * k, 90.5, ', "stream": 7', 0)
        event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)", now + wait + 5000, 700,
              ', "In msg nelems": 1000, "dtype": "Float"', 0)
        event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", now + wait + 50, 20, ', "bytes": 65536', 0)
        event("user_annotation", f"ProfilerStep#{number}", now, step)
        event("gpu_user_annotation", f"ProfilerStep#{number}", now + 30, step, "", 0)
        out.put(f',\n{{"ph": "s", "id": {number}, "pid": 7, "tid": 77, "ts": {int(now)}, "cat": "ac2g", "name": "ac2g"}}')
        now += step
        number += 1
    out.put('\n],\n"traceName": "made-up.json"' + (',\n"baseTimeNanoseconds": 1719853884000000000' if base else "") + "}\n")


def dftracer(out, rng, texts=False, numbered=False):
    """A rank with four reader threads, seeks among the reads, epochs of eight computes, a save each."""
    ph = {"X": 1, "M": 4} if numbered else {"X": '"X"', "M": '"M"'}
    kind = {"POSIX": ',"type":3'} if numbered else {}
    number = 0

    def q(value):
        return f'"{value}"' if texts else str(value)

    def row(name, cat, tid, ts, dur, args):
        nonlocal number
        host = '"hostname":"node1"' if texts else '"hhash":11'
        pid = 0 if texts else 4000
        line = (f'{{"id":{q(number)},"name":"{name}","cat":"{cat}"{kind.get(cat, "")},"pid":{q(pid)},"tid":{q(tid)},'
                f'"ts":{q(ts)},"dur":{q(dur)},"ph":{ph["X"]},"args":{{{host}{args}}}}}\n')
        out.put(("  " if texts and number == 0 else "") + line)
        number += 1
        return line

    def file(i):
        return f',"fname":"/data/img_{i}.npz"' if texts else f',"fhash":{100 + i}'

    if not numbered:
        out.put("[\n")
    if not texts:
        out.put(f'{{"id":0,"name":"HH","cat":"dftracer","pid":4000,"tid":4000,"ph":{ph["M"]},"args":{{"name":"node1","value":11}}}}\n')
        for i in range(FILES):
            out.put(f'{{"id":0,"name":"FH","cat":"dftracer","pid":4000,"tid":4000,"ph":{ph["M"]},'
                    f'"args":{{"name":"/data/img_{i}.npz","value":{100 + i}}}}}\n')
    now, epoch = 1700000000000000, 0
    while not out.full():
        epoch += 1
        start = now
        again = row("worker_init", "data_loader", 4001, now, 5, f',"epoch":{epoch}')
        if epoch % 2 == 0:
            out.put(again)  # a fork writes again what was not yet written
        for step in range(8):
            for thread in range(4):
                tid, fd, f = 5000 + thread, 20 + thread, rng.randrange(FILES)
                row("open64", "POSIX", tid, now, 30, f',"ret":{fd}{file(f)}')
                at = 0
                for _ in range(6):
                    size = rng.choice(SIZES)
                    if rng.random() < 0.3:
                        at = rng.randrange(1 << 24)
                        row("lseek64", "POSIX", tid, now, 1, f',"ret":{q(at)},"whence":0,"fd":{fd}{file(f)}')
                    row("read", "POSIX", tid, now, rng.randrange(10, 3000), f',"ret":{q(size)},"count":{q(size)}{file(f)},"fd":{fd}')
                    at += size
                    now += rng.randrange(5, 50)
                row("close", "POSIX", tid, now, 3, f',"ret":0{file(f)},"fd":{fd}')
                row("NPZReader.__getitem__", "reader", tid, now - 100, 100, f',"epoch":{epoch}')
            now += 3000
            row("TorchFramework.compute", "ai_framework", 4000, now, 1000, "")
            now += 1000
        row("write", "POSIX", 4000, now, 400, f',"ret":{q(1 << 20)}{file(0)},"fd":9')
        row("TorchFramework.checkpoint", "ai_framework", 4000, now, 500, "")
        now += 500
        row("DLIOBenchmark._train", "dlio_benchmark", 4000, start, now - start, f',"epoch":{epoch}')
    if not numbered:
        out.put("]\n")


def dxt(out, rng, ost=True, thread=True, mpiio=True):
    """Tables of 400 rows, writes before reads; every other file has X_MPIIO, too; a layout of two components."""
    out.put("# darshan log version: 3.41\n# exe: ./train\n# jobid: 1\n# start_time: 1700000000\n# nprocs: 4\n"
            "# run time: 900.5000\n# metadata: lib_ver = 3.4.4\n\n# mount entry:\t/lus\tlustre\n\n")
    tables = []

    def table(module, number, rank):
        out.put(f"\n# DXT, file_id: {number}, file_name: /lus/data/f{number}.bin\n# DXT, rank: {rank}, hostname: n{rank}\n")
        if thread:
            out.put("# DXT, number of threads: 1\n")
        out.put("# DXT, write_count: 100, read_count: 300\n# DXT, mnt_pt: /lus, fs_type: lustre\n")
        if ost:
            out.put("# DXT, Lustre stripe components:\n"
                    "#\t[Component 0] stripe_ext: 0 - 67108864, stripe_size: 1048576, stripe_count: 1, OSTs: 3\n"
                    "#\t[Component 1] stripe_ext: 67108864 - EOF, stripe_size: 4194304, stripe_count: 4, OSTs: 1 5 7 9\n")
        out.put("# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)"
                + ("   [OST]" if ost else "") + ("   Pthread-ID" if thread else "") + "\n")
        for way, count in (("write", 100), ("read", 300)):
            now, at = 1.0, 0
            for i in range(count):
                size = rng.choice(SIZES)
                if rng.random() < 0.2:
                    at = rng.randrange(1 << 28)
                out.put(f"{module:>8}{rank:8d}{way:>7}{i:9d}{at:16d}{size:16d}{now:12.4f}{now + 0.0123:12.4f}"
                        + (f"  [{rng.randrange(8)}]" if ost else "") + ("   140737000" if thread else "") + "\n")
                at += size
                now += 0.02

    out.put("# ***************************************************\n# DXT_POSIX module data\n"
            "# ***************************************************\n")
    number = 0
    share = 0.7 if mpiio else 1.0
    while out.done < out.limit * share:
        number += 1
        table("X_POSIX", number, number % 4)
        tables.append(number)
    if mpiio:
        out.put("\n# DXT_MPIIO module data\n")
        for number in tables[::2]:
            if out.full():
                break
            table("X_MPIIO", number, number % 4)


def iolog(out, rng, version=3):
    """Reads and writes of eight files with gaps."""
    out.put(f"fio version {version} iolog\n")
    now = 30
    names = [f"/data/job.{i}" for i in range(8)]

    def line(text):
        out.put((f"{now} " if version == 3 else "") + text + "\n")

    for name in names:
        line(f"{name} add")
        line(f"{name} open")
    at = {name: 0 for name in names}
    while not out.full():
        name = rng.choice(names)
        size = rng.choice(SIZES)
        if rng.random() < 0.2:
            at[name] = rng.randrange(1 << 30)
        line(f"{name} {rng.choice(('read', 'read', 'write'))} {at[name]} {size}")
        at[name] += size
        now += rng.randrange(3000)
        if version == 2 and rng.random() < 0.1:
            out.put(f"{name} wait {now // 1000} 0\n")
        if rng.random() < 0.01:
            line(f"{name} datasync 0 0")
    for name in names:
        line(f"{name} close")


def strace(out, rng):
    """Two processes: reads, preads and interrupted calls; a duplicate descriptor, a pipe, /proc."""
    now = 1700000000.0

    def line(pid, text, took=True):
        nonlocal now
        now += rng.randrange(1, 400) * 1e-6
        out.put(f"{pid} {now:.6f} {text}" + (f" <{rng.randrange(5, 900) * 1e-6:.6f}>" if took else "") + "\n")

    line(100, 'execve("/usr/bin/python3", ["python3", "train.py"], 0x7ffd /* 20 vars */) = 0')
    line(100, "pipe2([3, 4], O_CLOEXEC) = 0")
    line(100, "clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f) = 200")
    line(200, 'openat(AT_FDCWD, "/proc/meminfo", O_RDONLY) = 9')
    line(200, 'read(9, "MemTotal"..., 1024) = 1024')
    line(200, "close(9) = 0")
    while not out.full():
        pid = rng.choice((100, 200))
        name = f"/data/img_{rng.randrange(FILES)}.npz"
        line(pid, f'openat(AT_FDCWD, "{name}", O_RDONLY|O_CLOEXEC) = 5')
        line(pid, "newfstatat(5, \"\", {st_mode=S_IFREG|0644, st_size=8388608, ...}, AT_EMPTY_PATH) = 0")
        line(pid, "dup(5) = 6")
        for _ in range(rng.randrange(3, 12)):
            size = rng.choice(SIZES)
            chance = rng.random()
            if chance < 0.5:
                line(pid, f'read({rng.choice((5, 6))}, "\\0\\1\\")"..., {size}) = {size}')
            elif chance < 0.7:
                line(pid, f'pread64(5, "PK\\3\\4"..., {size}, {rng.randrange(1 << 30)}) = {size}')
            elif chance < 0.8:
                other = 300 - pid
                line(pid, "read(5,  <unfinished ...>", False)
                line(other, "write(1, \"loss\\n\", 5) = 5")
                line(pid, f'<... read resumed>"abc"..., {size}) = {size}')
            elif chance < 0.9:
                at = rng.randrange(1 << 24)
                line(pid, f"lseek(5, {at}, SEEK_SET) = {at}")
            else:
                line(pid, "read(4, 0x7f, 16) = -1 EAGAIN (Resource temporarily unavailable)")
        line(pid, "close(5) = 0")
        line(pid, "close(6) = 0")
        if rng.random() < 0.05:
            line(pid, "--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---", False)
    line(200, "exit_group(0) = ?", False)
    line(200, "+++ exited with 0 +++", False)


def varint(value):
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def chakra(out, rng):
    """Batches of 20 compute nodes, a collective, storage nodes as proposed (open, pread, close)."""

    def message(data):
        out.put(varint(len(data)) + data)

    message(text(1, "0.0.4") + text(2, text(1, "made_up") + varint(3 << 3 | 1) + struct.pack("<d", 1.5)))
    node, now = 0, 1000

    def put(name, kind, start, length, rest=b""):
        nonlocal node
        node += 1
        message(number(1, node) + text(2, name) + number(3, kind) + (text(5, varint(node - 1)) if node > 1 else b"")
                + number(6, start) + number(7, length) + rest)

    while not out.full():
        began = now
        for call, size in ((1, 0), (5, rng.choice(SIZES)), (2, 0)):
            path = text(2, f"/data/img_{node % FILES}.npz") if call == 1 else b""
            fs = number(1, call) + path + number(3, 7) + number(4, 4096) + number(5, size)
            put("storage", 8, now, 50, text(11, number(1, 1) + text(10, fs)))
            now += 60
        for _ in range(20):
            length = rng.randrange(10, 500)
            put("kernel", 4, now, length, text(10, text(1, "is_cpu_op") + number(27, 0)))
            now += length
        put("all", 7, now, 300, text(10, text(1, "comm_type") + number(9, 0)) + text(10, text(1, "comm_size") + number(9, 1 << 20)))
        now += 300
        put("batch", 9, began, now - began)


def dlio(out, rng):
    """One rank's N_output.json: epochs of one block of 200 steps."""
    out.put("{")
    epoch = 0
    while not out.full():
        epoch += 1
        loads = [rng.randrange(1, 4000) / 1e4 for _ in range(200)]
        steps = [load + 0.25 for load in loads]
        out.put((",\n" if epoch > 1 else "\n") + f' "{epoch}": {{"load": {{"block1": {loads}}}, "proc": {{"block1": {steps}}}, '
                f'"throughput": {{"block1": 2.5}}, "au": {{"block1": 97.5}}, "compute": {{"block1": {[0.25] * 200}}}}}')
    out.put(',\n "hostname": "node1"}\n')


WORKERS, QUEUE, STEP = 8, 16, 10_000  # of the loaders below; microseconds


def strace_loader(out, rng):
    """A training loop and its workers with marks (docs/reference/traces.md): 32 reads of a file a batch, made within one
    step, each asked for when the batch 16 before it is taken."""

    def call(pid, at, what, took=5):
        out.put(f"{pid} {1700000000 + at // 1000000}.{at % 1000000:06d} {what} <0.{took:06d}>\n")

    def mark(pid, at, what):
        call(pid, at, f'access("/.stallcast/{what}", F_OK) = -1 ENOENT (No such file or directory)')

    def made(batch, at):
        pid = 200 + batch % WORKERS
        mark(100, at, f"ask/{pid}/0/{batch}")
        mark(pid, at + 10, f"start/{pid}/0/{batch}")
        for i in range(32):
            size = rng.choice(SIZES)
            call(pid, at + 20 + i * 250, f'pread64(9</data/img_{rng.randrange(FILES)}.npz>, ""..., {size}, '
                 f"{rng.randrange(1 << 20) * 4096}) = {size}", 200)
        mark(pid, at + 9000, f"ready/{pid}/0/{batch}")

    mark(100, 0, "pass")
    for batch in range(QUEUE):
        made(batch, 10 + batch * STEP)
    batch, now = 0, QUEUE * STEP + 100
    while not out.full():
        mark(100, now, "want")
        mark(100, now + 5, f"take/{200 + batch % WORKERS}/0/{batch}")
        made(batch + QUEUE, now + 10)
        mark(100, now + STEP - 10, "step")
        batch, now = batch + 1, now + STEP


def dftracer_loader(out, rng):
    """The same job under DFTracer, in the dialect of 2023, as one epoch; the workers' rows of a batch before its step."""
    number = 0

    def row(name, cat, tid, at, took, args=""):
        nonlocal number
        out.put(f'{{"id":"{number}","name":"{name}","cat":"{cat}","pid":"0","tid":"{tid}","ts":"{1700000000000000 + at}",'
                f'"dur":"{took}","ph":"X","args":{{"hostname":"node1"{args}}}}}\n')
        number += 1

    def made(batch, at):
        tid, step = 200 + batch % WORKERS, batch // WORKERS + 1
        for i in range(4):
            begun = at + 20 + i * 2000
            for k in range(8):
                size, f = rng.choice(SIZES), rng.randrange(FILES)
                row("pread64", "POSIX", tid, begun + k * 250, 200, f',"ret":"{size}","offset":"{rng.randrange(1 << 20) * 4096}",'
                    f'"fname":"/data/img_{f}.npz","fd":"9"')
            row("NPZReader.read_index", "reader", tid, begun, 2000, f',"epoch":"1","step":"{step}"')

    out.put("[\n")
    row("DLIOBenchmark._train", "dlio_benchmark", 100, 0, 1 << 50)
    for batch in range(QUEUE):
        made(batch, 10 + batch * STEP)
    batch, now = 0, QUEUE * STEP + 100
    while not out.full():
        made(batch + QUEUE, now + 10)
        row("TorchFramework.compute", "ai_framework", 100, now + 5, STEP - 20)
        batch, now = batch + 1, now + STEP


KINDS = {
    "kineto": kineto,
    "kineto-base": lambda o, r: kineto(o, r, base=True),
    "kineto-whole": lambda o, r: kineto(o, r, fractions=False),
    "dftracer": dftracer,
    "dftracer-texts": lambda o, r: dftracer(o, r, texts=True),
    "dftracer-numbered": lambda o, r: dftracer(o, r, numbered=True),
    "darshan-dxt": dxt,
    "darshan-dxt-old": lambda o, r: dxt(o, r, ost=False, thread=False, mpiio=False),
    "iolog": iolog,
    "iolog-2": lambda o, r: iolog(o, r, version=2),
    "strace": strace,
    "strace-loader": strace_loader,
    "dftracer-loader": dftracer_loader,
    "chakra": chakra,
    "dlio-output": dlio,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("--bytes", type=float, default=1e6)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    out = Out(int(args.bytes))
    KINDS[args.kind](out, random.Random(args.seed))
    out.flush()


if __name__ == "__main__":
    main()
