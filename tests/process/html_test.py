"""Pages: one file that fetches nothing, closes what it opens, escapes what users write, says what the
other formats say.

Usage: html_test.py PATH_OF_STALLCAST [unittest options]."""

import html.parser
import json
import os
import re
import shlex
import tempfile
import unittest
import xml.etree.ElementTree

import program

SCENARIO = """{
  "id": "page",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "use": "host/dgx-h100" } ] },
  "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 4 }, "oss": { "count": 1 } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "200 ms" },
    "dataset": { "on": "scratch", "format": "tokens", "sample": "16 KiB", "size": "1 TB" },
    "loader": { "type": "pytorch", "workers": 4, "batch": 64 },
    "checkpoint": { "to": "scratch", "size": "100 GB", "every": "20 s", "mode": "sync" } } ],
  "run": { "duration": "1 min" },
  "expect": [ { "id": "au", "that": "job.train.gpu.utilization >= 99.9 %",
                "why": "</script><script>alert('1')</script> & more" } ]
}
"""
VOID = ("meta", "wbr")


def broad(text):
    """The page without the drawings that narrow screens get."""
    return re.sub(r'<svg role="img" class="slim".*?</svg>', "", text, flags=re.DOTALL)


class Page(html.parser.HTMLParser):
    """Reads a page strictly; `texts` is what a person sees, by the tag it stands in."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.attributes = [], [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        if data.strip():
            self.texts.append((self.open[-1] if self.open else "", data.strip()))

    def of(self, tag):
        return [text for at, text in self.texts if at == tag]


class HtmlTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "it's <b>.json")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(SCENARIO)

    def out(self, *args):
        return program.Run(args[0], self.path, *args[1:]).out

    def test_run_says_in_a_page_what_it_says_in_json(self):
        text = self.out("run", "--format", "html")
        self.assertEqual(text, self.out("run", "--format", "html"))
        page = Page(text)
        self.assertEqual(page.of("h1"), ["page"])
        self.assertIn("fail", page.of("span"))
        self.assertEqual(json.loads(page.of("script")[0]), json.loads(self.out("run", "--format", "json")))
        for heading in ("Targets", "Where the time goes", "What limits it", "What happens when", "What would change it", "Figures",
                        "What this rests on", "Inputs, and who set them", "Reproduce"):
            self.assertIn(heading, page.of("h2"))

    def test_a_page_can_be_read_out(self):
        text = self.out("run", "--draws", "8", "--format", "html")
        self.assertEqual(text.count("<main>"), 1)
        self.assertEqual(text.count("</main>"), 1)
        heads = re.findall(r"<th[ >][^>]*", text)
        self.assertTrue(heads)
        for head in heads:
            self.assertIn('scope="col"', head)
        self.assertGreater(text.count("<table aria-label="), 0)
        self.assertNotIn("<table>", text)
        titles = Page(text).of("h2")
        self.assertEqual(len(titles), len(set(titles)), titles)
        # What a drawing shows, its label says.
        label = re.search(r'<figure data-name="targets"><svg[^>]*aria-label="([^"]*)"', text).group(1)
        self.assertRegex(label, r"^targets: .* predicted [0-9]")

    def test_the_first_page_shows_designs_around_it_and_what_could_change_the_answer(self):
        text = self.out("run", "--format", "html")
        self.assertIn('<figure data-name="counts">', text)
        options = re.search(r"<h2>Options</h2>(.*?)</table>", text, re.DOTALL).group(1)
        for column in ("design", "GPUs", "stall per save", "targets"):
            self.assertIn(f">{column}</th>", options)
        # By their effect on the figure of the target, the largest first; names with their paths.
        moved = re.search(r'<ul class="moving">(.*?)</ul>', text, re.DOTALL).group(1)
        ends = [(float(a), float(b)) for a, b in re.findall(r"<b[^>]*>([\d.]+) % to ([\d.]+) %</b>", moved)]
        sizes = [abs(a - b) for a, b in ends]
        self.assertTrue(1 <= len(sizes) <= 3, moved)
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertRegex(moved, r'<span title="(jobs|cluster|storage)[^"]+">[A-Za-z]')

    def test_a_run_with_draws_shows_how_sure_its_figures_are(self):
        text = self.out("run", "--draws", "64", "--format", "html", "--no-advice")
        page = Page(text)
        data = json.loads(page.of("script")[0])
        self.assertEqual(data, json.loads(self.out("run", "--draws", "64", "--format", "json", "--no-advice")))
        self.assertLess(page.of("h2").index("Targets"), page.of("h2").index("How sure this is"))
        self.assertIn("holds in", page.of("th"))
        self.assertTrue(any(said.endswith(" of 100 cases") for said in page.of("td")), page.of("td"))
        tiles = re.findall(r'<small>90 % of outcomes <span class="ends">(.*?)</span></small>', text)
        self.assertTrue(any(" % to " in said for said in tiles), tiles)
        section = text.split("<h2>How sure this is")[1].split("</section>")[0]
        self.assertRegex(section, r"64 draws of \d+ uncertain inputs")
        # The only target is on the only utilization: one strip, for broad and for narrow screens, whose labels
        # are what JSON says and do not lie over each other.
        drawings = re.findall("<svg.*?</svg>", section, re.S)
        self.assertEqual(len(drawings), 2)
        for drawing, css in zip(map(xml.etree.ElementTree.fromstring, drawings), ("broad", "slim")):
            self.assertEqual(drawing.get("class"), css)
            labels = [label.text for label in drawing.iter("text")]
            width = float(drawing.get("viewBox").split()[2])
            self.assertIn("target >= 99.9 %", labels)
            self.assertEqual(len([label for label in labels if label.endswith(" %")]), 5, labels)
            for shape in drawing.iter("rect"):
                self.assertGreaterEqual(float(shape.get("x")), 0.0)
                self.assertLessEqual(float(shape.get("x")) + float(shape.get("width")), width)
            for line in {label.get("y") for label in drawing.iter("text")}:
                ends = sorted((float(t.get("x")) - 4.0 * len(t.text), float(t.get("x")) + 4.0 * len(t.text))
                              for t in drawing.iter("text") if t.get("y") == line)
                self.assertGreaterEqual(ends[0][0], -0.1)
                self.assertLessEqual(ends[-1][1], width + 0.1)
                self.assertTrue(all(a[1] < b[0] for a, b in zip(ends, ends[1:])), ends)
        inputs = [row["input"] for row in data["uncertainty"]]
        self.assertTrue(inputs)
        self.assertIn("What to measure first", section)
        self.assertIn(inputs[0], section.replace("<wbr>", ""))
        self.assertIn("<summary>Assumed, not measured: ", text)
        self.assertNotIn("check these first", text)

    def test_a_run_without_draws_has_nothing_to_say_of_them(self):
        page = Page(self.out("run", "--format", "html", "--no-advice"))
        self.assertNotIn("How sure this is", page.of("h2"))
        self.assertNotIn("holds in", page.of("th"))
        self.assertIn("Assumed, not measured: check these first", page.of("h3"))

    def test_an_interval_whose_ends_print_alike_is_not_shown(self):
        page = self.out("run", "--format", "html", "--replicas", "2")
        self.assertNotRegex(page, r"<small>mean of seeds ([^<]*) to \1</small>")

    def test_nothing_is_fetched_and_nothing_of_the_user_becomes_markup(self):
        scripts = set()
        for verb, *more in (("run",), ("plan",), ("explain",), ("sweep", "--vary", "storage.ost.count=1,2")):
            text = self.out(verb, *more, "--format", "html")
            page = Page(text)
            self.assertEqual([name for name, _ in page.attributes if name in ("src", "href", "onclick")], [])
            self.assertNotRegex(text, r"url\(|@import|http-equiv")
            # One that no browser runs, and one that is the same on every page.
            ours = re.findall(r"<script>(.*?)</script>", text, re.S)
            self.assertEqual(len(re.findall('<script type="application/json" id="[a-z]+">', text)), 1)
            self.assertEqual((len(re.findall("<script", text)), len(ours)), (2, 1))
            scripts.update(ours)
            self.assertEqual(page.of("b").count(""), 0)
            if verb in ("run", "plan"):
                self.assertIn("</script><script>alert('1')</script> & more", page.of("td"))
        self.assertEqual(len(scripts), 1)

    def test_the_command_on_the_page_makes_the_page_again(self):
        text = self.out("run", "--format", "html", "--set", "storage.ost.count=8", "--seed", "7")
        command = Page(text).of("pre")[0]
        self.assertTrue(command.startswith("stallcast run "), command)
        self.assertTrue(command.endswith("--set storage.ost.count=8 --seed 7"), command)
        again = program.Run(*shlex.split(command)[1:], "--format", "html").out
        self.assertEqual(again, text)

    def test_an_explanation_is_a_tree_to_open_that_says_what_the_text_says(self):
        text = self.out("explain", "--format", "html", "--what-if", "2")
        page = Page(text)
        self.assertEqual(json.loads(page.of("script")[0]),
                         json.loads(self.out("explain", "--format", "json", "--what-if", "2")))
        for heading in ("What limits it", "What each number is made of", "What if", "Reproduce"):
            self.assertIn(heading, page.of("h2"))
        self.assertGreater(text.count("<details"), text.count("<details open"))
        # Every line of the text report is there: names in their order, without the marks for what is hidden.
        told = re.findall(r"^ *([\w.\[\]]+) = ", self.out("explain", "--depth", "99", "--what-if", "0"), re.M)
        said = "".join(text.split("<h2>What each number")[1].split("</section>")[0].replace("<wbr>", "").split())
        at = 0
        for name in told:
            at = said.find(">" + name + "<", at) + 1
            self.assertGreater(at, 0, name)

    def test_one_number_is_explained_with_everything_open_and_its_command_says_so(self):
        text = self.out("explain", "job.page.nothing", "--format", "html")
        self.assertEqual(text, "")
        text = self.out("explain", "job.train.gpu.utilization", "--format", "html")
        self.assertEqual(text.count("<details"), text.count("<details open"))
        command = Page(text).of("pre")[0]
        self.assertTrue(command.endswith(" job.train.gpu.utilization"), command)
        self.assertEqual(program.Run(*shlex.split(command)[1:], "--format", "html").out, text)

    def test_the_command_of_a_plan_asks_the_same(self):
        text = self.out("plan", "--format", "html", "--over", "osts", "--unit", "osts=2", "--checks", "1")
        command = Page(text).of("pre")[0]
        self.assertEqual(program.Run(*shlex.split(command)[1:], "--format", "html").out, text)

    def test_a_sweep_is_a_picture_and_a_table_with_a_row_per_point(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(SCENARIO.replace("99.9 %", "20 %"))  # only what meets the targets is on a front
        vary = ("--vary", "storage.ost.count=1,2,4", "--vary", "jobs.loader.workers=1,4")
        goals = ("--metric", "storage.ost.count:min", "--metric", "job.train.gpu.utilization:max")
        text = self.out("sweep", *vary, *goals, "--format", "html")
        self.assertEqual(text, self.out("sweep", *vary, *goals, "--format", "html"))
        page = Page(text)
        data = json.loads(page.of("script")[0])
        self.assertEqual(data, json.loads(self.out("sweep", *vary, *goals, "--format", "json")))
        self.assertEqual(broad(text).count('r="5.0"'), 6)
        front = sum(point["pareto"] for point in data["points"])
        self.assertGreater(front, 0)
        self.assertEqual(broad(text).count('r="9.0"'), front)
        warnings = {warning for point in data["points"] for warning in point.get("warnings", [])}
        self.assertGreater(len(warnings), 0)  # the first save is due after the end
        self.assertEqual(text.count("<tr>"), 2 + 6 + front + 1 + len(warnings))
        drawn = self.out("sweep", *vary, "--draws", "8", "--format", "html")
        self.assertEqual(broad(drawn).count('opacity="0.25"'), 2)  # a band for each number of workers
        self.assertIn("nine of ten outcomes", drawn)
        plain = self.out("sweep", *vary, "--format", "html")
        self.assertNotIn("Pareto", plain)
        self.assertNotIn("nine of ten", plain)
        self.assertEqual(broad(plain).count('r="5.0"'), 6)

    def test_all_inputs_are_on_the_page_with_defaults_together(self):
        text = self.out("run", "--format", "html").replace("<wbr>", "")
        inputs = text.split("<h2>Inputs")[1].split("</section>")[0]
        table, defaults = inputs.split(" defaults</h3>")
        for name in ("jobs[train].loader.workers", "storage[scratch].ost.count"):
            self.assertIn(name, table)
            self.assertNotIn(name, defaults)
        for name in ("jobs[train].loader.prefetch", "run.seed"):
            self.assertIn(name, defaults)
        self.assertEqual(defaults.count("<li>"), int(table.rsplit(">", 1)[1]))

    def test_a_plan_shows_its_candidates_and_the_design_it_found(self):
        page = Page(self.out("plan", "--format", "html"))
        self.assertEqual(page.of("h2")[0], "Designs simulated")
        self.assertIn("Where the time goes", page.of("h2"))


if __name__ == "__main__":
    program.main()
