"""What `stallcast diff` reads, what it refuses, and how it ends.

Usage: diff_input_test.py PATH_OF_STALLCAST [unittest options]. stallcast-sim is next to it.
"""

import json
import re

import program
from check_support import EASY, SCENARIO, UTILIZATION
from diff_support import DiffCase


class Results(DiffCase):
    """What `run --format json` said is compared without simulation."""

    def results(self):
        folder = self.folder(a=EASY)
        folder.run("run", "a.json", "--format", "json", "-o", "was.json", "--no-advice")
        folder.run("run", "a.json", "--set", "storage.ost.count=4", "--format", "json", "-o", "is.json",
                   "--no-advice")
        return folder

    def test_two_results_are_compared_without_a_worker(self):
        folder = self.results()
        done = folder.run("diff", "was.json", "is.json", "--format", "json", "--exit-code",
                          env={"STALLCAST_SIM": "/no/such/worker"})
        found = json.loads(self.exits(1, done).stdout)
        moved = self.metric(found, UTILIZATION)
        self.assertEqual(moved["effect"], "worse")
        self.assertEqual(moved["after"],
                         json.loads(folder.read("is.json"))["metrics"][UTILIZATION]["value"])
        self.assertFalse(found["inputs_known"])
        self.assertTrue(found["base"]["recorded"])
        same = self.exits(0, folder.run("diff", "was.json", "was.json", "--exit-code"))
        self.assertRegex(same.stdout, r"^SAME small: nothing changed \(\d+ metrics\)\n$")

    def test_a_result_and_a_scenario(self):
        folder = self.results()
        self.exits(0, folder.run("diff", "was.json", "a.json", "--exit-code"))
        found = self.diff(folder, "is.json", "a.json")
        self.assertEqual(self.metric(found, UTILIZATION)["effect"], "better")
        self.refuses(folder, "is.json", "a.json", "--attribute", "shapley")
        self.refuses(folder, "a.json", "is.json", "--set", "storage.ost.count=4")

    def test_a_result_of_bounds_alone_is_no_side(self):
        folder = self.results()
        folder.write("long.json", folder.read("a.json"))
        folder.lengthen("long.json")
        self.exits(3, folder.run("run", "long.json", "--time-limit", "1 us", "--format", "json", "-o", "cut.json"))
        for pair in (("a.json", "cut.json"), ("cut.json", "was.json"), ("cut.json", "cut.json")):
            done = self.exits(3, folder.run("diff", *pair))
            self.assertIn("cut.json: figures are those of bounds alone", done.stderr)
            self.assertIn("nothing is compared", done.stdout)
            self.assertTrue(done.stdout.startswith("UNKNOWN small: no figures"), done.stdout)
            found = self.diff(folder, *pair, code=3)
            self.assertEqual(("unknown", False, []), (found["verdict"], found["changed"], found["metrics"]))
            self.assertIn(":warning:", self.exits(3, folder.run("diff", *pair, "--format", "markdown")).stdout)
        for pair in (("a.json", "cut.json"), ("was.json", "cut.json")):
            done = self.exits(3, folder.run("compare", *pair, "--draws", "0", "--no-gains"))
            self.assertIn("not decided: figures of cut", done.stdout)
            self.assertIn("run it again", done.stderr)
        # A result need not say what it warns of.
        bare = json.loads(folder.read("cut.json"))
        del bare["warnings"]
        folder.write("cut.json", json.dumps(bare))
        self.exits(3, folder.run("compare", "was.json", "cut.json", "--draws", "0", "--no-gains"))
        folder.write("cut.json", json.dumps({**bare, "method": "guess"}))
        self.assertIn('no method is named "guess"', self.refuses(folder, "was.json", "cut.json"))

    def test_two_that_differ_in_ranges_alone_say_so(self):
        folder = self.folder(a=EASY, b=EASY)
        compute = re.search(r'"compute": "([^"]+)"', folder.read("a.json")).group(1)
        for name, width in (("a.json", "5 %"), ("b.json", "20 %")):
            folder.edit(name, f'"compute": "{compute}"', f'"compute": "{compute} +- {width}"')
        done = self.exits(0, folder.run("diff", "a.json", "b.json", "--exit-code"))
        self.assertRegex(done.stdout, r"only ranges of values changed, none of \d+ metrics")
        self.assertIn("step.compute", done.stdout)

    def test_a_result_with_draws_and_one_without_are_compared_by_their_figures(self):
        folder = self.folder(a=EASY)
        for name, draws in (("drawn.json", "8"), ("plain.json", "0")):
            folder.run("run", "a.json", "--format", "json", "-o", name, "--no-advice", "--draws", draws)
        self.assertIn("ci90", folder.read("drawn.json"))
        self.assertNotIn("ci90", folder.read("plain.json"))
        for pair in (("drawn.json", "plain.json"), ("plain.json", "drawn.json")):
            same = self.exits(0, folder.run("diff", *pair, "--exit-code"))
            self.assertRegex(same.stdout, r"^SAME small: nothing changed")

    def test_results_of_other_models_and_seeds_are_compared_with_a_warning(self):
        folder = self.results()
        folder.edit("is.json", '"model": "2"', '"model": "0"')
        folder.run("run", "a.json", "--seed", "7", "--format", "json", "-o", "seed.json", "--no-advice")
        self.assertIn("predicted by models 2 and 0: part of the difference may be theirs",
                      self.diff(folder, "was.json", "is.json")["warnings"])
        self.assertIn("predicted with different seeds: part of the difference is chance",
                      self.diff(folder, "was.json", "seed.json")["warnings"])

    def test_other_seeds_alone_move_nothing_and_what_more_than_they_do_is_seen(self):
        folder = self.folder(a=EASY)
        folder.edit("a.json", '"compute": "1 s"', '"compute": "1 s", "jitter": "10 %"')
        folder.write("b.json", folder.read("a.json"))
        folder.edit("b.json", '"seed": 1', '"seed": 7')
        moved = {one["metric"] for one in self.diff(folder, "a.json", "b.json")["metrics"]}
        for figure in ("step.time", "gpu.utilization", "goodput", "time.sync"):
            self.assertNotIn("job.train." + figure, moved)
        folder.edit("b.json", '"compute": "1 s"', '"compute": "1.1 s"')
        moved = {one["metric"]: one["effect"] for one in self.diff(folder, "a.json", "b.json")["metrics"]}
        self.assertEqual("worse", moved["job.train.step.time"])

    def test_what_is_no_result_is_refused_with_its_place(self):
        folder = self.results()
        good = folder.read("was.json")
        for old, new, what in (
                ("stallcast.result/1", "stallcast.result/2", "a result of another version"),
                ("stallcast.result/1", "stallcast.check/1", "is not a result of"),
                ("stallcast.result/1", "stallcast.sweep/1", "sweep SCENARIO --store sweep.db"),
                ('"metrics": {', '"metrics": 3, "x": {', "these are not metrics"),
                ('"value": ', '"value": "x", "v": ', "this is not a number"),
                ('"breakdown": {', '"breakdown": [], "x": {', "this is not a breakdown"),
                ('"verdict": "pass"', '"verdict": "maybe"', "no verdict is named"),
                ('"metrics"', '"matrics"', 'there is no "metrics"')):
            self.assertIn(old, good)
            folder.write("bad.json", good.replace(old, new))
            said = self.refuses(folder, "bad.json", "was.json")
            self.assertIn(what, said)
            self.assertRegex(said, r"bad\.json:\d+:\d+: /")


