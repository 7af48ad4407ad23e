"""Functions of one file that a call in another file could mean where both are one unit.

A unity batch compiles several sources of a target as one. A function of an unnamed namespace, or a
static one, is then seen by what stands below it in the batch: where another file of the target has a
function of that name in the same namespace that takes what this one takes, each call there picks
whichever fits better, and no compiler says so. Names of such functions are unique, or what they take
differs.
"""

import os
import re

from tracked import read_text

TARGET = re.compile(r"\bstallcast_(?:library|room|program|test)\s*\(\s*(\w+)([^)]*)\)")
SECTIONS = {"LINKS", "PRIVATE_LINKS", "FOLDERS", "WARM", "LABEL", "APART", "SOURCES"}
NUMBERS = {"int", "double", "float", "bool", "char", "unsigned", "long", "size_t", "ptrdiff_t", "int8_t", "uint8_t",
           "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "uintmax_t", "intmax_t", "ssize_t", "mode_t",
           "off_t", "pid_t"}
TEXTS = {"string", "string_view", "path", "char*"}
# What takes the place of a list: spans are made of vectors and arrays.
LISTS = ("vector<", "span<", "array<", "initializer_list<")
NO_NAMES = {"if", "for", "while", "switch", "return", "catch", "sizeof", "decltype", "alignas", "noexcept", "requires",
            "static_assert", "operator", "defined"}


def targets(root, names):
    """Sources of each library, program and test, by the file that lists them."""
    out = {}
    for name in names:
        if os.path.basename(name) != "CMakeLists.txt":
            continue
        text = re.sub(r"#[^\n]*", "", read_text(root, name) or "")
        for match in TARGET.finditer(text):
            section = ""
            for word in match[2].split():
                if word in SECTIONS:
                    section = word
                elif section == "SOURCES" and word.endswith(".cpp"):
                    source = os.path.normpath(os.path.join(os.path.dirname(name), word)).replace(os.sep, "/")
                    out.setdefault((name, match[1]), []).append(source)
    return out


def blanked(text):
    """`text` with comments, literals and preprocessor lines as blanks, of the same length."""
    pattern = re.compile(r'R"([^\s()\\]*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
                         r"|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def closing(text, at):
    """Where the bracket at `at` is closed."""
    pairs = {"(": ")", "{": "}", "[": "]", "<": ">"}
    depth = 0
    for i in range(at, len(text)):
        if text[i] == text[at]:
            depth += 1
        elif text[i] == pairs[text[at]]:
            depth -= 1
            if depth == 0:
                return i
    return len(text)


def split_commas(text):
    """Parts of a list of parameters; commas in brackets part nothing."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{<") - (c in ")]}>" and not text[i - 1:i + 1] == "->")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [p.strip() for p in parts if p.strip() and p.strip() != "void"]


class Function:
    def __init__(self, name, parameters, generic, line):
        self.name, self.line = name, line
        taken = split_commas(parameters)
        self.least = sum("=" not in p for p in taken)
        self.types = [self.type_of(p.split("=")[0].strip(), generic) for p in taken]

    @staticmethod
    def type_of(parameter, generic):
        """"vector<double>" of "const std::vector<double>& values"; "" of what takes anything."""
        text = re.sub(r"\[\[.*?\]\]|\bconst\b|\bstruct\b|&", " ", parameter).strip()
        words = re.findall(r"\w+$", text)
        # The last word is the name of the parameter unless it is all of the type.
        if words and re.search(r"[\w>*\])]\s+\w+$|[>*]\s*\w+$", text):
            text = text[:-len(words[0])].strip()
        text = re.sub(r"\b\w+::", "", re.sub(r"\s+", " ", text)).replace(" ", "")
        if any(re.search(rf"\b{word}\b", text) for word in generic | {"auto"}):
            return ""
        return text


def unwrapped(text):
    match = re.fullmatch(r"(?:optional|Result)<(.*)>", text)
    return match[1] if match else text


def compatible(a, b):
    """Whether some argument fits both types."""
    a, b = unwrapped(a), unwrapped(b)
    if a == b or not a or not b:
        return True
    for json, other in ((a, b), (b, a)):  # it is made of any plain value
        if json in ("Json", "json", "ordered_json"):
            return other in NUMBERS | TEXTS or other.startswith(LISTS)
    if a.startswith(LISTS) and b.startswith(LISTS):
        inner = [t[t.index("<") + 1:-1].split(",")[0] for t in (a, b)]
        return inner[0] == inner[1]
    return any(a in kind and b in kind for kind in (NUMBERS, TEXTS))


def clash(a, b):
    """Whether a call fits both."""
    for count in range(max(a.least, b.least), min(len(a.types), len(b.types)) + 1):
        if all(compatible(*pair) for pair in zip(a.types[:count], b.types[:count])):
            return True
    return False


def functions(text):
    """Functions that only their file should mean, with the namespace around them."""
    text = blanked(text)
    spaces, begin, at, out = [], 0, 0, []
    while at < len(text):
        c = text[at]
        if c == "(":
            at = closing(text, at)
        elif c == ";":
            begin = at + 1
        elif c == "}":
            if spaces:
                spaces.pop()
            begin = at + 1
        elif c == "{":
            head = text[begin:at].strip()
            space = re.fullmatch(r"(?:inline\s+)?namespace\b\s*(?:\[\[.*?\]\]\s*)?([\w:]*)", head)
            if space:
                spaces.append(space[1])
            else:
                first = at - len(text[begin:at].lstrip())
                found = function_of(head, 1 + text.count("\n", 0, first))
                if found and ("" in spaces or found[1]):
                    out.append(("::".join(s for s in spaces if s), found[0]))
                at = closing(text, at)
            begin = at + 1
        at += 1
    return out


def function_of(head, line):
    """The function that `head`, what stands before its body, begins, and whether it is static."""
    generic = set()
    while (match := re.match(r"template\s*<", head)) is not None:
        end = closing(head, match.end() - 1)
        generic |= {w for p in split_commas(head[match.end():end]) for w in re.findall(r"(\w+)\s*(?:=.*)?$", p)}
        head = head[end + 1:].strip()
    if re.match(r"(class|struct|enum|union|using|extern|requires)\b", head):
        return None
    opened = head.find("(")
    if opened < 0:
        return None
    before = head[:opened].rstrip()
    name = re.search(r"(?<![\w:~])(\w+)$", before)
    if name is None or name[1] in NO_NAMES or "=" in before or not before[:name.start()].strip():
        return None
    if re.search(r"\boperator\b", before):
        return None
    return Function(name[1], head[opened + 1:closing(head, opened)], generic, line), re.search(r"\bstatic\b", before) is not None


def check(root, names):
    findings = []
    known = {}
    for (listed, target), sources in sorted(targets(root, names).items()):
        by_name = {}
        for source in sorted(set(sources)):
            if source not in known:
                known[source] = functions(read_text(root, source) or "") if source in names else []
            for space, function in known[source]:
                by_name.setdefault((space, function.name), []).append((source, function))
        for (_, name), all_of in sorted(by_name.items()):
            for i, (source, function) in enumerate(all_of):
                other = next((o for o in all_of[:i] if o[0] != source and clash(function, o[1])), None)
                if other:
                    findings.append(f"{source}:{function.line}: {name} could be meant by calls of {other[0]}:"
                                    f"{other[1].line}, which may be one unit with this (target {target} of {listed}): "
                                    "give one another name")
    return findings
