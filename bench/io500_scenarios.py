"""Rows of IO500 as scenarios written from facts alone: what io500_rows.py runs.

Each phase of the benchmark is a save and a restore of a job that does nothing else: ior-easy one large file a
process, ior-hard pieces of 47,008 bytes in turn in one file, mdtest-easy empty files in a directory of each process,
mdtest-hard files of 3,901 bytes in one directory. Rates of drives and ports are those of sheets; how long a piece
and an operation on metadata take is one range for all kinds (START), until rows of others say more.
"""

import math
import re

from cells import ranged

# Phase: results, each with the setting that decides it and what of the job it is compared with. ior-easy is run once
# for each of its results, since both depend on ports.
PHASES = {
    "ior-easy write": (("ior_easy_write_GiBps", "write", "checkpoint"),),
    "ior-easy read": (("ior_easy_read_GiBps", "read", "restore"),),
    "ior-hard": (("ior_hard_write_GiBps", "piece_write", "checkpoint"),
                 ("ior_hard_read_GiBps", "piece_read", "restore")),
    "mdtest-easy create": (("mdtest_easy_write_kIOPS", "creates", "checkpoint"),),
    "mdtest-easy stat": (("mdtest_easy_stat_kIOPS", "opens", "restore"),),
    "mdtest-hard create": (("mdtest_hard_write_kIOPS", "directory_creates", "checkpoint"),),
    "mdtest-hard read": (("mdtest_hard_read_kIOPS", "directory_opens", "restore"),),
}


def settings_like(phase):
    """What one shape is chosen for: phases of a name, as "mdtest-easy create" and "mdtest-easy stat"."""
    name = phase.split()[0]
    return [setting for other, compared in PHASES.items() if other.split()[0] == name for _, setting, _ in compared]


# Of metadata: how many operations a server, or a directory, works on at a time, few that are quick or many that are
# slow: then processes that wait for one after the other limit. One of these for a kind.
AT_A_TIME = (4, 16, 64, 256)
# Of kinds that place files on targets: on how many the file of ior-hard presses, from the fewest (0) to all (1).
PRESSED, PLACED = (0.0, 0.5, 1.0), ("beegfs", "lustre")
# Where a setting begins that no row has told anything of, and the half width of its 90 % range as a factor: us of a
# piece, and of one operation. Rates of drives: DRIVES.
START = {"piece_write": (100.0, 8.0), "piece_read": (30.0, 8.0), "creates": (400.0, 5.0), "opens": (150.0, 5.0),
         "directory_creates": (800.0, 5.0), "directory_opens": (300.0, 5.0)}
# A server of DAOS takes no locks: 0.1 ms of one of its 32 targets.
FREE = 3.0
# GB/s of a drive in a file system, median and 90 % range, write and read. Disks: 50 to 73 MB/s each of ORNL's Spider II
# (20,160 disks, 1 TB/s), Blue Waters (17,280, 1 TB/s), NERSC's Cori (10,168, 0.74 TB/s). Flash: data sheets of 2017 to
# 2020, sustained; of memory modules the server's processors leave less. nfs: of a controller, whatever is behind it.
DRIVES = {"disk": ((0.06, 0.03, 0.11), (0.065, 0.03, 0.12)), "ssd": ((0.35, 0.15, 0.9), (0.45, 0.25, 1.0)),
          "nvme": ((1.3, 0.4, 2.4), (2.2, 1.0, 3.2)), "memory": ((0.8, 0.3, 2.0), (1.5, 0.5, 4.0)),
          "controller": ((1.5, 0.5, 4.0), (3.0, 1.0, 8.0))}
# What a setting grows with: what the equations of its kind count.
UNITS = {
    "drives": lambda row: heads(row) if row.kind == "nfs" else row.servers * row.drives,
    "servers": lambda row: row.servers,
    "metadata": lambda row: heads(row) if row.kind == "nfs" else row.metadata or row.servers,
    "process": lambda row: row.processes,
    "one": lambda row: 1,
}
GROWS = {
    "write": {"": "drives"}, "read": {"": "drives"},
    "piece_write": {"": "servers", "nfs": "one", "gpfs": "one", "cephfs": "process"},
    "piece_read": {"": "servers", "nfs": "one", "cephfs": "process"},
    "creates": {"": "metadata"}, "opens": {"": "metadata"},
    "directory_creates": {"": "one", "daos": "servers"},
    "directory_opens": {"": "one", "daos": "servers"},
}
SERVER = 15.0       # GB/s that the processors of a storage server move


