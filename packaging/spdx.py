#!/usr/bin/env python3
"""What the programs of a build link and were compiled with, as an SPDX 2.3 document.

Usage: spdx.py BUILD. Reads each Debian package in BUILD, asks the programs in it for their libraries and dpkg
for where these and the header-only libraries are from, and prints JSON. Debian only.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Compiled in: no trace of them is left in a program.
HEADER_ONLY = ["nlohmann-json3-dev", "libcli11-dev", "libeigen3-dev", "libboost-dev"]


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def debian(name):
    """{"name", "version", "homepage"} of an installed package."""
    fields = said("dpkg-query", "-W", "-f=${Package}\t${Version}\t${Homepage}", name).split("\t")
    return dict(zip(("name", "version", "homepage"), fields))


def licences(package):
    """The licences that its copyright file names, joined for SPDX; what has no name there is not asserted."""
    path = pathlib.Path("/usr/share/doc", package, "copyright")
    if not path.exists():
        return "NOASSERTION"
    named = re.findall(r"^License: *(\S+)", path.read_text(encoding="utf-8", errors="replace"), re.M)
    return " ".join(sorted(set(named))) or "NOASSERTION"


def libraries(program):
    """Debian packages of the shared libraries that it names itself."""
    needed = re.findall(r"NEEDED.*\[(.*)\]", said("readelf", "-d", program))
    places = dict(re.findall(r"^\s*(\S+) => (\S+)", said("ldd", program), re.M))
    out = set()
    for name in needed:
        place = places.get(name, "")
        owner = subprocess.run(["dpkg-query", "-S", os.path.realpath(place)], capture_output=True, text=True,
                               check=False).stdout if place.startswith("/") else ""
        if owner:
            out.add(owner.split(":")[0])
    return out


def main():
    build = pathlib.Path(sys.argv[1])
    made = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    packages, relations = {}, []

    def add(identity, **fields):
        packages[identity] = {"SPDXID": identity, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                              "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **fields}

    debs = sorted(build.glob("*.deb"))
    for deb in debs:
        name, version = said("dpkg-deb", "-W", "--showformat=${Package} ${Version}", deb).split()
        ours = f"SPDXRef-{name}"
        add(ours, name=name, versionInfo=version, licenseDeclared="Apache-2.0",
            checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(deb.read_bytes()).hexdigest()}])
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", ours))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
            programs = [p for p in sorted(pathlib.Path(folder).rglob("*")) if p.is_file() and not p.is_symlink()
                        and p.read_bytes()[:4] == b"\x7fELF"]
            linked = set().union(*(libraries(p) for p in programs)) if programs else set()
        for kind, owners in (("DYNAMIC_LINK", sorted(linked)), ("DEPENDS_ON", HEADER_ONLY)):
            for owner in owners:
                about = debian(owner)
                add(f"SPDXRef-{owner}", name=about["name"], versionInfo=about["version"],
                    homepage=about["homepage"] or "NOASSERTION", comment="licences by its copyright file: " + licences(owner))
                relations.append((ours, kind, f"SPDXRef-{owner}"))
    digest = hashlib.sha256("".join(p["checksums"][0]["checksumValue"] for p in packages.values()
                                    if "checksums" in p).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "stallcast",
        "documentNamespace": f"urn:stallcast:{digest}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: packaging/spdx.py"]},
        "packages": [packages[k] for k in sorted(packages)],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in relations],
    }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
