"""Rows of MLPerf Storage v1.0 as scenarios written from facts alone: what mlperf_rows.py runs.

A row is cut down to FACTS, what was run on what. What no sheet says of the benchmark program is in PRIORS,
one range for each workload.
"""

import math
import re

from cells import number, ranged

FACTS = ("case_id", "workload", "accel", "num_hosts", "accelerators", "steps_per_epoch", "num_files_train",
         "samples_per_file", "record_length_B", "format", "data_loader", "batch_size", "computation_time_s",
         "read_threads", "prefetch_size", "computation_threads", "transfer_size", "shuffle_size",
         "storage_product", "protocol_fs", "storage_nodes", "drives_total", "drive_model", "drive_iface",
         "drive_read_GBps_claimed", "storage_nic_Gbps", "storage_nics_per_node", "client_nic_Gbps",
         "client_nics", "client_mem_GiB", "client_cpu", "stated_peak_read_GBps", "sys_notes", "anomaly")

# Data sheets of CPUs and instances: cores (half the vCPUs), GB/s of memory of a whole host.
CPUS = {
    "6138": (20, 128), "7502P": (32, 204.8), "7713": (64, 204.8), "7642": (48, 204.8), "9554": (64, 460.8),
    "6338": (32, 204.8), "6438N": (32, 307.2), "8480C": (56, 307.2), "c6in.32xlarge": (64, 409.6),
    "c6in.16xlarge": (32, 204.8), "m6in.16xlarge": (32, 204.8), "r6in.8xlarge": (16, 102.4),
    "c5n.18xlarge": (36, 255.9),
}
UNKNOWN_CPU = (64, 307.2)

# Drives by name, GB/s of the data sheet; others: PCIe Gen4.
DRIVES = {"6500 ION": 6.8, "9400": 7.0, "9550": 14.0, "PM1733": 7.0, "PM1743": 14.0, "MTFDKCC": 6.8}
DRIVE = 7.0

# Products that the catalogue has.
CATALOGUE = {"AI400X2 Turbo": "storage/ddn-ai400x2t", "AI400X2T": "storage/ddn-ai400x2t",
             "C500": "storage/hpe-c500", "E1000": "storage/hpe-e1000", "WEKApod": "storage/wekapod-8"}

# What the benchmark program (DLIO) costs besides computing and reading: (median, low and high end over it).
# overhead: ms a step of one rank. sharing: ms a step more where each core of a host has a rank
# (docs/models/training.md, equation 6). barrier: ms per root of a rank (the same, equation 2).
# parse: GB/s that the core time of a reading process or thread allows; stream: GB/s that it takes in besides.
# iterator: ms until a tf.data iterator reads; names: us for each file name a rank lists and shuffles.
PRIORS = {
    "unet3d": {"overhead": (3.0, 0.5, 2.0), "barrier": (1.6, 0.4, 1.6), "parse": (0.8, 0.6, 1.5),
               "stream": (1.3, 0.4, 1.6)},
    "resnet50": {"overhead": (1.1, 0.5, 2.0), "sharing": (15.0, 0.6, 1.6), "barrier": (0.5, 0.3, 2.5),
                 "parse": (2.0, 0.4, 2.0), "iterator": (150.0, 0.4, 3.0), "names": (0.75, 0.5, 2.0)},
    "cosmoflow": {"overhead": (0.7, 0.7, 1.4), "sharing": (0.8, 0.4, 2.0), "barrier": (0.1, 0.4, 2.0),
                  "parse": (2.0, 0.4, 2.0), "iterator": (20.0, 0.4, 3.0), "names": (0.75, 0.5, 2.0)},
}
GRID = {
    "unet3d": {"barrier": (0.8, 1.6), "parse": (0.6, 0.8, 1.0), "stream": (0.8, 1.3)},
    "resnet50": {"sharing": (0.0, 10.0, 15.0, 20.0), "barrier": (0.1, 0.3, 0.5, 0.8)},
    "cosmoflow": {"overhead": (0.6, 0.7, 0.8), "sharing": (0.0, 0.4, 0.8, 1.2), "barrier": (0.05, 0.1, 0.15)},
}
# Simulated steps at most: an epoch is long enough for the batches read ahead to count little.
STEPS = {"unet3d": 1000, "resnet50": 100, "cosmoflow": 600}
READ_AHEAD = {"value": "1 MiB", "low": "128 KiB", "high": "15 MiB",
              "why": "not stated; Linux 128 KiB, tuned 15 MiB"}