def heads(row):
    """Metadata nodes of VAST are its controllers; else storage nodes are."""
    return row.metadata if "ast" in row.cells["system"] and row.metadata else row.servers


def grows_with(row, setting):
    of = GROWS[setting]
    return of.get(row.kind) or of[""]


def unit(row, setting):
    return UNITS[grows_with(row, setting)](row)


def drive(row, setting):
    """(median, low, high) of a drive, and where a row does not say how many there are, of that."""
    value, low, high = DRIVES["controller" if row.kind == "nfs" else row.drive][setting == "read"]
    fewer, more = (one / row.drives for one in row.drives_range) if row.kind != "nfs" else (1, 1)
    return value, low * fewer, high * more


def start(row, setting):
    """(median, low, high), as a rate: pieces a second for the time of a piece."""
    if setting in ("write", "read"):
        return drive(row, setting)
    value, wide = START[setting]
    value = 1000.0 if grows_with(row, setting) == "process" else value
    value = FREE if row.kind == "daos" and setting in INVERSE else value
    return 1 / value, 1 / value / wide, 1 / value * wide


def shapes(phase, kind):
    """What a phase may be limited by: rows of others say which of these."""
    if phase.startswith("mdtest"):
        return AT_A_TIME
    return PRESSED if phase == "ior-hard" and kind in PLACED else (1.0,)


# A longer piece is a lower rate.
INVERSE = ("piece_write", "piece_read")
WHY = "IO500 rows of other submitters, this kind and medium"
SHEETS = "drives of data sheets and of large systems"

GIB, PIECE, SMALL = 1 << 30, 47008, 3901
EASY, HARD, FILES = 8 * GIB, GIB, 1000     # bytes of a process, and files


class Settings:
    """What is not stated of a row in a phase, as its scenario says it. `learned`: of a setting, what rows of others
    gave over data sheets and defaults, and how many times as wide its range is; of `write` and `read` how far what
    is delivered lies around that."""

    def __init__(self, row, phase, shape, learned):
        """`shape`: one of shapes()."""
        self.row, self.phase, self.learned = row, phase, learned
        self.at_a_time = shape if phase.startswith("mdtest") else AT_A_TIME[1]
        self.pressed = shape if phase == "ior-hard" else 1.0
        self.ranges = {name: self.of(name) for name in ("write", "read", *START)}

    def of(self, name):
        value, low, high = start(self.row, name)
        times, wider = (1.0, 1.0) if name in ("write", "read") else self.learned.get(name, (1.0, 1.0))
        value, low, high = (times * value * (end / value) ** wider for end in (value, low, high))
        return (1 / value, 1 / high, 1 / low) if name in INVERSE else (value, low, high)

    def delivered(self):
        """Of ior-easy: all of drives and servers' ports."""
        times, wide = self.learned.get(self.phase.removeprefix("ior-easy "), (1.0, 0.0))
        return {"delivered": ranged(100 * times, 100 * times * math.exp(-wide), 100 * times * math.exp(wide), "%", WHY)}

    def ports(self, rate, limit=math.inf):
        """Of a server or host: one, or two, of which 75 to 95 % arrive."""
        most = 1.1 if self.row.rented else 2.2
        low, value, high = (min(one * rate, 8 * limit) for one in (0.75, 0.95, most))
        return ranged(value, low, high, "Gb/s", "one port or two of the rate that is stated, 75-95 % of it")

    def rate(self, name, parts, text):
        """Of one of `parts` that are alike."""
        times = unit(self.row, name) / parts
        # Operations: so many at a time, thousands a second of one in us.
        times *= 1.0 if name in ("write", "read") else 1000.0 * self.at_a_time
        value, low, high = (one * times for one in self.ranges[name])
        return ranged(value, low, high, text, SHEETS if name in ("write", "read") else WHY)

    def piece(self, name, targets):
        """How long each of `targets` is held by a piece, so that as many as the file presses on give the rate."""
        times = targets / unit(self.row, name) ** self.pressed
        value, low, high = (one * times for one in self.ranges[name])
        return ranged(value, low, high, "us", WHY)

    def rates(self, read, write, parts):
        return {read: self.rate("read", parts, "GB/s"), write: self.rate("write", parts, "GB/s")}

    def pieces(self, targets):
        return {"shared.write": self.piece("piece_write", targets), "shared.read": self.piece("piece_read", targets)}

    def striped_pieces(self, write):
        """Of kinds that place files on targets: stripes say how many the file presses on."""
        return {name: ranged(*self.ranges[setting], "us", WHY)
                for name, setting in ((write, "piece_write"), ("shared.read", "piece_read"))}

    def metadata(self, prefix, parts, hard, service="service"):
        """Rates of all metadata servers, and what one operation of the phase takes, of those worked on at a time."""
        names = ("directory_creates", "directory_opens") if hard else ("creates", "opens")
        each = 1 / self.ranges[names[0 if self.phase.endswith("create") else 1]][0]
        return {prefix + ".creates": self.rate(names[0], parts, "kops/s"),
                prefix + ".opens": self.rate(names[1], parts, "kops/s"),
                f"{prefix}.{service}": ranged(each, each / 2, each * 2, "us", "an operation on flash, 0.05-0.5 ms")}

    def directory(self):
        return {"directory.creates": self.rate("directory_creates", 1, "kops/s"),
                "directory.opens": self.rate("directory_opens", 1, "kops/s")}


