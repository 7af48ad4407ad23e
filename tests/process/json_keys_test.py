"""Every key that a verb prints as JSON is on its page of the reference.

Usage: json_keys_test.py PATH_OF_STALLCAST [unittest options]."""

import json
import os
import re
import unittest

import program

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "reference", "json.md")
# Their keys are names of a scenario or of metrics.
NAMES = {"metrics", "values", "answer", "nominal_answer", "set", "each", "goals", "gone", "come"}
SCENARIO = """{
  "id": "keys", "params": { "n": { "value": 2, "min": 1, "max": 8 } },
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100", "price": "300 kUSD" } ] },
  "storage": [ { "id": "fs", "type": "lustre", "ost": { "count": "=n", "price": "40 kUSD", "capacity": "100 TB" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "2 s" },
    "dataset": { "on": "fs", "format": "tokens", "sample": "16 KiB", "size": "1 TB" },
    "loader": { "type": "pytorch", "workers": 4, "batch": 64 },
    "checkpoint": { "to": "fs", "size": "200 GB", "every": "1 min" } } ],
  "failures": [ { "id": "host", "type": "host", "mtbf": "5000 d" } ],
  "growth": { "months": 12, "every": 6, "of": { "jobs.train.dataset.size": "10 %/month" } },
  "run": { "duration": "5 min", "replicas": 2 },
  "expect": [ { "id": "busy", "that": "job.train.gpu.utilization >= 80 %" },
              { "id": "stall", "that": "job.train.checkpoint.stall <= 10 s", "level": "warn", "why": "it is felt" } ]
}
"""
ARGUMENTS = (("run", "FILE"), ("run", "FILE", "--draws", "16", "--timing"),
             ("plan", "FILE", "--confidence", "90%"), ("plan", "FILE", "--until", "6mo"),
             ("explain", "FILE"), ("sweep", "FILE", "--vary", "n=1,4", "--draws", "8"), ("grow", "FILE"),
             ("check", "FILE"), ("compare", "FILE", "FILE", "--set", "params.n=4"),
             ("diff", "FILE", "FILE", "--set", "params.n=6", "--set", "jobs.train.checkpoint.every=2 min"))


def keys_of(value, names=False):
    """All keys below, but for those that are names."""
    if isinstance(value, list):
        for item in value:
            yield from keys_of(item)
    elif isinstance(value, dict):
        for key, below in value.items():
            if not names:
                yield key
            # One level of names; of "breakdown" and "metrics" figures follow.
            yield from keys_of(below, not names and (key in NAMES or key == "breakdown") and isinstance(below, dict))


class JsonKeysTest(unittest.TestCase):
    def test_every_key_is_on_the_page(self):
        with open(PAGE, encoding="utf-8") as file:
            told = set(re.findall(r"`([a-z0-9_]+)`", file.read()))
        for words in ARGUMENTS:
            done = program.Run(*words, "--format", "json", text=SCENARIO)
            keys = set(keys_of(json.loads(done.out))) - {"op"}  # of a patch, which is RFC 6902
            self.assertGreater(len(keys), 10, words)
            self.assertEqual(keys - told, set(), words)


if __name__ == "__main__":
    program.main()
