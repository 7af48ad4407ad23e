#!/usr/bin/env python3
"""Makes the pictures of the documentation, so that none goes stale.

Usage: docs/pictures.py STALLCAST [--check] [--only NAME] [--pages] [--explorer EXPLORER | --screens FOLDER]

Drawings of systems (SVG) are cut out of the page that `stallcast run --format html` makes of a scenario, readable in
light and dark. --check makes them anew and compares them byte by byte with those that are committed. With --pages,
Chromium photographs the pages that are shown as such; with --explorer, the explorer photographs its screens. Of
photographs --check compares the size, and roughly what is on them, since fonts differ. Without --check, files are
written. --only does those whose path has NAME in it.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = "scenarios/library/"
EXAMPLES = "examples/"

# Pages of docs/models, and the scenario whose system opens them.
MODELS = {
    "beegfs": LIBRARY + "beegfs-sync-ckpt.json",
    "blame": EXAMPLES + "slow-volumes.json",
    "bounds": EXAMPLES + "exercise-512-h100-async.json",
    "burst-credits": LIBRARY + "gp2-credits.json",
    "cache": LIBRARY + "cache-over-s3.json",
    "capacity": LIBRARY + "ingest-to-archive.json",
    "cephfs": LIBRARY + "cephfs-imagenet.json",
    "checkpoint": LIBRARY + "tiered-saves.json",
    "chunkstore": LIBRARY + "chunkstore-ckpt.json",
    "communication": LIBRARY + "llm-converged-fabric.json",
    "compute": LIBRARY + "llm-step-from-flops.json",
    "cost": LIBRARY + "llm-costs.json",
    "cxl": LIBRARY + "cxl-pool-images.json",
    "daos": LIBRARY + "daos-ckpt.json",
    "dataloader": LIBRARY + "vision-raw-files.json",
    "elastic": LIBRARY + "elastic-day-night.json",
    "failures": LIBRARY + "oss-failover.json",
    "fast-forward": LIBRARY + "llm-sync-ckpt.json",
    "folding": LIBRARY + "llama-16k-failures.json",
    "formats": LIBRARY + "tfrecord-tfdata.json",
    "gpfs": LIBRARY + "gpfs-llm-ckpt.json",
    "growth": LIBRARY + "growing-images.json",
    "hdfs": LIBRARY + "hdfs-llm-ckpt.json",
    "host": LIBRARY + "gds-saves.json",
    "inference": LIBRARY + "kv-cache-offload.json",
    "laws": LIBRARY + "nfs-baseline.json",
    "local": LIBRARY + "vision-local-nvme.json",
    "lustre": LIBRARY + "llm-async-ckpt.json",
    "measured": LIBRARY + "cloud-volume-images.json",
    "network": LIBRARY + "dragonfly-science.json",
    "nfs": LIBRARY + "smb-filer-images.json",
    "nvmeof": LIBRARY + "nvmeof-unet3d.json",
    "power": LIBRARY + "power-limited-room.json",
    "priors": EXAMPLES + "unet3d-h100-ddn.json",
    "replay": LIBRARY + "storage-acceptance.json",
    "s3": LIBRARY + "minio-webdataset.json",
    "san": LIBRARY + "iscsi-volumes.json",
    "stages": LIBRARY + "prefetch-tier.json",
    "storage": LIBRARY + "two-tier-dataset.json",
    "tenants": LIBRARY + "noisy-neighbour.json",
    "training": LIBRARY + "mlperf-unet3d.json",
    "uncertainty": EXAMPLES + "unet3d-h100-ddn.json",
    "wear": LIBRARY + "worn-drives.json",
    "weka": LIBRARY + "weka-unet3d.json",
    "whole-run": LIBRARY + "llama-405b-days.json",
}

# Other drawings: where they are, the scenario, and options of `run`. FIT is a profile of fio's files.
FIT = "fit of examples/fio"
TUTORIAL = "docs/tutorial/images/"
SYSTEMS = {
    "docs/images/system.svg": [EXAMPLES + "exercise-512-h100-async.json"],
    TUTORIAL + "size-a-lustre.svg": [EXAMPLES + "lustre-512-gpus.json"],
    TUTORIAL + "explain-a-slow-run.svg": [EXAMPLES + "slow-volumes.json"],
    TUTORIAL + "ci-check.svg": [EXAMPLES + "lustre-512-gpus.json", "--set", "params.boxes.value=4"],
    TUTORIAL + "calibrate-with-a-run.svg": [EXAMPLES + "slow-volumes.json", "--set",
                                            "storage.filer.client.nconnect=4"],
    TUTORIAL + "calibrate-with-fio.svg": [EXAMPLES + "fio/measured-volume.json", "--profile", FIT],
    TUTORIAL + "from-script-to-purchase.svg": [EXAMPLES + "loop/loop.json", "--profile",
                                               EXAMPLES + "loop/here.profile.json"],
}
for page, scenario in MODELS.items():
    SYSTEMS[f"docs/models/images/{page}.svg"] = [scenario]
SYSTEMS["docs/models/images/observed-job.svg"] = SYSTEMS[TUTORIAL + "from-script-to-purchase.svg"]

# Photographs of pages: the scenario and the size of the window.
PAGES = {TUTORIAL + "report.png": (EXAMPLES + "lustre-512-gpus.json", 1100, 860)}

# Screens of the explorer, by the names that docs/tutorial/tour-steps.json gives them.
SCREENS = ["bottleneck", "checks", "interaction", "overview", "scenario", "sensitivity", "side-by-side", "sweep",
           "timeline", "whatif"]

# The letters and lines of the page, on paper of its own: an image knows nothing of the page around it.
STYLE = """:root{--ink:#1c2430;--soft:#555f6b;--line:#d7dce2;--page:#fff;--tile:#f5f7f9;--bar:#3b6ea8;--empty:#e4e8ed;
--bad:#a3161a}
@media(prefers-color-scheme:dark){:root{--ink:#e3e7ec;--soft:#9aa5b1;--line:#38414b;--page:#14181d;--tile:#1d232a;
--bar:#6aa0dc;--empty:#2b333c;--bad:#ff8a86}}
text{font:13px system-ui,"DejaVu Sans",sans-serif;fill:var(--ink)}.paper{fill:var(--page)}.box{fill:var(--tile);
stroke:var(--line)}.wire{fill:none;stroke:var(--line)}.at-limit{stroke:var(--bad);stroke-width:2}
.name{font-weight:600}.soft{fill:var(--soft)}.limit{fill:var(--bad);font-weight:600}"""
EDGE = 8
FIRST_SCREEN = 12  # lines of Markdown


def page_of(stallcast, scenario, *options, draws="0"):
    """The HTML page of one run, of one replica."""
    with tempfile.TemporaryDirectory() as folder:
        if FIT in options:
            fit = str(pathlib.Path(folder) / "fit.profile.json")
            subprocess.run([stallcast, "calibrate", "examples/fio/randread.json", "examples/fio/write.json", "--id",
                            "volume", "-o", fit], cwd=ROOT, capture_output=True, check=True)
            options = [fit if option == FIT else option for option in options]
        run = subprocess.run([stallcast, "run", scenario, "--replicas", "1", "--draws", draws, "--quiet", "--format",
                              "html", *options], cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{scenario}: exit {run.returncode}: {run.stderr.strip()}")
    return run.stdout


def drawn_page_of(stallcast, scenario, *options):
    """A page with the system of one run. A comparison, here with itself, draws it as a run does and tries no changes."""
    if options:
        return page_of(stallcast, scenario, *options)
    compared = subprocess.run([stallcast, "compare", scenario, scenario, "--replicas", "1", "--draws", "0", "--quiet",
                               "--format", "html"], cwd=ROOT, capture_output=True, text=True, check=False)
    if compared.returncode not in (0, 1):
        raise SystemExit(f"{scenario}: exit {compared.returncode}: {compared.stderr.strip()}")
    return compared.stdout


def system_of(page):
    """The drawing of the system in a page, as a file of its own."""
    found = re.search(r'<figure id="system">.*?<svg[^>]*class="system broad"[^>]*?aria-label="([^"]*)"[^>]*?'
                      r'viewBox="0 0 (\d+) (\d+)"[^>]*>(.*?)</svg>', page, re.DOTALL)
    if found is None:
        raise SystemExit("the page has no drawing of the system")
    label, width, height, content = found.groups()
    width, height = int(width) + 2 * EDGE, int(height) + 2 * EDGE
    content = re.sub(r"<title>.*?</title>", "", content, flags=re.DOTALL)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" width="{width}" height="{height}" '
            f'viewBox="{-EDGE} {-EDGE} {width} {height}">\n<style>\n{STYLE}\n</style>\n'
            f'<rect class="paper" x="{-EDGE}" y="{-EDGE}" width="{width}" height="{height}" rx="6"/>\n{content}</svg>\n')


def photograph(stallcast, scenario, width, height, to):
    """A page as Chromium shows it; False where there is none."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        page.write_text(page_of(stallcast, scenario, draws="64"), encoding="utf-8")
        subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                        f"--user-data-dir={folder}/profile", f"--window-size={width},{height}",
                        f"--screenshot={to}", page.as_uri()], check=True, capture_output=True, timeout=120)
    return True


def explore(explorer, folder):
    """All screens that the tour shows, in a folder."""
    subprocess.run([explorer, "--script", "docs/tutorial/tour-steps.json", "--screenshots", str(folder)], check=True,
                   cwd=ROOT, capture_output=True, timeout=300, env={"PATH": "/usr/bin:/bin",
                                                                    "QT_QPA_PLATFORM": "offscreen", "HOME": str(folder)})


def alike(one, other):
    """Whether two PNG files have one size and look alike from afar: small grey copies of them."""
    size = lambda file: file.read_bytes()[16:24]  # width and height, at the head of the format
    if size(one) != size(other):
        return False
    try:
        from PIL import Image
    except ImportError:
        return True
    small = [Image.open(file).convert("L").resize((32, 32), Image.Resampling.BOX).tobytes() for file in (one, other)]
    return sum(abs(a - b) for a, b in zip(*small)) / len(small[0]) < 12


class Pictures:
    def __init__(self, check, only):
        self.check, self.only, self.stale, self.made = check, only, [], 0

    def wanted(self, path):
        return self.only in path

    def text(self, path, content):
        file = ROOT / path
        self.made += 1
        if not self.check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != content:
            self.stale.append(path)

    def photo(self, path, new):
        file = ROOT / path
        self.made += 1
        if not self.check:
            shutil.copyfile(new, file)
        elif not file.exists() or not alike(file, new):
            self.stale.append(path)


def without_picture():
    """Pages that show no picture within their first screen."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorial").glob("*.md")),
             *sorted((ROOT / "docs" / "models").glob("*.md"))]
    for page in pages:
        if page.parent.name == "models" and page.stem == "README":
            continue
        first = "\n".join(page.read_text(encoding="utf-8").splitlines()[:FIRST_SCREEN])
        shown = re.findall(r'!\[[^\]]+\]\(([^)]+)\)|<img src="([^"]+)"', first)
        if not any((page.parent / (a or b)).exists() for a, b in shown):
            yield str(page.relative_to(ROOT))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("stallcast")
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--pages", action="store_true")
    arguments.add_argument("--explorer")
    arguments.add_argument("--screens", type=pathlib.Path)
    args = arguments.parse_args()
    args.stallcast = str(pathlib.Path(args.stallcast).resolve())
    pictures, drawn = Pictures(args.check, args.only), {}
    for path, of in SYSTEMS.items():
        if not pictures.wanted(path):
            continue
        if tuple(of) not in drawn:
            drawn[tuple(of)] = system_of(drawn_page_of(args.stallcast, *of))
        pictures.text(path, drawn[tuple(of)])
    with tempfile.TemporaryDirectory() as folder:
        new = pathlib.Path(folder) / "new.png"
        for path, (scenario, width, height) in PAGES.items():
            if args.pages and pictures.wanted(path) and photograph(args.stallcast, scenario, width, height, new):
                pictures.photo(path, new)
        screens = args.screens
        if args.explorer:
            screens = pathlib.Path(folder)
            explore(args.explorer, screens)
        for name in SCREENS if screens else ():
            path = f"{TUTORIAL}{name}.png"
            if pictures.wanted(path):
                pictures.photo(path, screens / f"{name}.png")
    bare = list(without_picture())
    for page in bare:
        print(f"{page}: no picture within its first {FIRST_SCREEN} lines")
    for path in pictures.stale:
        print(f"{path}: not what is made now; look at it, then run docs/pictures.py without --check")
    print(f"{pictures.made} pictures, {len(pictures.stale)} stale")
    return 1 if bare or pictures.stale or not pictures.made else 0


if __name__ == "__main__":
    sys.exit(main())
