"""The JSON Schema and the loader agree on every fixture.

The unit tests hold the loader to the folders: it accepts good/ and rejects bad/. Here the schema is
held to the same, except for bad fixtures whose fault no schema can see ("// schema accepts").

usage: schema_agreement.py PRINT_SCHEMA_PROGRAM FIXTURES LIBRARY
"""

import json
import pathlib
import re
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def strict(text):
    """JSON without comments and trailing commas."""
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
    text = token.sub(lambda m: m.group(0) if m.group(0).startswith('"') else " ", text)
    comma = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[\]}])', re.S)
    return comma.sub(lambda m: m.group(0) if m.group(0).startswith('"') else " ", text)


def main():
    schema = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True).stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    fixtures = pathlib.Path(sys.argv[2])
    disagreements = []
    seen = 0
    files = [*sorted((fixtures / "good").glob("*.json")), *sorted((fixtures / "bad").glob("*.json")),
             *sorted(pathlib.Path(sys.argv[3]).glob("*.json"))]
    for path in files:
        text = path.read_text()
        bad = path.parent.name == "bad"
        if bad and "// schema accepts" in text:
            continue
        seen += 1
        errors = [e.message[:200] for e in validator.iter_errors(json.loads(strict(text)))]
        if bad and not errors:
            disagreements.append(f"{path.name}: the loader rejects it, the schema does not")
        if not bad and errors:
            disagreements.append(f"{path.name}: the schema rejects it: {errors}")
    print("\n".join(disagreements) or f"{seen} files, no disagreement")
    sys.exit(1 if disagreements or seen < 40 else 0)


main()
