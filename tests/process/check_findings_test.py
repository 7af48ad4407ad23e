"""What reports of `check` say of a finding, of figures and of the system: the same as other reports.

Usage: check_findings_test.py PATH_OF_STALLCAST [unittest options].
"""

import json
import re
import unittest
import xml.etree.ElementTree

import check_report_test
import program
from check_support import EASY, HARD, SCENARIO, Folder


class Findings(unittest.TestCase):
    """What is tried says more than how busy a part is on average, in every kind of report."""

    def test_say_what_limits_as_text_does_and_point_at_the_key_of_the_fix(self):
        # Saves of 3.1 s a minute cost 5 %; asynchronous ones nearly nothing.
        folder = Folder(a='{ "id": "util", "that": "job.train.gpu.utilization >= 97 %" }')
        self.addCleanup(folder.cleanup)
        kinds = ("text", "github", "gitlab", "junit", "sarif", "html", "markdown", "json")
        done = folder.run("check", "a.json", *[f"--report={kind}:out.{kind}" for kind in kinds])
        self.assertEqual(done.returncode, 1, done.stderr)
        out = {kind: folder.read("out." + kind) for kind in kinds}
        limit = re.search(r"limited by the .*? saves [0-9.]+ % of the time", " ".join(out["text"].split()))[0]
        found = json.loads(out["json"])["scenarios"][0]["assertions"][0]
        said = {"github": out["github"].replace("%25", "%"), "gitlab": json.loads(out["gitlab"])[0]["description"],
                "junit": xml.etree.ElementTree.fromstring(out["junit"]).find(".//failure").get("message"),
                "sarif": json.loads(out["sarif"])["runs"][0]["results"][0]["message"]["text"]}
        for kind, text in said.items():
            self.assertIn(limit + "; nearest fix: ", text, kind)
            self.assertNotIn(" busy", text, kind)
        # The file leaves the mode of saves to its default: the first of what it says of them.
        self.assertEqual(found["culprit"], "jobs[train].checkpoint.mode")
        line = next(i for i, l in enumerate(folder.read("a.json").splitlines(), 1) if '"checkpoint"' in l)
        place = json.loads(out["sarif"])["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual((found["culprit_at"]["line"], place["region"]["startLine"]), (line, line))
        self.assertIn(f"::error file=a.json,line={line},", out["github"])
        self.assertEqual(json.loads(out["gitlab"])[0]["location"]["lines"]["begin"], line)


class Figures(unittest.TestCase):
    def test_prometheus_has_gauges_of_a_scenario_without_targets(self):
        folder = Folder()
        self.addCleanup(folder.cleanup)
        path = 'a "b\\c.json'
        folder.write(path, SCENARIO % "")
        samples = check_report_test.read_prometheus(folder.check(path, "--report", "prom").stdout)
        told = json.loads(folder.run("run", path, "--draws", "0", "--format", "json").stdout)
        gauges = {}
        for name, labels, value in samples:
            gauges.setdefault(name, []).append((labels, value))
        job = next(iter(told["breakdown"]))
        metrics = {name: metric["value"] for name, metric in told["metrics"].items()}
        (labels, value), = gauges["stallcast_gpu_utilization_ratio"]
        self.assertEqual(labels, {"scenario": told["scenario"]["id"], "path": path, "job": job})
        self.assertEqual(value, metrics[f"job.{job}.gpu.utilization"])
        shares = {labels["cause"]: value for labels, value in gauges["stallcast_time_share_ratio"]}
        self.assertEqual(shares, told["breakdown"][job])
        self.assertAlmostEqual(sum(shares.values()), 1.0)
        for labels, value in gauges["stallcast_resource_utilization_ratio"]:
            self.assertEqual(value, metrics[f"resource.{labels['resource']}.utilization"])
        steps = {labels["stat"]: value for labels, value in gauges["stallcast_step_time_seconds"]}
        self.assertEqual(steps["mean"], metrics[f"job.{job}.step.time"])
        self.assertEqual(steps["p99"], metrics[f"job.{job}.step.time.p99"])
        self.assertEqual(gauges["stallcast_checkpoint_size_bytes"][0][1], 1e11)
        self.assertIn("stallcast_checkpoint_bandwidth_bytes_per_second", gauges)

    def test_the_pages_of_a_check_and_of_an_explanation_without_simulation_show_the_system(self):
        folder = Folder(a="", b="")
        self.addCleanup(folder.cleanup)
        page = folder.check("a.json", "b.json", "--report", "html").stdout
        self.assertEqual(re.findall(r'<figure id="(system[^"]*)">', page), ["system", "system-2"])
        page = folder.run("explain", "a.json", "--no-simulation", "--format", "html").stdout
        self.assertEqual(page.count('<figure id="system">'), 1)
        self.assertIn("How busy each part is at most.", page)


class Several(unittest.TestCase):
    """Designs of several files, with ids and targets that are alike."""

    def folder(self, **scenarios):
        folder = Folder(**scenarios)
        self.addCleanup(folder.cleanup)
        return folder

    def test_a_rule_of_sarif_says_what_each_design_means_by_it(self):
        folder = self.folder(a=HARD, b=HARD.replace("99.9", "99.8"), c=HARD)

        def rules(*files):
            run = json.loads(folder.check(*files, "--report", "sarif").stdout)["runs"][0]
            self.assertEqual({r["ruleId"] for r in run["results"]}, {"util"})
            return run["tool"]["driver"]["rules"]
        one, = rules("a.json", "c.json")
        self.assertEqual(one["shortDescription"]["text"], "job.train.gpu.utilization >= 99.9 %")
        both, = rules("a.json", "b.json", "c.json")
        self.assertEqual(both["id"], one["id"])  # what is known of a rule stays when a design comes
        self.assertNotIn("99.9", both["shortDescription"]["text"])
        lines = both["help"]["text"].splitlines()
        self.assertEqual(len(lines), 2)
        for file, limit in (("a.json", "99.9 %"), ("b.json", "99.8 %")):
            line, = [line for line in lines if file in line]
            self.assertIn("gpu.utilization >= " + limit, line)

    def test_cases_of_junit_have_names_of_their_own(self):
        folder = self.folder(a=EASY, b=EASY, broken=EASY)
        folder.edit("broken.json", '"count": 8', '"cuont": 8')
        folder.edit("broken.json", '"nic"', '"nci"')

        def names(*files):
            root = xml.etree.ElementTree.fromstring(folder.check(*files, "--report", "junit").stdout)
            return [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
        self.assertEqual(names("a.json"), [("small", "util")])
        self.assertEqual(names("a.json", "b.json"), [("small (a.json)", "util"), ("small (b.json)", "util")])
        self.assertEqual(names("broken.json"), [("broken", "prediction"), ("broken", "prediction (2)")])

    def test_a_part_has_one_name_in_all_that_is_said_of_it(self):
        folder = self.folder(a=HARD)
        for args in (["--report", "text"], ["--report", "github"], ["--report", "junit"]):
            self.assertIn("waits most for the OSTs of scratch", folder.check("a.json", *args).stdout)
        self.assertIn("waits most for the OSTs of scratch, target util",
                      folder.run("run", "a.json", "--no-advice", "--draws", "0").stdout)


if __name__ == "__main__":
    program.main()
