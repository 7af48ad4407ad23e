"""Whom `stallcast diff` blames, and which changes it finds.

Usage: diff_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""

import copy
import itertools
import json
import math
import pathlib

import program
from check_support import EASY, HARD, STALL, UTILIZATION
from diff_support import DiffCase

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "ci-regression"
# The regression of the example: what is set, and the name of the input it changes.
PLANTED = {"storage.oss.count=8": "storage[scratch].oss.count",
           "storage.oss.nic=200 Gb/s": "storage[scratch].oss.nic",
           "jobs[train].checkpoint.every=5 min": "jobs[train].checkpoint.every"}


def patched(document, patch):
    """RFC 6902, as far as a diff uses it."""
    document = copy.deepcopy(document)
    for step in patch:
        tokens = [t.replace("~1", "/").replace("~0", "~") for t in step["path"].split("/")[1:]]
        node = document
        for token in tokens[:-1]:
            node = node[int(token) if isinstance(node, list) else token]
        last = tokens[-1]
        if isinstance(node, list):
            index = len(node) if last == "-" else int(last)
            if step["op"] == "add":
                node.insert(index, step["value"])
            elif step["op"] == "remove":
                del node[index]
            else:
                node[index] = step["value"]
        elif step["op"] == "remove":
            del node[last]
        else:
            node[last] = step["value"]
    return document


class Blame(DiffCase):
    """The shares are those of runs that the test makes itself."""

    def example(self):
        folder = self.folder()
        for path in sorted((EXAMPLE / "designs").iterdir()):
            folder.write("designs/" + path.name, path.read_text(encoding="utf-8"))
        folder.write("policy.json", (EXAMPLE / "policy.json").read_text(encoding="utf-8"))
        return folder

    def value(self, folder, metric, sets):
        run = folder.run("run", "designs/llm.json", "--no-advice", "--format", "json",
                         *(a for s in sets for a in ("--set", s)))
        return json.loads(run.stdout)["metrics"][metric]["value"]

    def test_a_planted_regression_fails_check_and_the_right_change_is_blamed_with_its_share(self):
        folder = self.example()
        check = ["check", "--no-advice", "designs/llm.json", "--policy", "policy.json",
                 "--baseline", "base.json"]
        self.exits(0, folder.run(*check, "--update-baseline"))
        self.exits(0, folder.run(*check))
        for change, name in PLANTED.items():
            self.exits(1, folder.run(*check, "--set", change))
            found = self.diff(folder, "designs/llm.json", "designs/llm.json", "--set", change)
            self.assertEqual(self.names(found), [name])
            worst = found["metrics"][0]
            self.assertEqual(worst["effect"], "worse")
            share = worst["shares"]["by_change"][0]
            # The only change has done it all.
            self.assertEqual(share["input"], 0)
            self.assertAlmostEqual(share["fraction"], 1.0)

    def test_of_three_changes_each_gets_its_shapley_value(self):
        folder = self.example()
        sets = list(PLANTED)
        found = self.diff(folder, "designs/llm.json", "designs/llm.json",
                          *(a for s in sets for a in ("--set", s)))
        self.assertEqual(sorted(self.names(found)), sorted(PLANTED.values()))
        self.assertEqual(found["attribution"],
                         {"method": "shapley", "designs": 8, "notes": []})
        for metric in (UTILIZATION, "job.train.checkpoint.stall", "job.train.checkpoint.overhead"):
            v = {chosen: self.value(folder, metric, chosen)
                 for n in range(4) for chosen in itertools.combinations(sets, n)}
            moved = self.metric(found, metric)
            self.assertAlmostEqual(moved["before"], v[()])
            self.assertAlmostEqual(moved["after"], v[tuple(sets)])
            expected = {}
            for one in sets:
                others = [s for s in sets if s != one]
                expected[PLANTED[one]] = 0.0
                # 1/3 for first and last of three, 1/6 for each way to be second.
                for n, weight in ((0, 1 / 3), (1, 1 / 6), (2, 1 / 3)):
                    for before in itertools.combinations(others, n):
                        with_it = tuple(s for s in sets if s in before or s == one)
                        expected[PLANTED[one]] += weight * (v[with_it] - v[before])
            for share in moved["shares"]["by_change"]:
                name = found["inputs"][share["input"]]["name"]
                self.assertTrue(math.isclose(share["share"], expected[name], rel_tol=1e-9,
                                             abs_tol=1e-12), (metric, name, share, expected))
                alone = v[(next(s for s in sets if PLANTED[s] == name),)] - v[()]
                self.assertTrue(math.isclose(share["alone"], alone, rel_tol=1e-9, abs_tol=1e-12))
            together = moved["delta"] - sum(s["alone"] for s in moved["shares"]["by_change"])
            self.assertTrue(math.isclose(moved["shares"]["interaction"], together, rel_tol=1e-9,
                                         abs_tol=1e-12))
        # Six times as many saves cost more than what each of them takes longer.
        text = folder.run("diff", "designs/llm.json", "designs/llm.json",
                          *(a for s in sets for a in ("--set", s))).stdout
        self.assertRegex(" ".join(text.split()),
                         r"GPU utilization of train 96.8 % -> 95.0 % \(-1.8 points, worse\) because "
                         r"jobs\[train\].checkpoint.every 30 min -> 5 min \(-1.2 points\), "
                         r"storage\[scratch\].oss.nic 400 Gb/s -> 200 Gb/s \(-0.4\d points\), "
                         r"storage\[scratch\].oss.count 10 -> 8 \(-0.1\d points\)")
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80, text)

    def test_one_at_a_time_leaves_an_interaction_that_is_named(self):
        folder = self.folder(a=EASY)
        args = ["a.json", "a.json", "--set", "storage.ost.count=4", "--set",
                "jobs[train].checkpoint.every=30 s", "--attribute", "oat"]
        found = self.diff(folder, *args)
        self.assertEqual(found["attribution"]["method"], "oat")
        # The base, the head, and each change alone.
        self.assertEqual(found["attribution"]["designs"], 4)
        shares = self.metric(found, UTILIZATION)["shares"]
        self.assertLess(shares["interaction"], 0.0)
        self.assertAlmostEqual(sum(s["share"] for s in shares["by_change"]) + shares["interaction"],
                               self.metric(found, UTILIZATION)["delta"])
        self.assertIn("only together (interaction)", folder.run("diff", *args).stdout)

    def test_beyond_six_changes_auto_goes_one_at_a_time_and_shapley_is_refused(self):
        folder = self.folder(a=EASY)
        sets = ["storage.ost.count=6", "storage.ost.read=3 GB/s", "storage.ost.write=3 GB/s",
                "storage.oss.count=3", "storage.oss.nic=200 Gb/s",
                "jobs[train].checkpoint.every=30 s", "jobs[train].checkpoint.size=120 GB"]
        args = ["a.json", "a.json", *(a for s in sets for a in ("--set", s))]
        found = self.diff(folder, *args)
        self.assertEqual(found["attribution"]["method"], "oat")
        self.assertEqual(found["attribution"]["designs"], 9)
        self.assertIn("at most 6", self.refuses(folder, *args, "--attribute", "shapley"))
        none = self.diff(folder, *args, "--attribute", "none")
        self.assertEqual(none["attribution"]["designs"], 0)
        self.assertNotIn("shares", none["metrics"][0])


class Inputs(DiffCase):
    """Changes are found in the resolved design, with the place of the text that made them."""

    def test_nothing_changed_is_one_line_also_when_it_is_written_differently(self):
        folder = self.folder(a=EASY)
        folder.write("b.json", "// the same\n" + folder.read("a.json").replace('"4 GB/s"',
                                                                             '"4000 MB/s"'))
        done = self.exits(0, folder.run("diff", "a.json", "b.json", "--exit-code"))
        self.assertRegex(done.stdout, r"^SAME small: nothing changed \(\d+ metrics and all "
                                      r"inputs\)\n$")

    def test_exit_code_is_one_only_when_it_is_asked_for(self):
        folder = self.folder(a=EASY)
        args = ["a.json", "a.json", "--set", "storage.ost.count=4"]
        self.exits(0, folder.run("diff", *args))
        self.exits(1, folder.run("diff", *args, "--exit-code"))

    def test_the_patch_leads_from_one_resolved_scenario_to_the_other(self):
        folder = self.folder(a=EASY, b=EASY + "," + STALL)
        folder.edit("b.json", '"count": 8', '"count": 6')
        folder.edit("b.json", '"type": "lustre"', '"type": "lustre", "mdt": { "count": 3 }')
        folder.edit("b.json", '"size": "100 GB"', '"size": "90 GB"')
        found = self.diff(folder, "a.json", "b.json")
        base, head = (json.loads(folder.run("resolve", name).stdout) for name in ("a.json", "b.json"))
        self.assertEqual(patched(base, found["patch"]), head)
        self.assertEqual(self.names(found),
                         ["storage[scratch].mdt.count", "storage[scratch].ost.count",
                          "jobs[train].checkpoint.size", "expect[stall]"])
        self.assertTrue(found["inputs"][3]["target"])
        self.assertRegex(found["inputs"][1]["head_at"], r"^b\.json:5:\d+$")

    def test_a_parameter_that_moves_several_values_is_one_change(self):
        folder = self.folder(a=EASY)
        folder.edit("a.json", '"id": "small",', '"id": "small",\n  "params": { "n": { "value": 8 }, '
                                                '"half": "=n / 4" },')
        folder.edit("a.json", '"count": 8', '"count": "=n"')
        folder.edit("a.json", '"oss": { "count": 2', '"oss": { "count": "=half"')
        folder.write("b.json", folder.read("a.json").replace('"value": 8', '"value": 4'))
        found = self.diff(folder, "a.json", "b.json")
        self.assertEqual(self.names(found), ["params.n"])
        change = found["inputs"][0]
        self.assertEqual((change["before"], change["after"]), ("8", "4"))
        self.assertEqual([(m["path"], m["before"], m["after"]) for m in change["moves"]],
                         [("storage[scratch].oss.count", "2", "1"),
                          ("storage[scratch].ost.count", "8", "4")])
        self.assertRegex(change["head_at"], r"^b\.json:3:\d+$")
        self.assertAlmostEqual(
            self.metric(found, UTILIZATION)["shares"]["by_change"][0]["fraction"], 1.0)

    def test_another_product_is_one_change(self):
        folder = self.folder(a=EASY)
        found = self.diff(folder, "a.json", "a.json", "--set", "cluster.hosts.gpu.use=host/dgx-a100")
        self.assertEqual(self.names(found), ["cluster.hosts[gpu].use"])
        self.assertGreater(len(found["inputs"][0]["moves"]), 1)

    def test_a_value_of_an_extended_file_counts_where_it_stands(self):
        folder = self.folder(a=EASY)
        folder.write("b.json", '{ "extends": "a.json", "id": "small",\n'
                               '  "storage": [ { "id": "scratch", "ost": { "count": 4 } } ] }')
        folder.write("c.json", '{ "extends": "b.json", "id": "small" }')
        found = self.diff(folder, "a.json", "c.json")
        self.assertEqual(self.names(found), ["storage[scratch].ost.count"])
        self.assertRegex(found["inputs"][0]["base_at"], r"a\.json:5:\d+$")
        self.assertRegex(found["inputs"][0]["head_at"], r"b\.json:2:\d+$")

    def test_changes_that_make_no_design_apart_are_one_and_it_says_why(self):
        folder = self.folder(a=EASY)
        folder.write("b.json", folder.read("a.json").replace('"to": "scratch"', '"to": "fast"')
                     .replace('"storage": [', '"storage": [ { "id": "fast", "type": "lustre", "ost": '
                              '{ "count": 4, "read": "4 GB/s", "write": "4 GB/s" }, '
                              '"oss": { "count": 2, "nic": "400 Gb/s" } },'))
        found = self.diff(folder, "a.json", "b.json")
        self.assertEqual(self.names(found), ["storage[fast] and jobs[train].checkpoint.to"])
        self.assertIn("jobs[train].checkpoint.to alone: ", found["inputs"][0]["together"])
        self.assertIn("as one: ", folder.run("diff", "a.json", "b.json").stdout)

    def test_targets_that_changed_are_shown_and_blamed_for_nothing(self):
        folder = self.folder(a=EASY, b=HARD)
        found = self.diff(folder, "a.json", "b.json")
        self.assertEqual(self.names(found), ["expect[util]"])
        self.assertEqual(found["metrics"], [])
        self.assertIn("the target holds -> 1 of 1 target missed",
                      " ".join(folder.run("diff", "a.json", "b.json").stdout.split()))

    def test_a_confidence_and_a_waiver_are_part_of_a_target(self):
        sure = [EASY.replace("}", f', "confidence": "{share} %" }}') for share in (90, 50)]
        waived = [EASY.replace("}", f', "waive": "old disks", "until": "{year}-03-01" }}') for year in (2027, 2020)]
        folder = self.folder(a=EASY, b=sure[0], c=sure[1], d=waived[0], e=waived[1])
        for one, other, before, after in (("a", "b", "", ", confidence 90 %"), ("b", "c", ", confidence 90 %", ", confidence 50 %"),
                                          ("d", "e", ", waived until 2027-03-01: old disks", ", waived until 2020-03-01: old disks")):
            found = self.diff(folder, one + ".json", other + ".json")
            self.assertEqual(self.names(found), ["expect[util]"])
            change = found["inputs"][0]
            self.assertTrue(change["before"].endswith("10 %" + before) and change["after"].endswith("10 %" + after), change)
            self.exits(1, folder.run("diff", one + ".json", other + ".json", "--exit-code"))

    def test_a_confidence_that_draws_have_judged_on_one_side_only_makes_no_difference(self):
        """One design is one design, whether its result had draws or not; two results keep what their draws said."""
        folder = self.folder(a=HARD.replace("}", ', "confidence": "90 %" }'))
        folder.run("run", "a.json", "--draws", "16", "--no-advice", "--format", "json", "--output", "a.out")
        self.assertEqual(json.loads(folder.read("a.out"))["verdict"], "fail")
        for sides in (("a.out", "a.json"), ("a.json", "a.out")):
            done = self.exits(0, folder.run("diff", *sides, "--exit-code"))
            self.assertIn("SAME", done.stdout)
            self.assertIn("only draws judge it", " ".join(done.stdout.split()))
            found = self.diff(folder, *sides)
            self.assertEqual([found[s]["verdict"] for s in ("base", "head")], ["inconclusive"] * 2)
        found = self.diff(folder, "a.out", "a.out")
        self.assertEqual([found[s]["verdict"] for s in ("base", "head")], ["fail"] * 2)

    def test_a_missed_target_that_only_warns_is_a_warning(self):
        warns = [text.replace('"that"', '"level": "warn", "that"') for text in (EASY, HARD)]
        folder = self.folder(a=warns[0], b=warns[1])
        said = " ".join(folder.run("diff", "a.json", "b.json").stdout.split())
        self.assertIn("the target holds -> all targets hold but 1 warning", said)

    def test_a_target_may_be_relative_to_the_base(self):
        folder = self.folder(a=EASY.replace("10 %", "base * 0.98"))
        found = self.diff(folder, "a.json", "a.json", "--set", "storage.ost.count=4")
        self.assertEqual((found["base"]["verdict"], found["head"]["verdict"]), ("pass", "fail"))

    def test_how_it_is_simulated_is_alike_on_both_sides(self):
        folder = self.folder(a=EASY)
        args = ("a.json", "a.json", "--no-fast-forward", "--no-fold")
        self.assertEqual([], self.names(self.diff(folder, *args)))
        found = self.diff(folder, *args, "--set", "storage.ost.count=4", "--attribute", "none")
        self.assertEqual(["storage[scratch].ost.count"], self.names(found))

    def test_metrics_and_min_change_choose_what_counts(self):
        folder = self.folder(a=EASY)
        args = ["a.json", "a.json", "--set", "storage.ost.count=7"]
        found = self.diff(folder, *args, "--metrics", "job.*.checkpoint.stall*")
        self.assertTrue(found["metrics"])
        for metric in found["metrics"]:
            self.assertRegex(metric["metric"], r"^job\.train\..*stall")
        self.assertEqual(self.diff(folder, *args, "--min-change", "900%")["metrics"], [])
        self.assertIn("no metric matches", self.refuses(folder, *args, "--metrics", "job.x.*"))


if __name__ == "__main__":
    program.main()