# As generated, both sides of a record drawn alike. Records of resnet50 are all of one size.
STDEV = {"unet3d": "48.97 MB", "resnet50": "0 B", "cosmoflow": "51.1 kB"}
DIRECT = r"O_DIRECT|direct IO|dio read|forcedirect"
CONNECTION = (1.5, 0.4, 1.67)
STATED = "a stated rate; such systems gave 83-100 % of it"
NONE_STATED = "no rate is stated: 35-95 % of what ports or drives could give"


def ceiling(rate):
    return ranged(rate, 0.83 * rate, rate, "GB/s", STATED)


def guess(rate):
    return ranged(0.62 * rate, 0.35 * rate, 0.95 * rate, "GB/s", NONE_STATED)


class Row:
    """The facts of a row, as numbers."""

    def __init__(self, cells):
        self.cells = {name: (cells.get(name) or "").strip() for name in FACTS}
        one = self.cells
        self.workload = one["workload"]
        self.hosts = int(number(one["num_hosts"], 1))
        self.ranks = int(number(one["accelerators"], 1))
        self.per_host = math.ceil(self.ranks / self.hosts)
        names = ("storage_product", "protocol_fs", "drive_model", "sys_notes")
        self.product = " ".join(one[name] for name in names)
        self.nodes = int(number(one["storage_nodes"], 1)) or 1
        self.drives = int(number(one["drives_total"], self.nodes)) or 1
        ports = one["storage_nics_per_node"]
        self.ports = number(ports, 1) / (self.nodes if "total" in ports else 1)
        self.port = number(one["storage_nic_Gbps"])                      # Gb/s, 0: not stated
        self.drive = self.drive_rate()
        self.stated = number(one["stated_peak_read_GBps"])
        self.tcp = bool(re.search(r"TCP|AWS|EBS|NFS", self.product))
        sockets = re.match(r"([0-9])x ", one["client_cpu"])
        sheet = next((found for name, found in CPUS.items() if name in one["client_cpu"]), UNKNOWN_CPU)
        self.cores, self.memory = (int(sockets.group(1)) * one if sockets else one for one in sheet)

    def drive_rate(self):
        """GB/s of a drive: stated, of a cloud volume's operations at 256 KiB each, or of the product."""
        one = self.cells
        if number(one["drive_read_GBps_claimed"]):
            return number(one["drive_read_GBps_claimed"])
        if one["drive_iface"] == "EBS":
            operations = re.search(r"([0-9]+) ?IOPS", one["drive_model"])
            return min(4.0, float(operations.group(1)) * 262144e-9 if operations else 4.0)
        return next((rate for name, rate in DRIVES.items() if name in self.product), DRIVE)

    def sheets(self):
        """GB/s that ports and drives of the storage could give."""
        limits = [self.drives * self.drive]
        if self.port:
            limits.append(self.nodes * self.ports * self.port / 8)
        return min(limits)

    def says(self, pattern, default):
        found = re.search(pattern, self.product)
        return found.group(1) if found else default


def lustre(row):
    """Lustre, with the tunables that the notes of a submission give."""
    rpcs = row.says(r"max_rpcs_in_flight=(\d+)", None)
    if row.workload == "resnet50":
        rpcs = row.says(r"(\d+) for resnet50", rpcs)
    client = {"rpcs_in_flight": int(rpcs)} if rpcs else {}
    if "checksums=0" in row.product:
        client["checksums"] = False
    if "max_pages_per_rpc=1M" in row.product:
        client["rpc"] = "1 MiB"
    store = {"client": client} if client else {}
    use = next((name for part, name in CATALOGUE.items() if part in row.product), None)
    if use:
        return {"use": use, **store}
    return {"type": "lustre", **parallel(row), **store}


