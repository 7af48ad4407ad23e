"""`stallcast check` as CI sees it: the exit codes, one test a cell, waivers, policies.

Usage: check_test.py PATH_OF_STALLCAST [unittest options]. The worker stallcast-sim is next to it.
"""

import json
import pathlib
import signal
import subprocess
import time

import program
from check_support import EASY, HARD, SCENARIO, STALL, UTILIZATION, CheckCase, unbroken

WARN = HARD.replace('"id"', '"level": "warn", "id"')
WAIVED = HARD.replace(" }", ', "waive": "new OSTs come in spring", "until": "2027-03-01" }')


class ExitCodes(CheckCase):
    """Every row of the table, for `check`."""

    def test_zero_when_all_assertions_hold(self):
        done = self.exits(0, self.folder(a=EASY + "," + STALL).check("a.json"))
        self.assertIn("PASS small  util: GPU utilization = ", done.stdout)
        self.assertTrue(done.stdout.endswith("2 passed  model 2\n"), done.stdout)

    def test_zero_without_assertions(self):
        self.exits(0, self.folder(a="").check("a.json"))

    def test_zero_when_only_a_warning_is_missed_and_one_with_fail_on_warn(self):
        folder = self.folder(a=WARN)
        self.assertIn("WARN small", self.exits(0, folder.check("a.json")).stdout)
        self.exits(1, folder.check("a.json", "--fail-on", "warn"))

    def test_one_when_an_assertion_is_missed_and_zero_when_nothing_may_fail(self):
        folder = self.folder(a=HARD, b=EASY)
        done = self.exits(1, folder.check("a.json", "b.json"))
        self.assertRegex(done.stdout, r"(?m)^FAIL small \(a\.json\)  util: .* \(need >= 99.9 %\)\n     waits most for ")
        self.assertIn("1 failed, 1 passed", done.stdout)
        self.exits(0, folder.check("a.json", "--fail-on", "never"))

    def test_two_for_an_unknown_metric_never_a_pass(self):
        folder = self.folder(a=EASY.replace("utilization", "utilisation"), b=EASY)
        done = self.exits(2, folder.check("a.json", "b.json"))
        self.assertRegex(done.stderr, r"a\.json:\d+:\d+: /expect/0/that: no metric is named")
        self.assertIn("PASS small", done.stdout)  # the others are judged all the same
        self.exits(2, folder.check("b.json", "--assert", "job.train.no > 3"))
        missed = self.folder(a=HARD)  # no change is tried for a scenario that is wrong
        self.exits(2, missed.run("check", "a.json", "--assert", "job.train.no > 3"))

    def test_two_for_an_empty_wildcard_and_a_wrong_unit(self):
        folder = self.folder(a=EASY)
        self.exits(2, folder.check("a.json", "--assert", "resource.*.nothing < 85 %"))
        self.exits(2, folder.check("a.json", "--assert", "job.train.step.time < 5"))

    def test_two_for_wrong_usage(self):
        folder = self.folder(a=EASY)
        for args in (["--report", "xml"], ["--report", "junit:"], ["--fail-on", "all"],
                     ["--inconclusive", "no"], ["--tolerance", "x"], ["--today", "2026-13-01"],
                     ["--update-baseline"], ["--update-baseline", "--baseline", "git:HEAD"],
                     ["--new-only"], ["--assert", "job.train.au"], ["--policy", "none.json"],
                     ["--baseline", "none.json"], ["--baseline", "git:no-such"],
                     ["--baseline", "git:--output=x"], ["--tag", "-->"],
                     ["--report", "text:no/such/folder/x"]):
            done = self.exits(2, folder.check("a.json", *args))
            self.assertNotEqual(done.stderr, "", args)
        self.exits(2, folder.run("check"))

    def test_two_for_bad_input_while_the_other_scenarios_are_judged(self):
        folder = self.folder(a=EASY, b=HARD)
        folder.edit("a.json", '"count": 8', '"cuont": 8')
        done = self.exits(2, folder.check("a.json", "b.json"))
        self.assertIn('did you mean "count"?', done.stderr)
        self.assertIn("ERROR a.json:", done.stdout)
        self.assertIn("FAIL small", done.stdout)

    def test_two_for_a_target_of_the_baseline_without_a_baseline(self):
        folder = self.folder(a=EASY.replace("10 %", "base * 0.99"))
        done = self.exits(2, folder.check("a.json"))
        self.assertIn("give --baseline FILE", done.stderr)
        self.exits(0, folder.run("run", "--no-advice", "a.json"))

    def test_three_when_time_runs_out_and_what_is_known_is_reported(self):
        folder = self.folder(a=EASY)
        folder.lengthen("a.json")
        done = self.exits(3, folder.check("a.json", "--time-limit", "1 us"))
        self.assertIn("UNSURE a.json  time limit", done.stdout)
        self.exits(1, folder.check("a.json", "--time-limit", "1 us", "--inconclusive", "fail"))
        self.exits(0, folder.check("a.json", "--time-limit", "1 us", "--inconclusive", "warn"))

    def test_three_when_the_interval_straddles_the_limit(self):
        folder = self.folder(a=EASY)
        at_mean = f"{UTILIZATION} >= {100 * self.utilization(folder):.9f} %"
        done = self.exits(3, folder.check("a.json", "--assert", at_mean))
        self.assertIn("UNSURE small", done.stdout)
        for word, code in (("fail", 1), ("warn", 0), ("pass", 0)):
            self.exits(code, folder.check("a.json", "--assert", at_mean, "--inconclusive", word))

    def test_three_for_a_baseline_of_other_models_unless_that_is_allowed(self):
        folder = self.folder(a=EASY)
        self.exits(0, folder.check("a.json", "--baseline", "base.json", "--update-baseline"))
        folder.edit("base.json", '"model":"2"', '"model":"0"')
        done = self.exits(3, folder.check("a.json", "--baseline", "base.json"))
        self.assertIn("STALE baseline  small: predicted by models 0", done.stdout)
        self.exits(0, folder.check("a.json", "--baseline", "base.json", "--allow-skew"))

    def test_three_for_a_baseline_whose_assertion_is_gone_or_is_another(self):
        folder = self.folder(a=EASY + "," + STALL)
        self.exits(0, folder.check("a.json", "--baseline", "base.json", "--update-baseline"))
        folder.edit("a.json", '"id": "stall"', '"id": "stalls"')
        self.assertIn('"stall" is gone',
                      self.exits(3, folder.check("a.json", "--baseline", "base.json")).stdout)
        folder.edit("a.json", '"id": "stalls", "that": "job.train.checkpoint.stall',
                    '"id": "stall", "that": "job.train.checkpoint.duration')
        self.exits(3, folder.check("a.json", "--baseline", "base.json"))

    def test_four_when_a_worker_crashes_and_the_saved_design_is_named(self):
        folder = self.folder(a=EASY)
        done = self.exits(4, folder.check("a.json", env={"STALLCAST_SIM_FAULT": "abort"}))
        self.assertRegex(unbroken(done.stdout), r"ERROR a\.json  .*saved in \S+\.json")

    def test_130_and_143_when_interrupted_with_the_reports_written(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            folder = self.folder(a=EASY)
            folder.write("long.json", (SCENARIO % EASY).replace("10 min", "3650 d"))
            process = subprocess.Popen(
                [program.STALLCAST, "check", "--no-fast-forward", "a.json", "long.json", "--report",
                 "junit:out.xml", "--report", "json:out.json", "--report", "sarif:out.sarif", "--jobs", "2"],
                cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            started = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while process.poll() is None and not started.read_text(encoding="ascii"):
                time.sleep(0.01)  # until there is a worker, and so the handlers are there
            process.send_signal(number)
            out, err = process.communicate(timeout=program.patience(60))
            self.assertEqual(process.returncode, code, out + err)
            self.assertIn("interrupted by signal", out)
            self.assertIn("<error", folder.read("out.xml"))
            self.assertEqual(json.loads(folder.read("out.json"))["exit"], code)
            run, = json.loads(folder.read("out.sarif"))["runs"]
            self.assertEqual(run["invocations"][0]["exitCode"], code)


class Waivers(CheckCase):
    def test_a_waiver_accepts_a_failure_until_its_last_day_and_not_after(self):
        folder = self.folder(a=WAIVED)
        done = self.exits(0, folder.check("a.json", "--today", "2027-03-01"))
        self.assertIn("waived until 2027-03-01: new OSTs come in spring", done.stdout)
        self.assertIn("1 waived (until 2027-03-01)", done.stdout)
        done = self.exits(1, folder.check("a.json", "--today", "2027-03-02"))
        self.assertIn("its waiver ended on 2027-03-01", done.stdout)

    def test_a_waiver_that_is_not_needed_says_so(self):
        folder = self.folder(a=WAIVED.replace("99.9", "10"))
        self.assertIn("no longer needed", self.exits(0, folder.check("a.json")).stdout)

    def test_a_waiver_without_end_reason_or_calendar_day_is_bad_input(self):
        for text in (WAIVED.replace(', "until": "2027-03-01"', ""),
                     WAIVED.replace('"waive": "new OSTs come in spring", ', ""),
                     WAIVED.replace("new OSTs come in spring", " "),
                     WAIVED.replace("2027-03-01", "2027-02-30"),
                     WAIVED.replace("2027-03-01", "soon")):
            self.exits(2, self.folder(a=text).check("a.json"))

    def test_reports_do_not_depend_on_the_day_while_a_waiver_holds(self):
        folder = self.folder(a=WAIVED)
        reports = {folder.check("a.json", "--today", day, "--report", "json").stdout
                   for day in ("2026-01-01", "2027-02-28")}
        self.assertEqual(len(reports), 1)


class Policies(CheckCase):
    POLICY = """{ "expect": [
        { "id": "floor", "that": "job.*.gpu.utilization >= %s", "why": "what we pay for",
          "scenarios": [%s] } ] }"""

    def test_a_policy_holds_for_the_scenarios_it_names(self):
        folder = self.folder(a=EASY, b=EASY)
        folder.edit("b.json", '"id": "small"', '"id": "other"')
        for selector, lines in (('"small"', 1), ('"b.json"', 1), ('"*"', 2), ('"s*", "o*"', 2)):
            folder.write("p.json", self.POLICY % ("99.9 %", selector))
            done = self.exits(1, folder.check("a.json", "b.json", "--policy", "p.json"))
            self.assertEqual(done.stdout.count("  floor: "), lines, done.stdout)
            self.assertIn("why it matters: what we pay for\n", done.stdout)

    def test_a_rule_for_no_scenario_is_said(self):
        folder = self.folder(a=EASY)
        folder.write("p.json", self.POLICY % ("99.9 %", '"no-such"'))
        asked = ["a.json", "--policy", "p.json"]
        said = "is for none of these scenarios"
        done = self.exits(0, folder.check(*asked, "--quiet"))
        self.assertIn('the rule "floor" of the policy ' + said, unbroken(done.stdout))
        self.assertEqual(folder.report(*asked)["idle_rules"], ["floor"])
        for kind in ("markdown", "html", "sarif", "github"):
            self.assertIn(said, folder.check(*asked, "--quiet", "--report", kind).stdout, kind)
        folder.write("p.json", self.POLICY % ("99.9 %", '"no-such", "a.json"'))
        self.assertNotIn("idle_rules", folder.report(*asked))

    def test_faults_of_a_policy_have_their_place_in_it(self):
        folder = self.folder(a=EASY)
        for policy, said in ((self.POLICY % ("99.9 foo", '"*"'), "is not a quantity"),
                             ('{ "expct": [] }', 'did you mean "expect"?'),
                             (self.POLICY % ("9 %", "3"), "is a list of ids or paths")):
            folder.write("p.json", policy)
            done = self.exits(2, folder.check("a.json", "--policy", "p.json"))
            self.assertRegex(done.stderr, r"p\.json:\d+:\d+: ")
            self.assertIn(said, done.stderr)
        folder.write("p.json", self.POLICY.replace("gpu.utilization", "nothing") % ("9 %", '"*"'))
        done = self.exits(2, folder.check("a.json", "--policy", "p.json"))
        self.assertRegex(done.stderr, r"p\.json:2:\d+: /expect/0/that: no metric")

    def test_assertions_of_the_command_line_are_known_by_their_metric(self):
        folder = self.folder(a=EASY)
        done = self.exits(0, folder.check("a.json", "--assert", "job.train.step.time in [0 s, 2 s]",
                                          "--assert", "max(resource.*.utilization) <= 100 %",
                                          "--assert", "job.train.step.time.mean < 2 s"))
        for line in ("PASS small  job.train.step.time: ", "max(resource.*.utilization) = ",
                     "PASS small  job.train.step.time.mean: "):
            self.assertIn(line, done.stdout)


class OneCause(CheckCase):
    """What limits a missed target is the same for every verb: what gains most, by simulation."""

    OUTAGE = ('"failures": [ { "id": "power", "type": "storage", "on": "scratch", "part": "service", "at": "61 s", '
              '"failover": "2 min", "repair": "1 s" } ],\n  "run"')
    CASES = {  # the cause, and what makes it the greatest
        "failure.power": ('"run"', OUTAGE),
        "job.train.limit": ('"hosts": "gpu",', '"hosts": "gpu", "limit": "1.5 GB/s",'),
        "job.train.barrier": ('"every": "60 s"', '"every": "9 min"'),
    }

    def test_run_check_and_grow_name_the_same_cause(self):
        for cause, (old, new) in self.CASES.items():
            with self.subTest(cause):
                folder = self.folder(a=HARD)
                folder.edit("a.json", old, new)
                checked = self.exits(1, folder.run("check", "a.json", "--format", "json"))
                found = json.loads(checked.stdout)["scenarios"][0]["assertions"][0]["limited_by"]
                self.assertEqual(found, cause)
                for draws in ("0", "8"):
                    ran = self.exits(1, folder.run("run", "a.json", "--draws", draws, "--format", "json"))
                    self.assertEqual(json.loads(ran.stdout)["assertions"][0]["limited_by"], cause)
                grown = folder.run("grow", "a.json", "--until", "1mo", "--of", "jobs.train.checkpoint.size=0.1 %/month",
                                   "--format", "json")
                message = json.loads(grown.stdout)["ceilings"][0]["message"]
                text = self.exits(1, folder.run("run", "a.json", "--draws", "0", "--format", "json")).stdout
                label = json.loads(text)["limit"]["label"]
                self.assertIn("limited by the " + label, message)

    def test_what_failures_cost_and_what_fills_name_their_cause(self):
        folder = self.folder(a=HARD)
        folder.edit("a.json", '"run"', '"failures": [ { "id": "hosts", "type": "host", "mtbf": "500 h" } ],\n  "run"')
        targets = {"job.train.failures.lost.share <= 0.1 %": "job.train.failures",
                   "storage.scratch.capacity.full_after >= 900 d": "storage.scratch.capacity"}
        asked = [part for target in targets for part in ("--assert", target)]
        checked = self.exits(1, folder.run("check", "a.json", "--set", "storage.scratch.ost.capacity=1 TB", *asked,
                                           "--format", "json"))
        found = {a["that"]: a["limited_by"] for a in json.loads(checked.stdout)["scenarios"][0]["assertions"]}
        self.assertEqual({target: found[target] for target in targets}, targets)


class Advice(CheckCase):
    def test_a_missed_target_names_a_change_that_meets_it(self):
        # 100 GB a minute at 32 GB/s stall 3.1 s of 63.1 s: 95 % are missed, and more OSTs help.
        folder = self.folder(a=HARD.replace("99.9", "96"))
        done = self.exits(1, folder.run("check", "a.json"))
        fix = done.stdout.split("would meet all targets: ")[1]
        self.assertRegex(fix, r"^(asynchronous saves|.+ -> \S+)")

    def test_the_same_bytes_for_the_same_input(self):
        folder = self.folder(a=HARD, b=EASY + "," + STALL)
        reports = {folder.run("check", "a.json", "b.json", "--report", "json", "--jobs", n).stdout
                   for n in ("1", "2", "2")}
        self.assertEqual(len(reports), 1)


if __name__ == "__main__":
    program.main()
