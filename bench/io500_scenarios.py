"""Rows of IO500 as scenarios written from facts alone: what io500_rows.py runs.

A row is cut down to FACTS, what was run on what. Each phase of the benchmark is a save and a restore of a job
that does nothing else: ior-easy one large file a process, ior-hard pieces of 47,008 bytes in turn in one file,
mdtest-easy empty files in a directory of each process, mdtest-hard files of 3,901 bytes in one directory.
What no sheet says is a setting: one range for each kind of file system and medium.
"""

import math
import re

from cells import number, ranged

FACTS = ("list", "system", "institution", "filesystem", "fs_version", "client_nodes", "procs_per_node", "md_nodes",
         "md_devices", "md_media", "ds_nodes", "ds_devices", "ds_media", "ds_network")

# Phase: what its save and its restore are compared with, and the settings that decide them.
PHASES = {
    "ior-easy": (("ior_easy_write_GiBps", "write"), ("ior_easy_read_GiBps", "read")),
    "ior-hard": (("ior_hard_write_GiBps", "piece_write"), ("ior_hard_read_GiBps", "piece_read")),
    "mdtest-easy": (("mdtest_easy_write_kIOPS", "creates"), ("mdtest_easy_stat_kIOPS", "opens")),
    "mdtest-hard": (("mdtest_hard_write_kIOPS", "directory_creates"), ("mdtest_hard_read_kIOPS", "directory_opens")),
}
# Where the search for a setting begins: GB/s, us of a piece, kops/s; each of one unit of what it grows with.
START = {"write": 0.5, "read": 0.6, "piece_write": 100.0, "piece_read": 30.0, "creates": 20.0, "opens": 50.0,
         "directory_creates": 10.0, "directory_opens": 50.0}
# What a setting grows with; of kinds and media that are not named, of both media of a kind, of all.
UNITS = {
    "ports": lambda row: row.servers * row.port / 8,
    "both": lambda row: math.sqrt(row.servers * row.hosts) * row.port / 8,    # ports of servers and of clients
    "drives": lambda row: row.servers * row.drives,
    "servers": lambda row: row.servers,
    "metadata": lambda row: row.metadata or row.servers,
    "root": lambda row: math.sqrt(row.metadata or row.servers),
    "processes": lambda row: row.processes,
    "hosts": lambda row: row.hosts,
    "fewer": lambda row: min(row.servers, row.hosts) * row.port / 8,    # ports
    "system": lambda row: 1,
}
GROWS = {
    "write": {"": "both", "beegfs disks": "drives", "gpfs disks": "ports", "nfs": "system", "daos": "fewer", "cephfs": "fewer"},
    "read": {"": "both", "beegfs disks": "servers", "gpfs disks": "ports", "nfs": "system", "daos": "fewer",
             "cephfs": "fewer"},
    "piece_write": {"": "servers", "lustre": "system", "nfs": "system", "cephfs": "processes", "gpfs": "root",
                    "daos": "hosts"},
    "piece_read": {"": "servers", "lustre": "system", "nfs": "system", "cephfs": "processes", "daos": "hosts"},
    "creates": {"": "metadata", "lustre": "system", "daos": "processes", "nfs": "system", "cephfs": "processes",
                "weka": "hosts", "beegfs disks": "root"},
    "opens": {"": "metadata", "lustre": "processes", "daos": "processes", "nfs": "system", "cephfs": "processes",
              "gpfs": "root", "beegfs disks": "root"},
    "directory_creates": {"": "system", "daos": "hosts", "weka": "hosts"},
    "directory_opens": {"": "system", "daos": "hosts", "weka": "servers", "lustre": "processes"},
}


# START of what grows with something else than servers or ports.
FIRST = {"drives": 0.2, "processes": 0.04, "hosts": 1.0, "system": 5.0}


def grows_with(row, setting):
    of = GROWS[setting]
    return of.get(f"{row.kind} {row.medium}") or of.get(row.kind) or of[""]


def unit(row, setting):
    return UNITS[grows_with(row, setting)](row)


def start(row, setting):
    first = FIRST.get(grows_with(row, setting), 1.0)
    return START[setting] * (1 / first if setting in INVERSE else first)


# A longer piece is a lower rate.
INVERSE = ("piece_write", "piece_read")
WHY = "IO500 rows of other submitters, this kind and medium"

GIB, PIECE, SMALL = 1 << 30, 47008, 3901
EASY, HARD, FILES = 8 * GIB, GIB, 1000     # bytes of a process, and files
# Gb/s of a port by the words of the network, most special first; a range where no rate is stated.
PORTS = (("HDR", 200), ("EDR", 100), ("FDR", 56), ("OPA|Omni", 100), ("Aries", 80))
UNSTATED = ((r"Infini|^IB", (100, 56, 400)), (r"", (50, 10, 200)))


