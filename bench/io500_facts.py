"""Facts of a row of IO500 as numbers: what was run on what. No result is among them."""

import math
import re

from cells import number

FACTS = ("list", "system", "institution", "filesystem", "fs_version", "client_nodes", "procs_per_node", "md_nodes",
         "md_devices", "md_media", "ds_nodes", "ds_devices", "ds_media", "ds_network")

# Gb/s of a port by the words of the network, most special first.
PORTS = (("HDR", 200), ("EDR", 100), ("FDR", 56), ("OPA|Omni", 100), ("Aries", 80))
# Of machines to rent, by who rents them out: bare metal at Oracle has ports of 25 Gb/s, the largest of EC2 100.
RENTED = ((r"Oracle", 25), (r"EC2|AWS|Amazon", 100))
UNSTATED = ((r"Infini|^IB", 100), (r"", 50))
DISKS = r"HDD|HD$|NL-?SAS|7\.2|44x SAS|SATA$"
# Media by the words for them, most special first.
MEDIA = ((r"Optane|DIMM|PMEM", "memory"), (r"NVMe|NVME|3DXP", "nvme"), (r"", "ssd"))
KINDS = ((r"BeeGFS", "beegfs"), (r"CephFS", "cephfs"), (r"DAOS", "daos"), (r"GPFS", "gpfs"), (r"Lustre", "lustre"),
         (r"[Ww]eka|WEKA", "weka"), (r"NFS|NAS", "nfs"))
MOST_DISKS, MOST_FLASH = 250, 24    # in one server
FEWEST_DISKS = 12                   # behind a server of a file system that is submitted


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
        disks = re.search(DISKS, media) and not re.search(r"^SSD", media)
        self.medium = "disks" if disks else "flash"
        self.drive = "disk" if disks else next(name for words, name in MEDIA if re.search(words, media))
        self.drives, self.drives_range = self.drives_of(max(1.0, number(one["ds_devices"], 1)))
        owner = one["institution"] + " " + one["system"]
        self.rented = bool(re.search(r"Oracle|EC2|AWS|Amazon|Google|GCP|Azure|Cloud", owner))
        self.port = self.network(one["ds_network"], owner)
        # WEKA's clients poll their ports and do not use the kernel's TCP.
        self.tcp = self.kind != "weka" and not re.search(r"Infini|^IB|EDR|HDR|FDR|OPA|Omni|Aries", one["ds_network"])

    def kind_of(self):
        """The kind that models it, or none."""
        one = self.cells
        for pattern, kind in KINDS:
            if re.search(pattern, one["filesystem"] + " " + (one["system"] if kind == "weka" else "")):
                return kind
        # Versions and host of Janelia's WEKA, before its name was entered.
        return "weka" if one["filesystem"].startswith("Parallel") else None

    def drives_of(self, stated):
        """Of one server, and their range. Rows give them of one server or of all, and do not say which."""
        each = stated / self.servers
        most = MOST_DISKS if self.medium == "disks" else MOST_FLASH
        if self.servers == 1 or each < 1:
            return stated, (stated, stated)
        if stated > most:
            return each, (each, each)
        if self.medium == "disks" and each >= FEWEST_DISKS and each == int(each):
            return math.sqrt(each * stated), (each, stated)
        return stated, (stated, stated)

    @staticmethod
    def network(words, owner):
        """Gb/s of a port of a host or a server."""
        several = re.search(r"(\d+)x(\d+) ?(?:g|G)", words)
        if several:
            return int(several.group(1)) * int(several.group(2))
        stated = re.search(r"(\d+) ?(?:Gbps|GbE|gE|G$)", words)
        if stated:
            return int(stated.group(1))
        named = next((rate for pattern, rate in PORTS if re.search(pattern, words)), None)
        rented = next((rate for pattern, rate in RENTED if re.search(pattern, owner)), None)
        return named or rented or next(rate for pattern, rate in UNSTATED if re.search(pattern, words))
