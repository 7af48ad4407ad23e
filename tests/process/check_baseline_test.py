"""What `stallcast check` holds against a baseline: a file of values, or a revision of git.

Usage: check_baseline_test.py PATH_OF_STALLCAST [unittest options].
"""

import json
import os

import program
from check_support import EASY, HARD, SCENARIO, STALL, CheckCase, unbroken


class Baselines(CheckCase):
    def based(self, expect=EASY + "," + STALL, **more):
        folder = self.folder(a=expect, **more)
        files = [name + ".json" for name in ("a", *more)]
        folder.check(*files, "--baseline", "base.json", "--update-baseline")
        return folder

    def slower(self, folder):
        folder.edit("a.json", '"write": "4 GB/s"', '"write": "3 GB/s"')

    def test_a_metric_that_became_worse_is_a_regression_although_its_limit_holds(self):
        folder = self.based()
        self.slower(folder)
        self.exits(0, folder.check("a.json"))
        done = self.exits(1, folder.check("a.json", "--baseline", "base.json"))
        self.assertRegex(unbroken(done.stdout),
                         r"FAIL small  stall: .*baseline .* is worse by more than 0.5 %")
        entry = folder.report("a.json", "--baseline", "base.json")["scenarios"][0]["assertions"][1]
        self.assertTrue(entry["baseline"]["regression"])
        table = folder.check("a.json", "--baseline", "base.json", "--report", "markdown").stdout
        self.assertIn("| worse than the baseline; pass: ", table)

    def test_an_improvement_never_fails(self):
        folder = self.based()
        folder.edit("a.json", '"write": "4 GB/s"', '"write": "6 GB/s"')
        done = self.exits(0, folder.check("a.json", "--baseline", "base.json"))
        self.assertIn("; baseline ", unbroken(done.stdout))

    def test_a_tolerance_is_for_the_metrics_it_names(self):
        folder = self.based(STALL)
        self.slower(folder)
        self.exits(0, folder.check("a.json", "--baseline", "base.json", "--tolerance",
                                   "job.*.checkpoint.stall=40%"))
        self.exits(1, folder.check("a.json", "--baseline", "base.json", "--tolerance",
                                   "cost.*=40%"))
        self.exits(0, folder.check("a.json", "--baseline", "base.json", "--tolerance", "40%"))

    def test_new_only_lets_known_failures_pass_but_not_worse_ones(self):
        folder = self.based(HARD)
        self.exits(1, folder.check("a.json", "--baseline", "base.json"))
        done = self.exits(0, folder.check("a.json", "--baseline", "base.json", "--new-only"))
        self.assertIn("1 known", done.stdout)
        self.slower(folder)
        self.exits(1, folder.check("a.json", "--baseline", "base.json", "--new-only"))

    def test_an_assertion_may_be_relative_to_the_baseline(self):
        folder = self.based('{ "id": "stall", "that": "job.train.checkpoint.stall <= base * 1.1" }')
        self.exits(0, folder.check("a.json", "--baseline", "base.json"))
        self.slower(folder)
        args = ["a.json", "--baseline", "base.json", "--tolerance", "50%"]
        done = self.exits(1, folder.check(*args))
        self.assertRegex(unbroken(done.stdout), r"need <= base \* 1.1 = [0-9.]+ s")
        self.exits(0, folder.check(*args, "--set", "storage.ost.write=4 GB/s"))

    def test_a_limit_of_the_baseline_says_how_far_a_metric_may_move(self):
        folder = self.based('{ "id": "stall", "that": "job.train.checkpoint.stall <= base * 10" }')
        self.slower(folder)
        done = self.exits(0, folder.check("a.json", "--baseline", "base.json", "--report", "json"))
        [judged] = json.loads(done.stdout)["scenarios"][0]["assertions"]
        self.assertEqual((judged["status"], judged["baseline"]["state"]), ("pass", "unchanged"))

    def test_what_meets_a_limit_is_no_fix_of_a_regression(self):
        folder = self.based(HARD)
        self.slower(folder)
        done = self.exits(1, folder.check("a.json", "--baseline", "base.json"))
        self.assertNotIn("nearest fix", unbroken(done.stdout))

    def test_a_scenario_that_the_baseline_does_not_know_is_new(self):
        folder = self.based()
        folder.write("new.json", SCENARIO % EASY)
        done = self.exits(0, folder.check("a.json", "new.json", "--baseline", "base.json"))
        self.assertEqual(done.stdout.count("not compared: the baseline has no value of it"), 1)
        folder.write("new.json", SCENARIO % EASY.replace("10 %", "base"))
        done = self.exits(3, folder.check("new.json", "--baseline", "base.json"))
        self.assertIn("the baseline has no value for it", done.stdout)

    def test_a_scenario_that_was_renamed_does_not_escape_its_baseline(self):
        folder = self.based()
        self.slower(folder)
        os.rename(os.path.join(folder.path, "a.json"), os.path.join(folder.path, "c.json"))
        done = self.exits(3, folder.check("c.json", "--baseline", "base.json"))
        self.assertIn("small: a.json is gone, and nothing is known of c.json: was it renamed?", unbroken(done.stdout))
        self.exits(0, folder.check("c.json", "--baseline", "base.json", "--update-baseline"))
        self.assertEqual({e["scenario"] for e in json.loads(folder.read("base.json"))["entries"]}, {"c.json"})
        self.exits(0, folder.check("c.json", "--baseline", "base.json"))

    def test_an_assertion_that_the_baseline_does_not_know_is_not_compared(self):
        folder = self.based(EASY)
        folder.edit("a.json", EASY, EASY + "," + STALL)
        done = self.exits(0, folder.check("a.json", "--baseline", "base.json"))
        self.assertEqual(done.stdout.count("not compared: the baseline has no value of it"), 1)

    def test_updating_keeps_the_entries_of_other_scenarios_and_is_sorted(self):
        folder = self.based(b=HARD)
        before = folder.read("base.json")
        folder.check("b.json", "--baseline", "base.json", "--update-baseline")
        self.assertEqual(folder.read("base.json"), before)
        keys = [(e["scenario"], e["assertion"]) for e in json.loads(before)["entries"]]
        self.assertEqual(keys, [("a.json", "stall"), ("a.json", "util"), ("b.json", "util")])

    def test_a_baseline_fits_from_whatever_folder_check_is_started(self):
        folder = self.based()
        os.mkdir(os.path.join(folder.path, "sub"))
        report = json.loads(folder.check("../a.json", "--baseline", "../base.json", "--report",
                                         "json", cwd="sub").stdout)
        states = [a["baseline"]["state"] for a in report["scenarios"][0]["assertions"]]
        self.assertEqual(states, ["unchanged", "unchanged"])

    def test_a_scenario_with_an_unknown_metric_leaves_no_baseline(self):
        folder = self.folder(a=EASY + "," + STALL.replace("stall <", "stalls <"), b=EASY)
        self.exits(2, folder.check("a.json", "b.json", "--baseline", "base.json",
                                   "--update-baseline"))
        self.assertEqual([e["scenario"] for e in json.loads(folder.read("base.json"))["entries"]],
                         ["b.json"])

    def test_a_baseline_that_is_none_is_bad_input(self):
        folder = self.folder(a=EASY)
        for text in ("", "{}", "[]", '{"schema": "stallcast.baseline/1", "entries": [3]}',
                     '{"schema": "stallcast.baseline/9", "entries": []}'):
            folder.write("base.json", text)
            self.exits(2, folder.check("a.json", "--baseline", "base.json"))

    def test_a_revision_of_git_is_a_baseline_and_the_repository_stays_as_it_is(self):
        folder = self.folder()
        folder.write("designs/common.json", SCENARIO % (EASY + "," + STALL))
        folder.write("designs/a.json", '{ "extends": ["common.json"], "id": "a" }')
        folder.git("init")
        folder.git("add", ".")
        folder.git("commit", "-m", "designs")
        args = ["designs/a.json", "--baseline", "git:HEAD"]
        self.exits(0, folder.check(*args))
        folder.edit("designs/common.json", '"write": "4 GB/s"', '"write": "3 GB/s"')
        folder.write("designs/new.json", '{ "extends": ["common.json"], "id": "new" }')
        before = sorted(os.listdir(os.path.join(folder.path, ".git")))
        done = self.exits(1, folder.check(*args, "designs/new.json"))
        self.assertIn("FAIL a (designs/a.json)  stall", done.stdout)
        self.assertIn("PASS new (designs/new.json)  stall", done.stdout)
        self.assertEqual(sorted(os.listdir(os.path.join(folder.path, ".git"))), before)
        self.exits(1, folder.check("a.json", "--baseline", "git:HEAD", cwd="designs"))
        folder.edit("designs/common.json", '"write": "3 GB/s"', '"write": "4 GB/s"')
        # --set is of what is checked, with either kind of baseline.
        slower = ["--set", "storage.ost.write=3 GB/s"]
        self.exits(1, folder.check(*args, *slower))
        folder.check("designs/a.json", "--baseline", "base.json", "--update-baseline")
        self.exits(1, folder.check("designs/a.json", "--baseline", "base.json", *slower))
        # Nor is a changed scenario written into one.
        kept = folder.read("base.json")
        done = self.exits(2, folder.check("designs/a.json", "--baseline", "base.json", "--update-baseline", *slower))
        self.assertIn("--set never changes a baseline", done.stderr)
        self.assertEqual(folder.read("base.json"), kept)

    def test_a_revision_has_the_profile_and_what_scenarios_name_as_they_were(self):
        folder = self.folder()
        folder.write("designs/a.json", SCENARIO % (EASY + "," + STALL))
        folder.write("traces/job.strace", '7 1700000000.000 openat(AT_FDCWD, "/d/f", O_RDONLY) = 3 <0.001>\n' + "".join(
            f"7 {1700000001 + i / 10:.3f} pread64(3, \"\", 1000000, {i * 2000000}) = 1000000 <0.001>\n" for i in range(50)))
        self.exits(0, folder.run("replay", "traces/job.strace", "--on", "designs/a.json",
                                 "--keep-program", "traces/job.program"))
        replay = {"id": "job", "type": "replay", "on": "scratch", "hosts": "gpu", "program": "../traces/job.program"}
        folder.edit("designs/a.json", '"run":', f'"tenants": [ {json.dumps(replay)} ], "run":')
        profile = {"schema": "stallcast.profile/1", "id": "net", "values": [
            {"role": "host", "field": "nic.rate", "dimension": "rate", "value": 50e9, "low": 50e9, "high": 50e9, "fit": "f"}]}
        folder.write("net.profile", json.dumps(profile))
        folder.git("init")
        folder.git("add", ".")
        folder.git("commit", "-m", "designs")
        args = ["designs/a.json", "--baseline", "git:HEAD", "--profile", "net.profile"]
        self.exits(0, folder.check(*args))
        profile["values"][0]["value"] = 3e9
        folder.write("net.profile", json.dumps(profile))
        done = self.exits(1, folder.check(*args))
        self.assertIn("is worse by more than 0.5 %", unbroken(done.stdout))
        done = folder.run("diff", "HEAD:designs/a.json", "designs/a.json", "--profile", "net.profile", "--exit-code")
        self.assertIn("nic.rate 400 Gb/s -> 24 Gb/s", self.exits(1, done).stdout)
        folder.write("new.profile", json.dumps(profile))
        done = self.exits(0, folder.check(*args[:-1], "new.profile"))
        self.assertIn("HEAD has no new.profile", unbroken(done.stderr))

    def test_a_revision_knows_a_scenario_that_was_renamed_since_by_its_id(self):
        folder = self.based()
        folder.git("init")
        folder.git("add", ".")
        folder.git("commit", "-m", "designs")
        self.slower(folder)
        os.rename(os.path.join(folder.path, "a.json"), os.path.join(folder.path, "c.json"))
        done = self.exits(1, folder.check("c.json", "--baseline", "git:HEAD"))
        self.assertIn("c.json is compared with a.json of HEAD, which had the same id and is gone", unbroken(done.stderr))
        folder.write("d.json", folder.read("c.json"))  # one of the same id that was never there
        folder.write("a.json", folder.read("c.json"))
        done = self.exits(0, folder.check("d.json", "--baseline", "git:HEAD"))
        self.assertIn("not compared: the baseline has no value of it", unbroken(done.stdout))


if __name__ == "__main__":
    program.main()
