"""The reports of `stallcast check`, each read by what stands for its consumer.

Usage: check_report_test.py PATH_OF_STALLCAST [unittest options].
"""

import csv
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import unittest
import urllib.parse
import xml.etree.ElementTree

import jsonschema

import program
from check_support import EASY, HARD, SCENARIO, STALL, Folder

HERE = os.path.dirname(os.path.abspath(__file__))
# What ends something in XML, Markdown, CSV, workflow commands, labels; and letters of two bytes.
NASTY = "50 % | <b>&\"']]> `x` ,:; naïve @all --> \\\\ end"
EXPECT = ",".join([
    HARD.replace(" }", ', "why": ' + json.dumps(NASTY) + " }"),
    EASY.replace("util", "easy", 1),
    STALL.replace('"stall"', '"warned", "level": "warn"').replace("30 s", "1 ns"),
    HARD.replace("util", "later", 1).replace(" }", ', "waive": ' + json.dumps(NASTY) +
                                              ', "until": "2099-12-31" }')])
KINDS = ("benchmark", "benchmark-bigger", "csv", "github", "gitlab", "html", "json", "junit",
         "markdown", "prom", "sarif", "text")


class Units(unittest.TestCase):
    READS = ('"dataset": { "on": "scratch", "format": "raw", "sample": "100 kB", "samples": 100000 }, '
             '"loader": { "batch": 16, "workers": 2 }, "checkpoint"')

    def test_samples_a_second_are_read_as_they_are_printed(self):
        folder = Folder(a='{ "id": "rate", "that": "job.train.throughput.samples >= 400 samples/s" }')
        self.addCleanup(folder.cleanup)
        folder.edit("a.json", '"checkpoint"', self.READS)
        for done in (folder.check("a.json", "--assert", "job.train.throughput.samples in [0.1 ksamples/s, 1 Gsamples/s]"),
                     folder.run("run", "a.json", "-v", "--no-advice")):
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("samples/s", done.stdout)
            self.assertNotRegex(done.stdout, r"samples[^\n]*ops/s")


