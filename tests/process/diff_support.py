"""What the tests of `stallcast diff` share."""

import json

from check_support import CheckCase


class DiffCase(CheckCase):
    def diff(self, folder, *args, code=0):
        return json.loads(self.exits(code, folder.run("diff", *args, "--format", "json")).stdout)

    def refuses(self, folder, *args):
        """What is said of bad input: standard output stays empty, standard error has a reason."""
        done = self.exits(2, folder.run("diff", *args))
        self.assertEqual(done.stdout, "")
        self.assertNotIn("internal", done.stderr)
        self.assertNotEqual(done.stderr, "")
        return done.stderr

    def metric(self, found, name):
        return next(m for m in found["metrics"] if m["metric"] == name)

    def names(self, found):
        return [change["name"] for change in found["inputs"]]