def nest(fields):
    """Dotted keys as objects."""
    found = {}
    for key, value in fields.items():
        *path, last = key.split(".")
        inner = found
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return found


def some_of(count, default, why):
    """As many as there are, or as the kind takes unless told otherwise."""
    if count <= default:
        return count
    return {"value": round(math.sqrt(default * count)), "low": default, "high": count, "why": why}


def stripes(at, count, default):
    """Targets of a file: in ior-hard one for all processes; rows do not say how it was striped."""
    if at.phase != "ior-hard" or count <= default:
        return 0
    return {"value": round(default ** (1 - at.pressed) * count ** at.pressed), "low": default, "high": count,
            "why": f"{default} unless set"}


def beegfs(row, at, phase):
    servers = max(1, row.metadata)
    return {"target.count": row.servers, "server.count": row.servers, "server.nic": at.ports(row.port, SERVER),
            "mds.count": servers, "client.connections": 64,
            "stripe.count": stripes(at, row.servers, 4),
            **at.rates("target.read", "target.write", row.servers),
            **at.metadata("mds", servers, False), **at.directory(), **at.striped_pieces("shared.write")}


def gpfs(row, at, phase):
    return {"server.count": row.servers, "server.nic": at.ports(row.port, SERVER),
            **at.rates("server.read", "server.write", row.servers),
            "client.prefetch": ranged(12, 4, 25, "GB/s", "maxMBpS, tuned as for a submission"),
            **at.metadata("server", row.servers, False, "open_service"), **at.directory(), **at.pieces(row.servers),
            "shared.write": at.piece("piece_write", 1)}


def cephfs(row, at, phase):
    osds, servers = row.servers * row.drives, max(1, row.metadata)
    return {"osd.count": osds, "server.count": row.servers, "server.nic": at.ports(row.port, SERVER),
            "mds.count": some_of(servers, 1, "one is active unless set"),
            "replicas": {"value": 2, "low": 1, "high": 3, "why": "not stated"},
            **at.rates("osd.read", "osd.write", osds),
            "client.stream": ranged(0.4, 0.1, 1.2, "GB/s", "one process, an object or two under way"),
            **at.metadata("mds", servers, False), **at.directory(), **at.pieces(row.processes)}


def daos(row, at, phase):
    """The benchmark calls the library. One directory is no limit; its small files cost more each."""
    return {"server.count": row.servers, "server.nic": at.ports(row.port, SERVER), "object.parity": 0,
            "client.interface": "libdfs", "client.open_requests": 1,
            **at.rates("server.read", "server.write", row.servers),
            **at.metadata("server", row.servers, phase.startswith("mdtest-hard"), "open_service"), **at.pieces(row.servers)}


def weka(row, at, phase):
    hard = phase.startswith("mdtest-hard")
    fields = at.metadata("backend", row.servers, hard, "open_service")
    fields["directory.creates"] = at.rate("directory_creates", 1, "kops/s")
    if hard:
        del fields["backend.creates"]
    return {"backend.count": row.servers, "backend.nic": at.ports(row.port, SERVER),
            **at.rates("backend.read", "backend.write", row.servers),
            "client.cores": {"value": 3, "low": 1, "high": 12, "why": "not stated; 1 unless set, 19 at most"},
            "client.core": ranged(3.5, 1.2, 7, "GB/s", "a core with DPDK 5-8 GB/s, without it 1-2"),
            **fields, **at.pieces(row.servers)}