class Row:
    """The facts of a row, as numbers."""

    def __init__(self, cells):
        self.cells = {name: (cells.get(name) or "").strip() for name in FACTS}
        one = self.cells
        self.name = " ".join((one["filesystem"], one["system"] or one["institution"], one["list"].strip("*"),
                              one["client_nodes"] + "x" + one["procs_per_node"]))
        self.hosts = int(number(one["client_nodes"], 1))
        self.per_host = int(number(one["procs_per_node"], 1))
        self.processes = self.hosts * self.per_host
        self.kind = self.kind_of()
        self.servers = max(1, int(number(one["ds_nodes"], 1)))
        self.metadata = max(0, int(number(one["md_nodes"])))
        media = one["ds_media"]
        disks = re.search(r"HDD|HD$|NL-?SAS|7\.2|44x SAS|SATA$", media) and not re.search(r"^SSD", media)
        self.medium = "disks" if disks else "flash"
        devices = max(1.0, number(one["ds_devices"], 1))
        # Given of one server in some rows, in all in others.
        in_all = devices > self.servers > 1 and devices > (110 if disks else 24)
        self.drives = max(1, round(devices / self.servers)) if in_all else int(devices)
        self.port, self.port_range = self.network(one["ds_network"])

    def kind_of(self):
        """The kind that models it, or none."""
        one = self.cells
        for pattern, kind in ((r"BeeGFS", "beegfs"), (r"CephFS", "cephfs"), (r"DAOS", "daos"), (r"GPFS", "gpfs"),
                              (r"Lustre", "lustre"), (r"[Ww]eka|WEKA", "weka"), (r"NFS|NAS", "nfs")):
            if re.search(pattern, one["filesystem"] + " " + (one["system"] if kind == "weka" else "")):
                return kind
        # Versions and host of Janelia's WEKA, before its name was entered.
        return "weka" if one["filesystem"].startswith("Parallel") else None

    @staticmethod
    def network(words):
        """Gb/s of a host or a server, and its range."""
        several = re.search(r"(\d+)x(\d+) ?(?:g|G)", words)
        if several:
            rate = int(several.group(1)) * int(several.group(2))
            return rate, (rate, rate)
        stated = re.search(r"(\d+) ?(?:Gbps|GbE|gE|G$)", words)
        if stated:
            return int(stated.group(1)), (int(stated.group(1)), 2 * int(stated.group(1)))
        for pattern, rate in PORTS:
            if re.search(pattern, words):
                return rate, (rate, 2 * rate)
        return next((value, (low, high)) for pattern, (value, low, high) in UNSTATED if re.search(pattern, words))


class Settings:
    """Ranges of a row's settings, written into its scenario: name -> (median, low, high)."""

    def __init__(self, row, ranges):
        self.row, self.ranges = row, ranges

    def rate(self, name, parts, text):
        """Of one of `parts` that are alike."""
        times = unit(self.row, name) / parts
        value, low, high = (one * times for one in self.ranges[name])
        return ranged(value, low, high, text, WHY)

    def piece(self, name, targets):
        """How long each of `targets` is held by a piece, so that all of them give the rate."""
        times = targets / unit(self.row, name)
        value, low, high = (one * times for one in self.ranges[name])
        return ranged(value, low, high, "us", WHY)

    def rates(self, read, write, parts):
        return {read: self.rate("read", parts, "GB/s"), write: self.rate("write", parts, "GB/s")}

    def pieces(self, targets):
        return {"shared.write": self.piece("piece_write", targets), "shared.read": self.piece("piece_read", targets)}

    def metadata(self, prefix, parts):
        return {prefix + ".creates": self.rate("creates", parts, "kops/s"),
                prefix + ".opens": self.rate("opens", parts, "kops/s")}

    def directory(self):
        return {"directory.creates": self.rate("directory_creates", 1, "kops/s"),
                "directory.opens": self.rate("directory_opens", 1, "kops/s")}

    def in_one_directory(self, creates, opens, parts):
        """For kinds that have no limit of a directory: all servers are one."""
        return {creates: self.rate("directory_creates", parts, "kops/s"),
                opens: self.rate("directory_opens", parts, "kops/s")}


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


def beegfs(row, at, hard):
    servers = max(1, row.metadata)
    return {"target.count": row.servers, "server.count": row.servers, "mds.count": servers, "stripe.count": 0,
            "client.connections": 64, **at.rates("target.read", "target.write", row.servers),
            **at.metadata("mds", servers), **at.directory(), **at.pieces(row.servers)}


def gpfs(row, at, hard):
    return {"server.count": row.servers, **at.rates("server.read", "server.write", row.servers),
            "client.prefetch": ranged(25, 8, 25, "GB/s", "tuned, as for a submission"),
            **at.metadata("server", row.servers), **at.directory(), **at.pieces(row.servers)}


def cephfs(row, at, hard):
    osds, servers = row.servers * row.drives, max(1, row.metadata)
    return {"osd.count": osds, "mds.count": servers, "replicas": 1, **at.rates("osd.read", "osd.write", osds),
            **at.metadata("mds", servers), **at.directory(), **at.pieces(row.processes)}