class Sweeps(DiffCase):
    def sweep(self, folder, name, *args):
        self.exits(0, folder.run("sweep", "a.json", "-o", name, *args))

    def test_points_are_found_again_by_their_values(self):
        folder = self.folder(a=EASY)
        self.sweep(folder, "was.db", "--vary", "storage.ost.count=4,6,8")
        self.sweep(folder, "is.db", "--vary", "storage.ost.count=8,4,10", "--set",
                   "storage.ost.write=2 GB/s")
        found = self.diff(folder, "was.db", "is.db")
        self.assertEqual(found["matched_by"], "values")
        self.assertEqual([p["point"] for p in found["points"]],
                         ["storage.ost.count=8", "storage.ost.count=4"])
        self.assertEqual(found["only_base"], ["storage.ost.count=6"])
        self.assertEqual(found["only_head"], ["storage.ost.count=10"])
        self.assertEqual(found["inputs"], [{"name": "storage[scratch].ost.write", "before": "4 GB/s",
                                            "after": "2 GB/s", "points": 2}])
        moved = self.metric(found, UTILIZATION)
        self.assertEqual((moved["worse"], moved["better"]), (2, 0))
        # Half the rate of the fewest OSTs costs most.
        self.assertEqual(moved["most"]["point"], "storage.ost.count=4")
        for point in found["points"]:
            run = folder.run("run", "a.json", "--no-advice", "--format", "json", "--set",
                             point["point"], "--set", "storage.ost.write=2 GB/s")
            self.assertEqual(point["metrics"][UTILIZATION]["after"],
                             json.loads(run.stdout)["metrics"][UTILIZATION]["value"])
        self.exits(1, folder.run("diff", "was.db", "is.db", "--exit-code"))
        text = folder.run("diff", "was.db", "is.db").stdout
        self.assertTrue(text.startswith("WORSE small: 2 points in both, metrics moved in 2; 1 only in "
                                        "base; 1 only"), text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80, text)

    def test_with_other_axes_points_are_the_same_where_their_designs_are(self):
        folder = self.folder(a=EASY)
        self.sweep(folder, "was.db", "--vary", "storage.ost.count=4,8")
        self.sweep(folder, "is.db", "--vary", "storage.ost.write=2 GB/s,4 GB/s")
        found = self.diff(folder, "was.db", "is.db")
        self.assertEqual(found["matched_by"], "design")
        self.assertEqual([p["point"] for p in found["points"]], ["storage.ost.write=4 GB/s"])
        self.assertEqual(found["metrics"], [])

    def test_the_same_sweep_is_one_line_also_in_a_folder(self):
        folder = self.folder(a=EASY)
        folder.write("sweeps/note.txt", "")
        self.sweep(folder, "sweeps/s.db", "--vary", "storage.ost.count=4,8")
        done = self.exits(0, folder.run("diff", "sweeps", "sweeps/s.db", "--exit-code"))
        self.assertEqual(done.stdout, "SAME small: nothing changed (2 points)\n")

    def test_points_that_are_not_simulated_are_inconclusive(self):
        folder = self.folder(a=EASY)
        self.sweep(folder, "was.db", "--vary", "storage.ost.count=4,8")
        self.exits(0, folder.run("sweep", "plan", "a.json", "--vary", "storage.ost.count=4,8", "-o",
                                 "is.db"))
        found = self.diff(folder, "was.db", "is.db", code=3)
        self.assertEqual(found["counts"]["not_simulated"], 2)

    def test_a_sweep_is_compared_with_a_sweep_only(self):
        folder = self.folder(a=EASY)
        self.sweep(folder, "s.db", "--vary", "storage.ost.count=4,8")
        self.assertIn("only be compared with a sweep", self.refuses(folder, "s.db", "a.json"))
        self.refuses(folder, "s.db", "s.db", "--attribute", "oat")
        self.refuses(folder, "s.db", "s.db", "--metrics", "nothing.*")
        self.refuses(folder, "s.db", "s.db", "--set", "storage.ost.count=4")
        folder.write("empty/x", "")
        self.assertIn("a folder without a sweep", self.refuses(folder, "empty", "s.db"))
        with open(folder.path + "/s.db", "rb") as file:
            whole = file.read()
        with open(folder.path + "/cut.db", "wb") as file:
            file.write(whole[:5000])
        self.refuses(folder, "cut.db", "s.db")