def nfs(row, at, phase):
    """The kernels of these years opened one connection; several need 5.3 of September 2019, or patches."""
    count, hard = heads(row), phase.startswith("mdtest-hard")
    fields = at.metadata("head", count, hard)
    fields["head.ops"] = fields.pop("head.opens")
    if hard:
        del fields["head.creates"]
        fields["directory.creates"] = at.rate("directory_creates", 1, "kops/s")
    return {"head.count": count, "head.nic": at.ports(row.port, SERVER), **at.rates("head.read", "head.write", count),
            "client.nconnect": {"value": 1, "low": 1, "high": 4, "why": "1 before Linux 5.3, and unless set"},
            "client.connection": ranged(1.5, 1.0, 2.5, "GB/s", "one TCP connection"),
            "client.read_ahead": "15 MiB", "client.open_requests": 1, **fields, **at.pieces(1)}


def lustre(row, at, phase):
    """A directory lies on one MDT; those of mdtest-easy on all."""
    osts, hard = 2 * row.servers, phase.startswith("mdtest-hard")
    mdts = 1 if hard else row.metadata or row.servers
    fields = at.metadata("mdt", mdts, hard)
    fields["mdt.create"], fields["mdt.open"] = fields.pop("mdt.creates"), fields.pop("mdt.opens")
    return {"ost.count": osts, "oss.count": row.servers, "oss.nic": at.ports(row.port, SERVER),
            "mdt.count": some_of(mdts, 1, "all only where directories are spread over them"),
            **at.rates("ost.read", "ost.write", osts),
            "stripe.count": stripes(at, osts, 1),
            "directory.striped": True, "client.checksums": False, **fields,
            **{f"client.{way}": ranged(7, 2.5, 18, "GB/s", "clients of 2.7 to 2.13 on one host")
               for way in ("read", "write")},
            **at.striped_pieces("lock")}


KINDS = {"beegfs": beegfs, "gpfs": gpfs, "cephfs": cephfs, "daos": daos, "weka": weka, "nfs": nfs, "lustre": lustre}

# Where each kind has the time of a data request.
DATA = {"beegfs": "target", "cephfs": "osd", "daos": "server", "gpfs": "server", "lustre": "ost", "weka": "backend"}


def save(phase):
    """Of each process: bytes, and how its files lie."""
    if phase.startswith("ior-easy"):
        return EASY, {"files": 1}
    if phase == "ior-hard":
        return HARD, {"shared": "interleaved", "piece": f"{PIECE} B"}
    if phase.startswith("mdtest-easy"):
        return FILES, {"files": FILES, "directories": "own"}
    return FILES * SMALL, {"files": FILES}


def scenario(row, phase, shape, learned):
    each, layout = save(phase)
    at = Settings(row, phase, shape, learned)
    store = {"id": "data", "type": row.kind, **nest(KINDS[row.kind](row, at, phase))}
    if phase.startswith("ior-easy"):
        store.update(at.delivered())
    if phase.startswith("mdtest"):
        store["commit"] = "0 ms"    # mdtest does not ask for files to be durable
        if "stripe" in store:
            store["stripe"]["count"] = 1
    if phase.startswith("mdtest-easy") and row.kind in DATA:
        store.setdefault(DATA[row.kind], {})["service"] = "0 ms"    # nor, of empty files, for data
    host = {"id": "client", "count": row.hosts, "gpus": row.per_host, "cpu": {"cores": 64, "reserved": 0},
            "memory": {"bandwidth": "200 GB/s"}, "nic": {"rate": at.ports(row.port)}}
    # Nothing of the job itself: no pass of a CPU, no copy from a GPU, no more to read than to write.
    checkpoint = {"to": "data", "every_steps": 1, "size": f"{each * row.processes} B", "serializer": "none",
                  "snapshot": "none", "quiesce": "0 ms", "coordinate": "0 s",
                  "restore": {"read": "own"}, **layout}
    job = {"id": "io", "hosts": "client", "steps": 1, "step": {"compute": "1 ms", "jitter": "0 %", "overhead": "0 ms"},
           "checkpoint": checkpoint}
    return {"id": re.sub(r"[^A-Za-z0-9]+", "-", f"{row.name} {phase}").strip("-"),
            "cluster": {"hosts": [host], "fabric": {"use": "fabric/ethernet-tcp"} if row.tcp
                        else {"use": "fabric/hdr200", "port": {"rate": None}}},    # as fast as those of the hosts
            "storage": [store], "jobs": [job], "run": {"seed": 1, "replicas": 1}}


def per_second(row, phase, seconds):
    """As the benchmark counts: GiB/s, thousands of files a second."""
    if phase.startswith("ior"):
        return save(phase)[0] * row.processes / seconds / GIB
    return FILES * row.processes / seconds / 1000


def log(value):
    return math.log(max(value, 1e-9))