def parallel(row):
    """Servers and a ceiling: of the sheets where no rate is stated."""
    store = {"ost": {"count": max(row.nodes, row.drives // 4), "read": f"{4 * row.drive:.6g} GB/s"},
             "oss": {"count": row.nodes}, "mdt": {"count": row.nodes},
             "read": ceiling(row.stated) if row.stated else guess(row.sheets())}
    if row.port:
        store["oss"]["nic"] = f"{row.port * row.ports:.6g} Gb/s"
    return store


def other_parallel(row):
    """A parallel file system of a make that is not modelled: shaped like Lustre, without its checksums."""
    return {"type": "lustre", **parallel(row), "client": {"checksums": False}}


def nfs(row):
    """A NAS of nodes, all of which serve one export: a connection count for each of them."""
    each = row.ports * row.port / 8 if row.port else row.sheets() / row.nodes
    connections = int(row.says(r"nconnect=(\d+)", 1)) * row.nodes
    store = {"type": "nfs",
             "head": {"count": row.nodes,
                      "read": ceiling(row.stated / row.nodes) if row.stated else guess(each)},
             "shelf": {"count": row.drives, "read": f"{row.drive:.6g} GB/s"},
             "client": {"nconnect": min(16, connections),
                        "connection": spread(CONNECTION, "GB/s", "one TCP flow; a set of them for each node",
                                             max(1.0, connections / 16))}}
    if row.port:
        store["head"]["nic"] = f"{row.port * row.ports:.6g} Gb/s"
    ahead = row.says(r"readahead (\d+)M", None)
    store["client"]["read_ahead"] = f"{ahead} MiB" if ahead else READ_AHEAD
    return store


def weka(row):
    """WEKA: what a backend reads is known of the product, the cores of the client are not."""
    cores = {"value": 6, "low": 2, "high": 12, "why": "not published; 1 to 19 can be chosen"}
    return {"use": CATALOGUE["WEKApod"], "backend": {"count": row.nodes}, "client": {"cores": cores}}


def local(row):
    """Drives inside the hosts."""
    return {"type": "local", "drive": {"count": row.drives, "read": ceiling_of_drive(row)}}


def ceiling_of_drive(row):
    return ranged(row.drive, 0.9 * row.drive, 1.03 * row.drive, "GB/s", "sequential reads of NVMe: 90-103 %")


def nvmeof(row):
    """Drives in targets, striped over all of them. One port of a client serves one process over TCP."""
    store = {"type": "nvmeof", "transport": "tcp" if row.tcp else "rdma",
             "target": {"count": row.nodes},
             "drive": {"count": row.drives // row.nodes, "read": ceiling_of_drive(row)}}
    if re.search("stripe", row.product) and not re.search(DIRECT, row.product):
        store["request"] = {"value": "1 MiB", "low": "128 KiB", "high": "2 MiB",
                            "why": "read-ahead of a striped volume: twice its stripe"}
    if row.port:
        rate = row.port * row.ports
        store["target"]["nic"] = ranged(rate, 0.5 * rate, rate, "Gb/s",
                                         "ports that limited 66-99 %; processors of targets are not stated")
    return store


def cache(row):
    """Cache servers before a bucket, filled: the data set is stated to fit."""
    rate = row.drives * row.drive / row.nodes
    front = {"type": "cache", "over": "bucket", "warm": True,
             "server": {"count": row.nodes, "size": "20 TB", "read": guess(rate)}}
    if row.port:
        front["server"]["nic"] = f"{row.port * row.ports:.6g} Gb/s"
    return front


def storage(row):
    """The storage system by its protocol, the kinds that say most first."""
    kinds = ((r"Lustre", lustre), (r"WEKA", weka), (r"JuiceFS|cache group|Alluxio", cache),
             (r"NVMe/TCP|NVMe-oF|NVMe over", nvmeof), (r"NFS|Nutanix|Hammerspace", nfs), (r"local", local))
    kind = next((make for pattern, make in kinds if re.search(pattern, row.product)), other_parallel)
    first = {"id": "data", **kind(row)}
    return [first, {"id": "bucket", "use": "storage/s3-standard"}] if kind is cache else [first]


def loader(row, prior):
    """How DLIO sets up its loaders: PyTorch asks each worker for one batch ahead (prefetch_size 0: two)."""
    one = row.cells
    common = {"batch": int(number(one["batch_size"])), "persistent": True, "copy": "none", "handover": "0 ms",
              "workers": max(1, int(number(one["read_threads"], 4)))}
    none = one["prefetch_size"] == "0"
    if one["data_loader"] == "pytorch":
        return {"type": "pytorch", "prefetch": 2 if none else 1, **common}
    if prior:
        common["iterator"] = spread(prior["iterator"], "ms", "until an iterator of tf.data reads")
        common["names"] = spread(prior["names"], "us", "a rank lists and shuffles all names")
    found = {"type": "tensorflow", "prefetch": 1 if none else max(1, int(number(one["prefetch_size"], 2))),
             "map": {"threads": max(1, int(number(one["computation_threads"], 1)))}, **common}
    if row.workload == "cosmoflow":
        found["shuffle"] = {"buffer": 2}
    return found


def dataset(row, prior):
    one = row.cells
    each = int(number(one["samples_per_file"], 1)) if one["format"] == "tfrecord" else 1
    samples = steps_of(row) * row.ranks * int(number(one["batch_size"]))
    found = {"on": "data", "sample": f"{one['record_length_B']} B", "sample_stdev": STDEV[row.workload],
             "samples": each * max(math.ceil(samples / each), int(number(one["num_files_train"])))}
    if one["format"] == "tfrecord":
        found.update(format="tfrecord", samples_per_file=each)
    else:
        # DLIO hands on a buffer of record_length_resize.
        found.update(format="npz" if one["format"] == "npz" else "raw", tensor="2097152 B")
    if re.search(DIRECT, row.product):
        found["direct"] = True
    if prior and one["format"] != "npy":
        found["parse"] = spread(prior["parse"], "GB/s", "core time of one reading process of DLIO")
    if prior and one["format"] == "npz":
        found["stream"] = spread(prior["stream"], "GB/s", "np.load under DLIO, besides its core time")
    return found


def spread(prior, unit, why, times=1.0):
    middle, low, high = prior
    middle *= times
    return ranged(middle, low * middle, high * middle, unit, why)


def steps_of(row):
    return min(STEPS[row.workload], int(number(row.cells["steps_per_epoch"], STEPS[row.workload])))


def scenario(row, prior):
    one = row.cells
    host = {"id": "client", "count": row.hosts, "gpus": row.per_host,
            # Emulated accelerators sleep, and servers run two threads a core.
            "cpu": {"cores": row.cores, "reserved": 0,
                    "smt": {"value": 1.25, "low": 1, "high": 1.35, "why": "on, as servers are delivered"}},
            "memory": {"size": f"{number(one['client_mem_GiB'], 256):.6g} GiB",
                       "bandwidth": f"{row.memory:.6g} GB/s"}}
    if number(one["client_nic_Gbps"]):
        host["nic"] = {"rate": f"{number(one['client_nic_Gbps']):.6g} Gb/s",
                       "count": int(number(one["client_nics"], 1))}
    # The rules fix the time of a step; it is slept.
    step = {"compute": f"{1e3 * float(one['computation_time_s']):.6g} ms", "jitter": "0 %"}
    job = {"id": "train", "hosts": "client", "accelerators": row.ranks, "epochs": 1, "au": "dlio-v1",
           "step": step, "steps": steps_of(row), "dataset": dataset(row, prior),
           "loader": loader(row, prior)}
    if prior:
        step["overhead"] = spread(prior["overhead"], "ms", "what DLIO loses a step")
        if "sharing" in prior:
            step["sharing"] = spread(prior["sharing"], "ms", "what TensorFlow's threads lose on shared cores")
        job["barrier"] = {"base": "0 ms", "per_doubling": "0 ms",
                          "per_sqrt": spread(prior["barrier"], "ms", "MPI barrier of Python processes")}
    fabric = {"use": "fabric/ethernet-tcp" if row.tcp else "fabric/hdr200"}
    return {"id": re.sub(r"[^A-Za-z0-9]+", "-", one["case_id"]),
            "cluster": {"hosts": [host], "fabric": fabric},
            "storage": storage(row), "jobs": [job], "run": {"seed": 1, "replicas": 1}}
