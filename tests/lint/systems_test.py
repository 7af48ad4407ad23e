"""docs/systems.md: every row names a scenario of the library, a page and a test, and what is known of its error."""
import re
import sys

ROWS = 86


def main():
    rows = []
    with open(sys.argv[1] + "/docs/systems.md", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            if line.startswith("| ") and len(cells) == 6 and cells[0] != "system or mechanism":
                rows.append((number, cells))
    faults = []
    for number, (name, _, scenario, page, test, error) in rows:
        for what, text, pattern in (("scenario", scenario, r"\]\(\.\./scenarios/library/"), ("page", page, r"\]\(models/"),
                                    ("test", test, r"\]\(\.\./tests/"), ("error", error, r".")):
            if not re.search(pattern, text):
                faults.append(f"docs/systems.md:{number}: \"{name}\" names no {what}")
    if len(rows) != ROWS:
        faults.append(f"docs/systems.md: {len(rows)} rows, not {ROWS}")
    print("\n".join(faults))
    print(f"systems: {len(rows)} rows, {len(faults)} findings")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
