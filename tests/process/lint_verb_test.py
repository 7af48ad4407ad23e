"""What `stallcast lint` looks at: every file, every variant.

Usage: lint_verb_test.py PATH_OF_STALLCAST [unittest options].
"""

import csv
import json
import pathlib
import tempfile
import unittest

import program
from program import Run


EASY = """{
  "id": "small",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" } } ],
  "run": { "duration": "10 min" }
}
"""


class Lint(unittest.TestCase):
    def plan_refuses(self, text, line, said):
        plan = Run("plan", "FILE", text=text)
        self.assertEqual(plan.code, 2)
        self.assertRegex(plan.err, rf":{1 + text.splitlines().index(line)}:\d+: {said}")

    def test_every_file_is_reported(self):
        run = Run("lint", "FILE", "/no/such.json", "--format", "json", text=EASY)
        self.assertEqual(run.code, 2)
        self.assertEqual([f["ok"] for f in json.loads(run.out)["files"]], [True, False])

    def test_findings_are_rows_of_a_table(self):
        text = EASY.replace('"gpu", "count"', '"gpu", "cuont"')
        found = json.loads(Run("lint", "FILE", "--format", "json", text=text).out)["files"][0]["diagnostics"]
        rows = list(csv.DictReader(Run("lint", "FILE", "--format", "csv", text=text).out.splitlines()))
        self.assertEqual([(r["severity"], int(r["line"]), r["message"]) for r in rows],
                         [(d["severity"], d["line"], d["message"]) for d in found])
        lines = Run("lint", "FILE", "--format", "markdown", text=text).out.splitlines()
        self.assertEqual(len(lines), 2 + len(found))
        self.assertRegex(lines[2], r"^\| error \| .* \|$")
        refused = Run("lint", "FILE", "--format", "html", text=text)
        self.assertEqual((refused.code, refused.out), (2, ""))
        self.assertIn("csv", refused.err)

    def test_a_file_with_the_name_of_an_option_stands_behind_two_dashes(self):
        run = Run("lint", "--", "-odd.json")
        self.assertIn("-odd.json: cannot read the file" if "cannot read" in run.err else "-odd.json:", run.err)
        self.assertNotIn("unexpected argument", run.err)

    def test_a_target_is_one_that_a_run_would_take(self):
        def linted(that):
            scenario = json.loads(EASY)
            scenario["expect"] = [{"id": "t", "that": that}]
            return Run("lint", "FILE", text=json.dumps(scenario))

        self.assertEqual(linted("job.train.goodput >= 90 %").code, 0)
        self.assertEqual(linted("*.goodput >= 90 %").code, 0)
        for that, said in (("job.train.gooodput >= 90 %", 'did you mean "job.train.goodput"?'),
                           ("job.train.gpu.utilisation >= 90 %", 'did you mean "job.train.gpu.utilization"?'),
                           ("resource.host.cpu.utilization < 90 %", 'no host class "cpu"'),
                           ("cost.capx < 2 MUSD", 'did you mean "cost.capex"?'),
                           ("foo.bar < 2", 'no metric is named "foo.bar"'),
                           ("job.train.checkpoint.nonsense > 0 B", "it may be job.train.checkpoint.size, "),
                           ("job.train.checkpoint.settled.p99 > 0 s", "it may be job.train.checkpoint.settled"),
                           ("job.train.checkpoint.stall.p90 > 0 s", 'did you mean "job.train.checkpoint.stall.p50"?'),
                           ("job.train.chekpoint.took.x < 1 s", 'did you mean "job.train.checkpoint.took.x"?'),
                           ("job.trian.goodput >= 90 %", 'did you mean "train"?'),
                           ("job.train.goodput >= ninety", "ninety")):
            run = linted(that)
            self.assertEqual(run.code, 2, that)
            self.assertIn(said, run.err)

    def test_a_target_needs_what_the_scenario_has_none_of(self):
        def linted(that, **more):
            scenario = json.loads(EASY) | more
            scenario["expect"] = [{"id": "t", "that": that}]
            return Run("lint", "FILE", text=json.dumps(scenario))

        host = json.loads(EASY)["cluster"]["hosts"][0]
        fails = {"failures": [{"id": "hosts", "type": "host", "mtbf": "5000 h"}]}
        dated = {"failures": [{"id": "hosts", "type": "host", "at": "5 min"}]}
        bought = {"cluster": {"hosts": [host | {"price": "300 kUSD"}]}}
        rented = {"cluster": {"hosts": [host | {"rent": "98 USD/h"}]}}
        for that, said, enough in (("job.train.failures.count < 9", "has no failure", fails),
                                   ("job.*.restart.duration < 9 s", "has no failure", dated),
                                   ("pipeline.time < 9 s", "has no stage", None),
                                   ("stage.train.time < 9 s", "has no stage", None)):
            run = linted(that)
            self.assertEqual(run.code, 2, that)
            self.assertRegex(run.err, r"\d+:\d+: /expect/0/that: there is no .*" + said)
            self.assertEqual(linted(that, **(enough or {})).code, 0 if enough else 2, that)
        # a price may come with what is varied
        varied = {"sweep": {"cluster.hosts.gpu.price": ["200 kUSD", "300 kUSD"]}}
        for that, said, enough in (("cost.capex < 9 USD", "no price", bought),
                                   ("cost.gpu_idle < 9 USD/h", "no price", rented)):
            self.assertRegex(linted(that).err, r"/expect/0/that: there is no .* yet: the scenario has " + said)
            self.assertEqual(linted(that).code, 2, that)
            run = linted(that, **varied)
            self.assertEqual(run.code, 0, that + run.err)
            self.assertRegex(run.err + run.out, r"/expect/0/that: warning: there is no .* yet: the scenario has " + said)
            again = linted(that, **enough)
            self.assertNotIn("no price", again.err + again.out)
        again = linted("cost.capex < 9 USD", **rented)
        self.assertIn("no price to buy anything", again.err + again.out)
        self.assertIn('no failure "x" in', linted("failure.x.count < 9").err)

    def test_what_run_refuses_lint_refuses_too(self):
        """Of a job that reads from WEKA and does not save: nothing is simulated, and nothing is refused later."""
        scenario = json.loads(EASY)
        scenario["storage"] = [{"id": "w", "type": "weka", "backend": {"count": 8}}]
        scenario["jobs"][0] |= {
            "steps": 20, "dataset": {"on": "w", "format": "raw", "samples": 1000000, "sample": "1 MB"},
            "loader": {"type": "pytorch", "batch": 2, "workers": 2}}
        scenario["tenants"] = [{"id": "fill", "type": "ingest", "on": "w", "hosts": "gpu", "rate": "1 GB/s"}]

        def asked(verb, that, *args, **more):
            text = json.dumps(scenario | more | {"expect": [{"id": "t", "that": that}]})
            return Run(verb, "FILE", *args, text=text)

        for that, hint in (("cost.capex <= 2 MUSD", '"price"'), ("power.total < 40 kW", '"power"'),
                           ("power.mean < 40 kW", '"power"'),
                           ("space.rack_units < 9", '"space"'), ("job.train.run.time < 60 d", '"run"'),
                           ("job.train.checkpoint.stall < 1 s", '"checkpoint"'),
                           ("job.*.checkpoint.duration < 5 min", '"checkpoint"'),
                           ("*.checkpoint.stall < 1 s", '"checkpoint"'),
                           ("job.train.restore.duration < 1 min", '"restore"'),
                           ("job.train.goodput.p5 > 90 %", '"failures"'),
                           ("job.train.communication.exposed < 1 s", '"communication"'),
                           ("job.train.slow.cost < 1 %", '"slow"'), ("job.train.elastic.time > 1 s", '"elastic"'),
                           ("storage.w.capacity.used < 90 %", '"capacity"'), ("storage.w.wear.life > 1 d", "drives"),
                           ("storage.w.credits.use < 1 %", '"credits"'), ("storage.w.hit > 90 %", "type cache"),
                           ("tenant.fill.ttft.p99 < 1 s", "type kv_cache"),
                           ("resource.storage.w.ost.utilization < 90 %", "resource.storage.w."),
                           ("resource.storage.w.backends.queue < 5", "resource.storage.w."),
                           ("resource.fabric.utilization < 3 %", "it may be"),
                           ("storage.w.backends.required <= 9", 'only "stallcast plan" computes it'),
                           ("job.train.accelerators.supported >= 3", 'only "stallcast plan" computes it')):
            run = asked("run", that, "--no-advice")
            lint = asked("lint", that)
            self.assertEqual((lint.code, run.code), (2, 2), that)
            self.assertRegex(lint.err, r"\d+:\d+: /expect/0/that: ")
            self.assertIn(hint, lint.err.split("hint: ")[1], that)
        # only a plan tells, and the scenario asks for one
        plan = asked("lint", "storage.w.backends.required <= 9", plan={"over": ["backends"]})
        self.assertEqual(plan.code, 0, plan.err)
        # whether a save ends is known after the run
        saves = scenario["jobs"][0] | {"checkpoint": {"to": "w", "size": "1 TB", "every_steps": 1000}}
        self.assertEqual(asked("lint", "job.train.checkpoint.stall < 1 s", jobs=[saves]).code, 0)
        # a restart reads what was saved, whether a restore after the run is asked for or not
        again = dict(jobs=[saves | {"steps": 200, "checkpoint": saves["checkpoint"] | {"size": "10 GB", "every_steps": 20}}],
                     failures=[{"id": "lost", "type": "host", "hosts": "gpu", "at": "40 s"}])
        for verb in ("lint", "run"):
            run = asked(verb, "job.train.restore.duration < 10 min", *(["--no-advice", "--draws", "0"] if verb == "run" else []), **again)
            self.assertEqual(run.code, 0, run.err)

    def test_the_unit_of_a_target_is_that_of_its_metric(self):
        """Of every metric that a run with all of it prints; what is moved by resources is left to the run."""
        scenario = json.loads(EASY)
        scenario["storage"] = [{"id": "bucket", "type": "s3", "use": "storage/s3-standard"}]
        scenario["jobs"][0] |= {
            "steps": 12, "checkpoint": {"to": "bucket", "size": "1 TB", "every_steps": 5, "mode": "async"},
            "dataset": {"on": "bucket", "format": "raw", "samples": 1000000, "sample": "1 MB"},
            "loader": {"type": "pytorch", "batch": 2, "workers": 2}}
        scenario["tenants"] = [{"id": "scan", "type": "fio", "on": "bucket", "hosts": "gpu", "rw": "read",
                                "bs": "8 MB", "limit": "1 GB/s"}]
        scenario["run"] = {"replicas": 1}
        metrics = json.loads(Run("run", "FILE", "--draws", "0", "--no-advice", "--format", "json",
                                 text=json.dumps(scenario)).out)["metrics"]
        self.assertGreater(len(metrics), 80)

        def linted(unit_of):
            scenario["expect"] = [{"id": f"t{n}", "that": f"{name} < 1 {unit_of(metric['unit'])}"}
                                  for n, (name, metric) in enumerate(metrics.items())]
            run = Run("lint", "FILE", "--format", "json", text=json.dumps(scenario))
            return [d["pointer"] for d in json.loads(run.out)["files"][0]["diagnostics"] if d["severity"] == "error"]

        written = {"ratio": "%", "1/s": "ops/s", "s": "s", "B": "GB", "B/s": "B/s", "USD": "USD", "USD/h": "USD/h"}
        self.assertEqual(linted(lambda unit: written.get(unit, "")), [])
        wrong = linted(lambda unit: "%" if unit == "s" else "s")
        missed = [name for n, name in enumerate(metrics) if f"/expect/{n}/that" not in wrong]
        self.assertEqual([name for name in missed if not name.endswith(".throughput")], [])

    def test_every_metric_of_the_library_may_be_a_target(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for recorded in sorted((root / "tests/golden/library").glob("*.json")):
                source = next(f for f in (root / "scenarios/library" / recorded.name, root / "examples" / recorded.name)
                              if f.exists())
                metrics = json.loads(recorded.read_text(encoding="utf-8"))["metrics"]
                files.append(pathlib.Path(folder) / recorded.name)
                files[-1].write_text(json.dumps(
                    {"extends": str(source),
                     "expect": [{"id": f"t{n}", "that": f"{name} >= base"} for n, name in enumerate(metrics)]}),
                    encoding="utf-8")
            run = Run("lint", *map(str, files), "--format", "json")
        self.assertGreater(len(files), 90)
        for file in json.loads(run.out)["files"]:
            for d in file["diagnostics"]:
                if d["message"].startswith("variant "):  # another storage has other parts
                    continue
                self.assertFalse(d["severity"] == "error" and d["code"] in ("unknown-metric", "reference"), d)
                self.assertNotRegex(d["message"], "^(no metric|no [a-z ]+ \"|there is no|\".*\" is no metric|cannot)")

    def test_every_variant_is_looked_at(self):
        def variants(**named):
            scenario = json.loads(Run("resolve", "FILE", text=EASY).out)
            scenario["scenarios"] = named
            return json.dumps(scenario)

        bad = {"jobs": [{"id": "train", "step": {"compute": "-1 s"}}]}
        good = {"jobs": [{"id": "train", "step": {"compute": "2 s"}}]}
        run = Run("lint", "FILE", text=variants(fast=good, broken=bad))
        self.assertEqual(run.code, 2)
        self.assertIn('variant "broken": "compute" must be', run.err)
        self.assertEqual(Run("lint", "FILE", "--variant", "fast", text=variants(fast=good, broken=bad)).code, 0)
        self.assertEqual(Run("lint", "-", stdin=variants(broken=bad)).code, 2)
        many = Run("lint", "FILE", text=variants(**{f"v{n}": good for n in range(201)}))
        self.assertEqual(many.code, 0)
        self.assertIn("of 201 variants the first 200 were looked at", many.err)

    def test_what_a_plan_searches_and_what_grows_is_there(self):
        scenario = json.loads(Run("resolve", "FILE", text=EASY).out)
        scenario["plan"] = {"over": ["nope", "accelerators"]}
        scenario["growth"] = {"of": {"jobs.train.step.compute": "1 %/month", "nobody": "1 %/month"}}
        scenario["scenarios"] = {"v": {"plan": {"over": ["neither"]}}}
        text = json.dumps(scenario, indent=1)
        run = Run("lint", "FILE", "--format", "json", text=text)
        found = [(d["pointer"], d["message"].split(" is ")[0]) for d in json.loads(run.out)["files"][0]["diagnostics"]]
        self.assertEqual(run.code, 2)
        self.assertEqual(sorted(found), [("/growth/of/nobody", '"nobody"'), ("/plan/over/0", '"nope"'),
                                         ("/plan/over/0", 'variant "v": "neither"')])
        self.plan_refuses(text, '   "nope",', '/plan/over/0: "nope" is not a known count')
        asked = Run("plan", "FILE", "--over", "other", text=text)  # in the place of what the file says
        self.assertIn("no targets to plan for", asked.err)
        self.assertNotIn("nope", asked.err)

    def test_what_a_sweep_varies_is_looked_at(self):
        scenario = json.loads(Run("resolve", "FILE", text=EASY).out)

        def faults(**varied):
            scenario["sweep"] = varied
            text = json.dumps(scenario, indent=1)
            lint, sweep = Run("lint", "FILE", "--format", "json", text=text), Run("sweep", "FILE", text=text)
            found = json.loads(lint.out)["files"][0]["diagnostics"]
            for d in found:
                self.assertIn(f":{d['line']}:{d['column']}: {d['pointer']}: {d['message']}", sweep.err)
                self.assertIn(d["hint"], sweep.err)
            return lint.code, [(d["pointer"], d["message"].split(":")[0]) for d in found]

        compute = "jobs.train.step.compute"
        self.assertEqual(faults(**{compute: ["1 s", "2 s"], "mode": "zip"}), (0, []))
        self.assertEqual(faults(**{compute: ["1 s", 5, "-1 s"]}),
                         (2, [(f"/sweep/{compute}/1", '"compute" needs a unit'),
                              (f"/sweep/{compute}/2", '"compute" must be above 0 s, not -1 s')]))
        self.assertEqual(faults(**{"jobs.train.step.compte": ["1 s"]}),
                         (2, [("/sweep/jobs.train.step.compte/0", 'unknown key "compte" in "step" of job "train"')]))
        hosts = {"cluster.hosts.gpu.count": {"from": 1, "to": 2000, "n": 2000}}
        self.assertEqual(faults(**hosts, **{compute: {"from": "1 s", "to": "2 s", "n": 1000}})[1][0][1],
                         "the sweep has 2000000 points, more than 1000000")
        # Of many points each listed value is looked at once.
        many = [f"{n} s" for n in range(1, 50)] + ["0 s"]
        self.assertEqual(faults(**{compute: many, "run.duration": ["1 min", "1 s", "-1 s"]})[1],
                         [(f"/sweep/{compute}/49", '"compute" must be above 0 s, not 0 s'),
                          ("/sweep/run.duration/2", '"duration" must be above 0 s, not -1 s')])

    def test_what_a_plan_is_for_and_survives_is_there(self):
        scenario = json.loads(Run("resolve", "FILE", text=EASY).out)
        scenario["storage"] = [{"id": "fs", "type": "lustre", "ost": {"count": 8, "read": "2 GB/s", "write": "1 GB/s"}}]

        def faults(**plan):
            scenario["plan"] = {"over": ["osts"]} | plan
            run = Run("lint", "FILE", "--format", "json", text=json.dumps(scenario))
            return [(d["pointer"], d["message"] + " " + d["hint"])
                    for d in json.loads(run.out)["files"][0]["diagnostics"]]

        for good in ({"minimize": "osts"}, {"minimize": "storage[fs].ost.count"}, {"survive": "ost"},
                     {"minimize": "job.train.step.time"}, {"maximize": "job.train.goodput"}):
            self.assertEqual(faults(**good), [], good)
        for goal, name, said in (
                ("minimize", "ossts", "neither searched nor an input or a metric"),
                ("minimize", "cost.capx", 'did you mean "cost.capex"?'),
                ("minimize", "job.trian.step.time", 'did you mean "train"?'),
                ("maximize", "job.train.gputilization", "no metric is named"),
                ("minimize", "job.*.step.time", "stands for several metrics"),
                ("maximize", "job.train.step.time", "better the lower it is"),
                ("minimize", "job.train.goodput", "better the higher it is")):
            (pointer, message), (other, down) = faults(**{goal: name, "survive": ["ost", "rack"]})
            self.assertEqual((pointer, other), ("/plan/" + goal, "/plan/survive/1"), name)
            self.assertIn(said, message)
            self.assertIn('"rack" cannot be down one of ost', down)

        self.assertEqual(faults(over=None, maximize="accelerators:nobody"),
                         [("/plan/maximize", 'nothing named "nobody" has "count" give it a value in the scenario '
                                             "first, or name another path")])

        scenario["plan"] = {"over": ["osts"], "minimize": "ossts"}
        scenario["expect"] = [{"id": "quick", "that": "job.train.step.time <= 2 s"}]
        text = json.dumps(scenario, indent=1)
        self.plan_refuses(text, '  "minimize": "ossts"', '/plan/minimize: "ossts" is neither searched')
        asked = Run("plan", "FILE", "--minimize", "osts", text=text)  # in the place of what the file says
        self.assertNotIn("ossts", asked.err)


if __name__ == "__main__":
    program.main()