def daos(row, at, hard):
    """The benchmark calls the library. One directory is no limit; its small files cost more each."""
    fields = {"server.count": row.servers, "object.parity": 0, "client.interface": "libdfs",
              "client.open_requests": 1, **at.rates("server.read", "server.write", row.servers),
              **at.metadata("server", row.servers), **at.pieces(row.servers)}
    return {**fields, **at.in_one_directory("server.creates", "server.opens", row.servers)} if hard else fields


def weka(row, at, hard):
    fields = {"backend.count": row.servers, **at.rates("backend.read", "backend.write", row.servers),
              "client.cores": {"value": 6, "low": 2, "high": 19, "why": "not stated"},
              **at.metadata("backend", row.servers), **at.pieces(row.servers)}
    if hard:
        fields.update(at.in_one_directory("directory.creates", "backend.opens", 1))
        fields["backend.opens"] = at.rate("directory_opens", row.servers, "kops/s")
    return fields


def nfs(row, at, hard):
    """Metadata nodes of VAST are its controllers; else storage nodes are."""
    heads = row.metadata if "ast" in row.cells["system"] and row.metadata else row.servers
    fields = {"head.count": heads, **at.rates("head.read", "head.write", heads),
              "head.creates": at.rate("creates", heads, "kops/s"), "head.ops": at.rate("opens", heads, "kops/s"),
              "client.nconnect": {"value": 8, "low": 1, "high": 16, "why": "not stated"},
              "client.read_ahead": "15 MiB", "client.open_requests": 1, **at.pieces(1)}
    if hard:
        fields.update(at.in_one_directory("directory.creates", "head.ops", 1))
        fields["head.ops"] = at.rate("directory_opens", heads, "kops/s")
    return fields


def lustre(row, at, hard):
    osts, mdts = 2 * row.servers, row.metadata or row.servers
    fields = {"ost.count": osts, "mdt.count": mdts, **at.rates("ost.read", "ost.write", osts), "stripe.count": 0,
              "directory.striped": True, "mdt.create": at.rate("creates", mdts, "kops/s"),
              "mdt.open": at.rate("opens", mdts, "kops/s"), "client.checksums": False,
              "lock": at.piece("piece_write", osts), "shared.read": at.piece("piece_read", osts)}
    return {**fields, **at.in_one_directory("mdt.create", "mdt.open", mdts)} if hard else fields


KINDS = {"beegfs": beegfs, "gpfs": gpfs, "cephfs": cephfs, "daos": daos, "weka": weka, "nfs": nfs, "lustre": lustre}

# Where each kind has the time of a data request.
DATA = {"beegfs": "target", "cephfs": "osd", "daos": "server", "gpfs": "server", "lustre": "ost", "weka": "backend"}


def save(phase):
    """Of each process: bytes, and how its files lie."""
    if phase == "ior-easy":
        return EASY, {"files": 1}
    if phase == "ior-hard":
        return HARD, {"shared": "interleaved", "piece": f"{PIECE} B"}
    if phase == "mdtest-easy":
        return FILES, {"files": FILES, "directories": "own"}
    return FILES * SMALL, {"files": FILES}


def scenario(row, phase, ranges):
    each, layout = save(phase)
    hard = phase == "mdtest-hard"
    store = {"id": "data", "type": row.kind, **nest(KINDS[row.kind](row, Settings(row, ranges), hard))}
    if phase.startswith("mdtest"):
        store["commit"] = "0 ms"    # mdtest does not ask for files to be durable
        if "stripe" in store:
            store["stripe"]["count"] = 1
    if phase == "mdtest-easy" and row.kind in DATA:
        store.setdefault(DATA[row.kind], {})["service"] = "0 ms"    # nor, of empty files, for data
    low, high = row.port_range
    host = {"id": "client", "count": row.hosts, "gpus": row.per_host, "cpu": {"cores": 64, "reserved": 0},
            "memory": {"bandwidth": "200 GB/s"},
            "nic": {"rate": ranged(high, low, high, "Gb/s", "ports of clients as those of servers; one or two")}}
    # Nothing of the job itself: no pass of a CPU, no copy from a GPU, no more to read than to write.
    checkpoint = {"to": "data", "every_steps": 1, "size": f"{each * row.processes} B", "serializer": "none",
                  "snapshot": "none", "quiesce": "0 ms", "coordinate": "0 s",
                  "restore": {"read": "own"}, **layout}
    job = {"id": "io", "hosts": "client", "steps": 1, "step": {"compute": "1 ms", "jitter": "0 %", "overhead": "0 ms"},
           "checkpoint": checkpoint}
    return {"id": re.sub(r"[^A-Za-z0-9]+", "-", f"{row.name} {phase}").strip("-"),
            "cluster": {"hosts": [host], "fabric": {"use": "fabric/hdr200"}},
            "storage": [store], "jobs": [job], "run": {"seed": 1, "replicas": 1}}


def per_second(row, phase, seconds):
    """As the benchmark counts: GiB/s, thousands of files a second."""
    if phase.startswith("ior"):
        return save(phase)[0] * row.processes / seconds / GIB
    return FILES * row.processes / seconds / 1000


def log(value):
    return math.log(max(value, 1e-9))