class Reports(unittest.TestCase):
    """One check with every kind of report at once: a failure, a warning, a waiver, bad input."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder(**{"a b": EXPECT, "broken": EASY})
        cls.folder.edit("broken.json", '"count": 8', '"cuont": 8')
        cls.folder.write("summary.md", "of another step\n")
        cls.done = cls.folder.check(
            "a b.json", "broken.json", *[f"--report={kind}:out.{kind}" for kind in KINDS],
            env={"GITHUB_STEP_SUMMARY": os.path.join(cls.folder.path, "summary.md")})

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def out(self, kind):
        return self.folder.read("out." + kind)

    def test_all_are_written_at_once_and_text_goes_to_standard_output(self):
        self.assertEqual(self.done.returncode, 2, self.done.stderr)
        self.assertEqual(self.done.stdout, self.out("text"))
        self.assertEqual(sorted(n for n in os.listdir(self.folder.path) if n.startswith("out.")),
                         sorted("out." + kind for kind in KINDS))

    def test_text_has_a_line_for_each_assertion_the_open_ones_first(self):
        words = [line.split(" ")[0] for line in self.out("text").splitlines()
                 if not line.startswith(" ")]
        self.assertEqual(words[:5], ["FAIL", "WARN", "PASS", "WAIVED", "ERROR"])

    def test_json_counts_what_it_lists(self):
        report = json.loads(self.out("json"))
        self.assertEqual(report["schema"], "stallcast.check/1")
        self.assertEqual((report["verdict"], report["exit"]), ("error", 2))
        self.assertEqual(report["counts"], {"passed": 1, "failed": 1, "inconclusive": 0, "warned": 1,
                                            "waived": 1, "known": 0, "not_predicted": 1, "unsure": 0, "wrong": 0, "stale": 0})
        first = report["scenarios"][0]["assertions"][0]
        self.assertEqual(first["why"], NASTY)
        self.assertEqual(first["at"]["file"], "a b.json")

    def test_junit_is_valid_and_its_counts_are_right(self):
        if shutil.which("xmllint") is None:
            self.skipTest("xmllint is not installed")
        done = subprocess.run(["xmllint", "--noout", "--schema", os.path.join(HERE, "junit.xsd"),
                               os.path.join(self.folder.path, "out.junit")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_junit_maps_levels_as_its_readers_know_them(self):
        root = xml.etree.ElementTree.fromstring(self.out("junit"))
        cases = {case.get("name"): case for case in root.iter("testcase")}
        self.assertIsNotNone(cases["util"].find("failure"))
        self.assertIn(NASTY, cases["util"].find("failure").text)
        self.assertIsNone(cases["warned"].find("failure"))
        self.assertIn("warning", cases["warned"].find("system-out").text)
        self.assertIn("2099-12-31", cases["later"].find("skipped").get("message"))
        self.assertEqual(list(cases["easy"]), [])
        self.assertEqual(cases["prediction"].find("error").get("type"), "unknown-key")
        for count, element in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"),
                               ("skipped", "skipped")):
            self.assertEqual(int(root.get(count)), len(list(root.iter(element))))

    def test_sarif_is_valid_and_points_at_the_input_that_limits(self):
        report = json.loads(self.out("sarif"))
        with open(os.path.join(HERE, "sarif.schema.json"), encoding="utf-8") as file:
            jsonschema.validate(report, json.load(file), jsonschema.Draft7Validator)
        run = report["runs"][0]
        ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(ids, sorted(set(ids)))
        for result in run["results"]:
            self.assertIn(result["ruleId"], ids)
        result = next(r for r in run["results"] if r["ruleId"] == "util")
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(urllib.parse.unquote(place["artifactLocation"]["uri"]), "a b.json")
        line = self.folder.read("a b.json").splitlines()[place["region"]["startLine"] - 1]
        self.assertRegex(line, r'"(ost|checkpoint)"')
        waived = next(r for r in run["results"] if r["ruleId"] == "later")
        self.assertEqual(waived["suppressions"][0]["justification"], "until 2099-12-31: " + NASTY)

    def test_fingerprints_stay_when_lines_move(self):
        folder = Folder(a=HARD)
        self.addCleanup(folder.cleanup)

        def prints():
            run = json.loads(folder.check("a.json", "--report", "sarif").stdout)["runs"][0]
            return [r["partialFingerprints"] for r in run["results"]]
        before = prints()
        folder.write("a.json", "// a comment\n\n" + folder.read("a.json"))
        self.assertEqual(prints(), before)

    def test_github_commands_read_back_as_what_was_said(self):
        def unescaped(text):
            for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","),
                               ("%25", "%")):
                text = text.replace(code, char)
            return text
        commands = []
        for line in self.out("github").splitlines():
            match = re.fullmatch(r"::(error|warning|notice)(?: ([^:]*))?::(.*)", line)
            self.assertIsNotNone(match, line)
            properties = dict(p.split("=", 1) for p in (match[2] or "").split(",") if p)
            commands.append((match[1], {k: unescaped(v) for k, v in properties.items()},
                             unescaped(match[3])))
        kinds = [kind for kind, _, _ in commands]
        self.assertEqual(kinds, ["error", "error", "warning", "notice"])
        self.assertEqual(commands[0][1]["file"], "broken.json")  # bad input is worse than "no"
        self.assertEqual(commands[1][1]["title"], "small: util")
        self.assertIn(NASTY, commands[1][2])
        self.assertGreater(int(commands[1][1]["line"]), 0)

    def test_github_shows_ten_of_a_kind_and_counts_the_rest(self):
        folder = Folder(a=",".join(HARD.replace("util", f"u{i}", 1) for i in range(14)))
        self.addCleanup(folder.cleanup)
        lines = folder.check("a.json", "--report", "github").stdout.splitlines()
        self.assertEqual(sum(line.startswith("::error ") for line in lines), 10)
        self.assertIn("::notice::4 more errors: the summary of the step has all", lines)

    def test_the_step_summary_is_appended_to_and_stays_below_its_limit(self):
        summary = self.folder.read("summary.md")
        self.assertTrue(summary.startswith("of another step\n<!-- stallcast:check -->\n"))
        self.folder.write("full.md", "x" * 999_000)
        self.folder.check("a b.json", "--report", "github",
                          env={"GITHUB_STEP_SUMMARY": os.path.join(self.folder.path, "full.md")})
        size = len(self.folder.read("full.md").encode())
        self.assertTrue(999_000 < size <= 1_000_000, size)

    def test_gitlab_has_what_its_code_quality_pages_need(self):
        items = json.loads(self.out("gitlab"))
        for item in items:
            self.assertEqual(sorted(item), ["check_name", "description", "fingerprint", "location",
                                            "severity"])
            self.assertIn(item["severity"], ("info", "minor", "major", "critical", "blocker"))
            self.assertIsInstance(item["location"]["lines"]["begin"], int)
            self.assertFalse(item["location"]["path"].startswith(("/", "./")))
            self.assertTrue(item["description"].startswith(item["check_name"] + ": "))
        self.assertEqual(len({item["fingerprint"] for item in items}), len(items))

    def test_markdown_begins_with_its_mark_and_keeps_its_table(self):
        text = self.out("markdown")
        self.assertTrue(text.startswith("<!-- stallcast:check -->\n## :x: Stallcast: "))
        self.assertEqual(text.count("-->"), 1)
        self.assertNotIn("@all", text)
        self.assertNotIn("<b>", text)
        for line in text.splitlines():
            if line.startswith("| **fail"):
                self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 7, line)

    def test_markdown_stays_within_60_000_characters(self):
        many = ",".join(HARD.replace("util", f"u{i}-" + "x" * 200, 1) for i in range(300))
        folder = Folder(a=many)
        self.addCleanup(folder.cleanup)
        text = folder.check("a.json", "--report", "markdown", "--tag", "nightly").stdout
        self.assertTrue(text.startswith("<!-- stallcast:nightly -->"))
        self.assertTrue(50_000 < len(text) <= 60_000, len(text))
        shown = text.count("| **fail")
        self.assertIn(f"\n{300 - shown} more are not shown.\n", text)

    def test_html_is_one_page_that_fetches_nothing_and_closes_what_it_opens(self):
        text = self.out("html")
        open_tags, texts = [], []

        class Reader(html.parser.HTMLParser):
            def handle_starttag(self, tag, attrs):
                if tag not in ("meta", "wbr"):
                    open_tags.append(tag)
                for name, _ in attrs:
                    assert name not in ("src", "href"), tag

            def handle_endtag(self, tag):
                assert open_tags.pop() == tag, tag

            def handle_data(self, data):
                texts.append(data)
        Reader().feed(text)
        self.assertEqual(open_tags, [])
        self.assertTrue(any(NASTY in t for t in texts))
        self.assertEqual(text.count('<figure id="system">'), 1)
        self.assertNotIn("<script", text)

    def test_csv_has_a_row_for_each_assertion_and_fault(self):
        rows = list(csv.DictReader(io.StringIO(self.out("csv"))))
        self.assertEqual([row["status"] for row in rows],
                         ["fail", "pass", "fail", "waived", "error"])
        self.assertAlmostEqual(float(rows[0]["limit"]), 0.999)
        self.assertIn("cuont", rows[-1]["message"])

    def test_prometheus_reads_the_text_format(self):
        samples = read_prometheus(self.out("prom"))
        ok = {labels["assertion"]: value for name, labels, value in samples
              if name == "stallcast_check_ok"}
        self.assertEqual(ok, {"util": 0.0, "easy": 1.0, "warned": 0.0, "later": 1.0})
        self.assertIn(("stallcast_check_exit_code", {}, 2.0), samples)
        self.assertEqual({labels["path"]: value for name, labels, value in samples
                          if name == "stallcast_check_predicted"},
                         {"a b.json": 1.0, "broken.json": 0.0})

    def test_benchmark_files_have_one_direction_each(self):
        smaller, bigger = (json.loads(self.out(k)) for k in ("benchmark", "benchmark-bigger"))
        self.assertEqual([item["name"] for item in smaller], ["small / warned"])
        self.assertEqual([item["name"] for item in bigger],
                         ["small / util", "small / easy", "small / later"])
        for item in smaller + bigger:
            self.assertIsInstance(item["value"], float)
            for key in ("name", "unit", "extra"):
                self.assertIsInstance(item[key], str)

    def test_the_baseline_state_is_said_where_the_format_has_it(self):
        folder = Folder(a=HARD)
        self.addCleanup(folder.cleanup)
        folder.check("a.json", "--baseline", "b.json", "--update-baseline")
        args = ["a.json", "--baseline", "b.json", "--new-only", "--report"]
        result = json.loads(folder.check(*args, "sarif").stdout)["runs"][0]["results"][0]
        self.assertEqual(result["baselineState"], "unchanged")
        root = xml.etree.ElementTree.fromstring(folder.check(*args, "junit").stdout)
        self.assertIn("in the baseline", next(root.iter("skipped")).get("message"))

    def test_a_baseline_that_is_stale_is_green_nowhere(self):
        folder = Folder(a=EASY + "," + STALL)
        self.addCleanup(folder.cleanup)
        folder.check("a.json", "--baseline", "b.json", "--update-baseline")
        folder.edit("a.json", "," + STALL, "")
        kinds = [f"--report={kind}:out.{kind}" for kind in KINDS]
        done = folder.check("a.json", "--baseline", "b.json", *kinds)
        self.assertEqual(done.returncode, 3, done.stdout)
        out = {kind: folder.read("out." + kind) for kind in KINDS}
        for kind in ("text", "json", "github", "markdown", "html"):
            self.assertRegex(out[kind], "(1 passed|the target holds), baseline stale", kind)
        report = json.loads(out["json"])
        self.assertEqual((report["counts"]["passed"], report["counts"]["stale"]), (1, 1))
        self.assertRegex(out["github"], r'(?m)^::warning file=b\.json,title=stale baseline::small: .*"stall" is gone$')
        item, = json.loads(out["gitlab"])
        self.assertEqual((item["check_name"], item["location"]["path"]), ("stale-baseline", "b.json"))
        row = list(csv.DictReader(io.StringIO(out["csv"])))[-1]
        self.assertEqual((row["path"], row["assertion"], row["status"]), ("b.json", "stale-baseline", "inconclusive"))
        self.assertIn('"stall" is gone', row["message"])
        self.assertIn(("stallcast_check_stale", {}, 1.0), read_prometheus(out["prom"]))


def read_prometheus(text):
    """The text format 0.0.4 as promtool reads it: (name, labels, value) of every sample.

    Fails on: a sample before its TYPE, a family that is not in one piece, a name or label that is
    none, a sample given twice, a last line without a line feed.
    """
    assert text.endswith("\n")
    label = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
    families, current, samples, seen = {}, None, [], set()
    for line in text.splitlines():
        comment = re.fullmatch(r"# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)", line)
        if comment:
            kind, name, rest = comment.groups()
            if name != current:
                assert name not in families, "in two pieces: " + name
                current, families[name] = name, set()
            assert kind not in families[name], line
            families[name].add(kind)
            assert kind == "HELP" or rest in ("gauge", "counter", "untyped"), line
            continue
        match = re.fullmatch(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)", line)
        assert match, line
        assert match[1] == current and families[current] == {"HELP", "TYPE"}, line
        labels, at = {}, 0
        while at < len(match[2] or ""):
            part = label.match(match[2], at)
            assert part and part[1] not in labels, line
            labels[part[1]] = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], part[2])
            at = part.end()
        key = (match[1], tuple(sorted(labels.items())))
        assert key not in seen, line
        seen.add(key)
        samples.append((match[1], labels, float(match[3])))
    return samples


class Wrong(unittest.TestCase):
    """What is wrong besides scenarios."""

    def exits(self, code, done):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_a_wrong_assertion_is_one_and_the_scenario_is_predicted_all_the_same(self):
        folder = Folder(a=EASY + "," + STALL)
        self.addCleanup(folder.cleanup)
        done = self.exits(2, folder.check("a.json", "--assert", "job.train.no > 3"))
        self.assertIn("1 assertion is wrong, 2 passed", " ".join(done.stdout.split()))
        self.assertNotIn("not predicted", done.stdout)
        told = self.exits(2, folder.check("a.json", "--assert", "job.train.no > 3", "--report", "prom")).stdout
        self.assertRegex(told, r"stallcast_check_predicted\{[^}]*\} 1\n")

    def test_what_is_right_beside_it_is_reported_as_without_it(self):
        folder = Folder(a=EASY + "," + STALL)
        self.addCleanup(folder.cleanup)
        wrong = ("--assert", "job.train.no > 3")
        table = self.exits(2, folder.check("a.json", *wrong, "--report", "markdown")).stdout
        self.assertIn("an assertion is wrong, all targets hold", table)
        self.assertNotIn("has no targets", table)
        alone = json.loads(folder.check("a.json", "--report", "json").stdout)["scenarios"][0]["assertions"]
        beside = json.loads(folder.check("a.json", *wrong, "--report", "json").stdout)["scenarios"][0]["assertions"]
        self.assertEqual([(a["id"], a["at"]) for a in beside], [(a["id"], a["at"]) for a in alone])
        self.assertTrue(all(a["at"]["line"] > 0 for a in beside))

    def test_two_for_a_tolerance_that_is_for_no_metric(self):
        folder = Folder(a=EASY)
        self.addCleanup(folder.cleanup)
        done = self.exits(2, folder.check("a.json", "--tolerance", "foo*=1%"))
        self.assertIn('--tolerance: no metric matches "foo*"', done.stderr)
        self.exits(2, folder.check("a.json", "--tolerance", "job.*.chekpoint.duration=1%"))
        self.exits(0, folder.check("a.json", "--tolerance", "job.*=1%", "--tolerance", "cost.*=1%"))


if __name__ == "__main__":
    program.main()