class Git(DiffCase):
    def repository(self):
        folder = self.folder()
        folder.write("designs/a.json", '{ "extends": "../shared/base.json", "id": "small" }')
        folder.write("shared/base.json", SCENARIO % EASY)
        folder.git("init", "-q")
        folder.git("add", ".")
        folder.git("commit", "-q", "-m", "first")
        folder.edit("shared/base.json", '"count": 8', '"count": 4')
        return folder

    def test_a_revision_is_read_with_the_files_it_extends(self):
        folder = self.repository()
        found = self.diff(folder, "HEAD:designs/a.json", "designs/a.json")
        self.assertEqual(self.names(found), ["storage[scratch].ost.count"])
        change = found["inputs"][0]
        self.assertEqual((change["before"], change["after"]), ("8", "4"))
        self.assertRegex(change["base_at"], r"^HEAD:shared/base\.json:5:\d+$")
        self.assertRegex(change["head_at"], r"^(designs/\.\./)?shared/base\.json:5:\d+$")
        folder.git("commit", "-qam", "second")
        text = self.exits(1, folder.run("diff", "HEAD~1:designs/a.json", "HEAD:designs/a.json",
                                        "--exit-code")).stdout
        self.assertIn("HEAD~1:shared/base.json:5 -> HEAD:shared/base.json:5", " ".join(text.split()))
        self.exits(0, folder.run("diff", "HEAD:designs/a.json", "designs/a.json", "--exit-code"))

    def test_a_path_may_be_relative_to_the_working_folder(self):
        folder = self.repository()
        found = json.loads(folder.run("diff", "HEAD:a.json", "a.json", "--format", "json",
                                      cwd="designs").stdout)
        self.assertEqual(self.names(found), ["storage[scratch].ost.count"])

    def test_a_result_in_git(self):
        folder = self.repository()
        folder.run("run", "designs/a.json", "--format", "json", "-o", "result", "--no-advice")
        folder.git("add", "result")
        folder.git("commit", "-qm", "result")
        self.exits(0, folder.run("diff", "HEAD:result", "designs/a.json", "--exit-code"))

    def test_what_git_does_not_have_is_refused(self):
        folder = self.repository()
        self.assertIn('git cannot read the revision "nope"',
                      self.refuses(folder, "nope:designs/a.json", "designs/a.json"))
        self.assertIn('"HEAD" has no file "designs/b.json"',
                      self.refuses(folder, "HEAD:designs/b.json", "designs/a.json"))
        self.refuses(folder, "--output=x:designs/a.json", "designs/a.json")
        self.refuses(folder, "HEAD:../../etc/passwd", "designs/a.json")
        self.refuses(folder, "HEAD:/etc/passwd", "designs/a.json")
        self.refuses(folder, "HEAD:designs", "designs/a.json")
        self.refuses(folder, ":designs/a.json", "designs/a.json")
        bare = self.folder(a=EASY)
        self.refuses(bare, "HEAD:a.json", "a.json")

    def test_a_fault_of_an_old_revision_is_named_with_it(self):
        folder = self.repository()
        folder.edit("shared/base.json", '"ost"', '"osts"')
        folder.git("commit", "-qam", "wrong")
        self.assertRegex(self.refuses(folder, "HEAD:designs/a.json", "designs/a.json"),
                         r"HEAD:shared/base\.json:5:\d+: /storage/0/osts: ")


