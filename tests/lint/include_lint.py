"""Checks every #include against the layer table in layers.json, and that the table has no ring."""

import fnmatch
import json
import os
import re

from tracked import is_cpp, read_text

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]')


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns)


def layer_of(table, name):
    for layer in table["layers"]:
        if matches(name, layer["files"]):
            return layer
    return None


def library_of(table, header):
    for library, patterns in table["libraries"].items():
        if matches(header, patterns):
            return library
    return None


def cycle_of(table):
    """Layers that may include each other in a ring, as names in their order, or None."""
    names = [layer["name"] for layer in table["layers"]]
    below = {layer["name"]: [n for n in names if n != layer["name"] and matches(n, layer["may"])]
             for layer in table["layers"] if "*" not in layer["may"]}
    done = set()

    def walk(name, path):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        for lower in below.get(name, []):
            if found := walk(lower, path + [name]):
                return found
        done.add(name)
        return None

    return next((found for name in names if (found := walk(name, []))), None)


def fault(table, name, layer, quote, header, is_project):
    """What is wrong with one include of `header` in the file `name`, or None."""
    if quote == '"':
        path = "include/" + header if header.startswith("stallcast/") else header
        if not is_project(path) and layer.get("root"):
            path = layer["root"] + header
        if not is_project(path):
            return f'"{header}" is not in the tree; include from the root, libraries with <>'
        target = layer_of(table, path)
        if target is None:
            return f'"{header}" is in no layer of layers.json'
        if target["name"] != layer["name"] and not matches(target["name"], layer["may"]):
            return f'{layer["name"]} may not include "{header}" of {target["name"]}'
        return None
    library = library_of(table, header)
    if library is None:
        standard = "/" not in header or matches(header, table["system"])
        return None if standard else f"<{header}> is not a known library"
    if not matches(library, layer["libraries"]):
        return f'{layer["name"]} may not include <{header}> of {library}'
    homes = table["only_in"].get(library)
    if homes and not matches(name, homes):
        return f"<{header}> may be included only by {', '.join(homes)}"
    return None


def check(root, names):
    """Findings as "file:line: text"."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers.json")) as file:
        table = json.load(file)
    known = set(names)
    # A file that is not committed yet counts too, so that the lint says the same before and after.
    def is_project(path):
        return path in known or os.path.isfile(os.path.join(root, path))

    findings = []
    if ring := cycle_of(table):
        findings.append(f'tests/lint/layers.json:1: {" -> ".join(ring)}')
    for name in filter(is_cpp, names):
        layer = layer_of(table, name)
        if layer is None:
            findings.append(f"{name}:1: this folder is in no layer of tests/lint/layers.json")
            continue
        for number, line in enumerate((read_text(root, name) or "").splitlines(), 1):
            found = INCLUDE.match(line)
            if found:
                text = fault(table, name, layer, *found.groups(), is_project)
                if text:
                    findings.append(f"{name}:{number}: {text}")
    return findings
