"""One name, one type: no struct, class or enum of a header has the name of one in another namespace."""

import re

from tracked import read_text

SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|'
                     r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.DOTALL | re.MULTILINE)
TOKEN = re.compile(r'\w+|::|\S')


def namespace_of(head):
    """The namespace that a `{` after these tokens opens ("" without a name), or None."""
    if head[:1] == ["inline"]:
        head = head[1:]
    return "".join(head[1:]) if head[:1] == ["namespace"] else None


def without_template(head):
    """Without a leading `template <...>`."""
    if head[:2] != ["template", "<"]:
        return head
    depth = 0
    for i, token in enumerate(head[1:], 1):
        depth += {"<": 1, ">": -1}.get(token, 0)
        if depth == 0:
            return without_template(head[i + 1:])
    return []


def type_of(head):
    """The name of the type that a `{` after these tokens defines, or None. "Outer::Nested" is not at
    namespace scope, and a specialization has the name of its template."""
    head = without_template(head)
    if head[:1] not in (["struct"], ["class"], ["enum"], ["union"]) or "=" in head or "(" in head:
        return None
    words = head[1:]
    for end in (":", "<"):
        words = words[:words.index(end)] if end in words else words
    words = [word for word in words if word not in ("class", "struct", "final", "[", "]", "nodiscard")]
    return words[0] if len(words) == 1 else None


def types_of(text):
    """(line, namespace, name) of each type defined at namespace scope."""
    plain = SKIPPED.sub(lambda m: "\n" * m.group().count("\n") or " ", text)
    found, scopes, head = [], [], []
    for match in TOKEN.finditer(plain):
        token = match.group()
        if token == "{":
            namespace = namespace_of(head)
            if None not in scopes and namespace is None and (name := type_of(head)):
                line = plain.count("\n", 0, match.start()) + 1
                found.append((line, "::".join(filter(None, scopes)), name))
            scopes.append(namespace)
            head = []
        elif token == "}":
            scopes = scopes[:-1]
            head = []
        elif token == ";":
            head = []
        else:
            head.append(token)
    return found


def check(root, names):
    """Findings as "file:line: text"."""
    places = {}
    for name in names:
        if name.endswith(".hpp") and not name.startswith("tests/"):
            for line, namespace, type_name in types_of(read_text(root, name) or ""):
                places.setdefault(type_name, {}).setdefault(namespace, f"{name}:{line}")
    return [f"{place}: {namespace}::{type_name} has the name of a type in {', '.join(sorted(set(found) - {namespace}))}"
            for type_name, found in sorted(places.items()) if len(found) > 1
            for namespace, place in sorted(found.items())]