class Ends(DiffCase):
    """Exit codes, formats, and hostile input."""

    def test_variants_and_standard_input(self):
        folder = self.folder(a=EASY)
        folder.edit("a.json", '"id": "small",', '"id": "small", "scenarios": { "few": { "storage": [ { '
                                                '"id": "scratch", "ost": { "count": 4 } } ] } },')
        found = self.diff(folder, "a.json", "a.json#few")
        self.assertEqual(self.names(found), ["storage[scratch].ost.count"])
        self.assertIn("no variant", self.refuses(folder, "a.json", "a.json#many"))
        done = folder.run("diff", "-", "a.json", "--exit-code", text=folder.read("a.json"))
        self.exits(0, done)
        self.refuses(folder, "-", "-")

    def test_two_for_wrong_usage(self):
        folder = self.folder(a=EASY)
        for args in ([], ["a.json"], ["a.json", "a.json", "a.json"],
                     ["a.json", "a.json", "--attribute", "all"],
                     ["a.json", "a.json", "--min-change", "x"],
                     ["a.json", "a.json", "--min-change", "job.*=1%"],
                     ["a.json", "a.json", "--format", "xml"],
                     ["a.json", "a.json", "--set", "storage.ost.cuont=3"],
                     ["a.json", "none.json"], ["a.json", "a.json", "--profile", "none.json"]):
            self.refuses(folder, *args)

    def test_two_for_what_is_no_input(self):
        folder = self.folder(a=EASY)
        with open(folder.path + "/binary.json", "wb") as file:
            file.write(bytes(range(256)) * 40)
        self.assertIn("is a binary file", self.refuses(folder, "a.json", "binary.json"))
        for text in ("", "null", "[]", "{", '"x"', "[" * 5000, '{ "schema": 3 }',
                     '{ "schema": "stallcast.result/1" }', '{ "schema": "stallcast.result/1", '
                     '"tool": [], "scenario": [], "verdict": "pass", "metrics": [] }'):
            folder.write("bad.json", text)
            self.refuses(folder, "bad.json", "a.json")
            self.refuses(folder, "a.json", "bad.json")

    def test_two_for_a_target_that_cannot_be_judged(self):
        folder = self.folder(a=EASY, b=EASY.replace("utilization", "utilisation"))
        self.assertRegex(self.refuses(folder, "a.json", "b.json"),
                         r"b\.json:\d+:\d+: /expect/0/that: no metric is named")

    def test_three_when_time_runs_out(self):
        folder = self.folder(a=EASY)
        folder.lengthen("a.json")
        done = self.exits(3, folder.run("diff", "a.json", "a.json", "--set", "storage.ost.count=4",
                                        "--time-limit", "1 us"))
        self.assertIn("time limit", done.stdout + done.stderr)

    def test_every_format_says_the_same_and_the_same_bytes_twice(self):
        folder = self.folder(a=EASY)
        args = ["diff", "a.json", "a.json", "--set", "storage.ost.count=4", "--set",
                "jobs[train].checkpoint.every=30 s"]
        for kind in ("text", "json", "markdown", "html", "csv"):
            first = self.exits(0, folder.run(*args, "--format", kind)).stdout
            self.assertEqual(first, folder.run(*args, "--format", kind).stdout)
            self.assertIn("ost.count", first)
        markdown = folder.run(*args, "--format", "markdown").stdout
        self.assertTrue(markdown.startswith("<!-- stallcast:diff -->\n## :x: small: "), markdown)
        self.exits(0, folder.run(*args, "-o", "out.txt"))
        self.assertEqual(folder.read("out.txt"), folder.run(*args).stdout)

    def test_both_sides_of_one_file_warn_once(self):
        folder = self.folder(a=EASY)
        short = json.loads(folder.run("resolve", "a.json").stdout)
        short["jobs"][0]["checkpoint"]["every"] = "1 min"
        short["run"]["duration"] = "2 min"
        folder.write("a.json", json.dumps(short))
        for head in (("a.json", "--set", "storage.ost.count=4"), ("b.json",)):
            folder.write("b.json", json.dumps(short))
            done = folder.run("diff", "a.json", *head, "--attribute", "none")
            self.assertEqual(done.stderr.count("the run lasts only"), len({"a.json", head[0]}), done.stderr)

    def test_names_are_no_markup(self):
        folder = self.folder(a=EASY)
        folder.edit("a.json", '"id": "small"', '"id": "<b>@all|x"')
        for kind in ("markdown", "html"):
            out = folder.run("diff", "a.json", "a.json", "--set", "storage.ost.count=4", "--format",
                             kind).stdout
            self.assertNotIn("<b>", out)
        self.assertNotIn("@all", folder.run("diff", "a.json", "a.json", "--format", "markdown").stdout)


if __name__ == "__main__":
    program.main()
