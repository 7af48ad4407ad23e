"use strict";
// Edits a scenario: problems by line and bounds while one types, the simulation on demand. What comes
// from a scenario is put in as text, never as HTML; the drawing of the system is taken from the pages
// that the server makes, and reports are shown in a frame of their own.

const at = (id) => document.getElementById(id);
const text = at("text"), lines = at("lines");
const START = `// Change anything: problems and bounds follow as you type.
{
  "id": "my-cluster",
  "cluster": { "hosts": [ { "id": "gpu", "count": 16, "use": "host/dgx-h100" } ] },
  "storage": [ {
    "id": "scratch", "type": "lustre",
    "ost": { "count": 16, "read": "4 GB/s", "write": "4 GB/s" },
    "oss": { "count": 4, "nic": "400 Gb/s" },
    "mdt": { "count": 2 }
  } ],
  "jobs": [ {
    "id": "train", "hosts": "gpu",
    "model": { "parameters": "70B" },
    "step": { "compute": "2 s" },
    "dataset": { "on": "scratch", "format": "webdataset", "shard": "1 GiB", "sample": "100 kB", "size": "20 TB" },
    "loader": { "type": "pytorch", "workers": 8, "prefetch": 4 },
    "checkpoint": { "to": "scratch", "every": "15 min", "mode": "async" }
  } ],
  "run": { "duration": "1 h", "replicas": 3 },
  "expect": [
    { "id": "busy", "that": "job.train.gpu.utilization >= 95 %" },
    { "id": "stall", "that": "job.train.checkpoint.stall.p99 < 10 s" }
  ]
}
`;

function element(tag, properties, ...children) {
  const out = Object.assign(document.createElement(tag), properties);
  out.append(...children);
  return out;
}

async function ask(method, path, body, signal) {
  const headers = {};
  if (at("token").value) headers.Authorization = "Bearer " + at("token").value;
  const answer = await fetch(path, { method, body, headers, signal });
  if (answer.status === 401) at("token-box").hidden = false;
  return answer;
}

// --- the editor ---

let shown = 0;
const bad = new Set();

function showLines() {
  const n = text.value.split("\n").length;
  if (n !== shown) {
    lines.replaceChildren(...Array.from({ length: n }, (_, i) => element("span", { textContent: i + 1 })));
    shown = n;
  }
  lines.childNodes.forEach((line, i) => line.classList.toggle("bad", bad.has(i + 1)));
  lines.scrollTop = text.scrollTop;
}

function goTo(line, column) {
  const before = text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  text.focus();
  text.setSelectionRange(before + Math.max(0, column - 1), before + Math.max(0, column - 1));
  text.scrollTop = Math.max(0, (line - 6) * parseFloat(getComputedStyle(text).lineHeight));
}

function showProblems(problem) {
  bad.clear();
  const list = at("problems");
  if (!problem) {
    list.replaceChildren(element("span", { className: "fine", textContent: "no problems" }));
  } else if (!problem.errors) {
    list.replaceChildren(element("span", { className: "fail", textContent: problem.detail || problem.title }));
  } else {
    list.replaceChildren(...problem.errors.map((e) => {
      bad.add(e.line);
      const item = element("button", { type: "button" }, `line ${e.line}: ${e.message}`);
      if (e.hint) item.append(element("small", { textContent: e.hint }));
      item.addEventListener("click", () => goTo(e.line, e.column));
      return item;
    }));
  }
  showLines();
}

// --- what bounds say ---

const SCALES = { B: ["B", "kB", "MB", "GB", "TB", "PB"], "B/s": ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"],
                 USD: ["USD", "kUSD", "MUSD"] };

function figure(value, unit) {
  if (unit === "ratio") return (100 * value).toFixed(1) + " %";
  if (SCALES[unit]) {
    let i = 0;
    for (; Math.abs(value) >= 1000 && i < SCALES[unit].length - 1; ++i) value /= 1000;
    return value.toPrecision(3) + " " + SCALES[unit][i];
  }
  const number = Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(+value.toPrecision(3));
  return unit && unit !== "count" ? number + " " + unit : number;
}

const LABELS = { "gpu.utilization": "GPU utilization, at most", "checkpoint.size": "checkpoint" };

// Figures as the page has them in its tables: "full after" of "Storage scratch", by metric.
function figuresOf(page) {
  const out = new Map();
  for (const row of page.querySelectorAll("td:nth-child(3) > .path")) {
    const [label, value, name] = [...row.closest("tr").cells].map((cell) => cell.textContent);
    let heading = row.closest("table");
    while (heading && heading.tagName !== "H3") heading = heading.previousElementSibling || heading.parentElement;
    if (heading) out.set(name, { label: heading.textContent + ": " + label, value });
  }
  return out;
}

// Paths may be broken behind their dots, and nowhere else.
function breakable(text) {
  return text.split(/(?<=\.)/).flatMap((part) => [part, element("wbr")]);
}

function tile(value, label, kind) {
  return element("div", { className: "tile" }, element("b", { className: kind || "" }, ...breakable(value)),
                 element("span", {}, ...breakable(label)));
}

// What a page of the server says: its data, and its drawing.
function pageOf(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  return { page, data: JSON.parse(page.getElementById("result")?.textContent || "{}") };
}

function showPicture(page) {
  const figure = page.getElementById("system");
  at("picture").replaceChildren(...(figure ? [document.importNode(figure, true)] : []));
  at("picture").classList.remove("old");
  fitPicture();
}

// From left to right where its letters can be read, else from top to bottom.
function fitPicture() {
  const broad = at("picture").querySelector(".broad");
  if (!broad) return;
  const size = 13 * at("picture").clientWidth / broad.viewBox.baseVal.width;
  at("picture").classList.toggle("narrow", size < 9.2);
}

const JUDGED = { pass: "holds", fail: "is missed", inconclusive: "too close to call" };

// Of an estimate all that bounds say; of a simulation what was asked for: the report has the rest.
function showTiles(result, simulated, figures = new Map()) {
  const tiles = [];
  simulatedText = simulated ? text.value : null;
  at("system-line").textContent = result.system || "";
  at("method").textContent = simulated ? "Simulation" : "Estimate";
  at("method-note").textContent = simulated ? "as in the report below" : "what bounds say as you type";
  // Utilization first: it is what everything is about.
  const order = ([a], [b]) => b.endsWith("utilization") - a.endsWith("utilization");
  for (const [name, metric] of Object.entries(result.metrics).sort(order)) {
    const [, job, rest] = name.match(/^job\.([^.]+)\.(.*)$/) || [null, "", name];
    if (simulated && rest !== "gpu.utilization") continue;
    const known = figures.get(name) || { label: simulated ? "GPU utilization" : LABELS[rest] || rest };
    tiles.push(tile(known.value || figure(metric.value, metric.unit), known.label + (job ? " (" + job + ")" : "")));
  }
  if (result.limit?.resource) {
    const limit = tile(result.limit.label, simulated ? "limits it" : "sets the bound");
    limit.title = result.limit.resource;
    tiles.push(limit);
  }
  for (const a of result.assertions) {
    const judged = a.status === "inconclusive" && !simulated ? "simulate to tell" : JUDGED[a.status] || a.status;
    const target = tile(judged, a.text || a.that, a.status);
    target.title = a.that;
    tiles.push(target);
  }
  at("tiles").replaceChildren(...tiles);
  at("tiles").classList.remove("old");
}

// What is on screen of another text than the one in the editor: the report, and its first lines.
let simulatedText = null, reportedText = null;

function markOld() {
  const old = reportedText !== null && reportedText !== text.value;
  for (const id of ["said", "report"]) at(id).classList.toggle("old", old);
  at("stale").hidden = !old;
}

let timer = 0, pending = null;

function changed() {
  showLines();
  for (const id of ["tiles", "picture"]) at(id).classList.add("old");
  markOld();
  clearTimeout(timer);
  timer = setTimeout(estimate, 150);
}

async function estimate() {
  if (pending) pending.abort();
  const mine = pending = new AbortController();
  try {
    const answer = await ask("POST", "v1/estimate?format=html", text.value, mine.signal);
    const found = answer.ok ? pageOf(await answer.text()) : await answer.json();
    if (mine.signal.aborted) return;
    for (const id of ACTIONS) at(id).disabled = !answer.ok;
    at("compare").disabled = !answer.ok || kept === null;
    showProblems(answer.ok ? null : found);
    if (!answer.ok) return;
    // A simulation of the same text that came first says more.
    if (simulatedText === text.value) {
      for (const id of ["tiles", "picture"]) at(id).classList.remove("old");
      return;
    }
    showTiles(found.data, false, figuresOf(found.page));
    showPicture(found.page);
  } catch (error) {
    if (error.name !== "AbortError") showProblems({ detail: "the server does not answer" });
  }
}

// --- simulation ---

const ACTIONS = ["run", "plan", "explain", "check", "keep"];
let current = "", kept = null, shownRun = null;

function busy(path) {
  current = path;
  at("cancel").hidden = at("progress").hidden = !path;
}

function refused(problem) {
  busy("");
  reportedText = text.value;
  markOld();
  at("state").textContent = "";
  at("report").replaceChildren(element("p", { className: "fail", textContent: problem.detail || problem.title }),
                               element("p", { textContent: problem.hint || "" }));
  if (problem.errors) showProblems(problem);
}

async function simulate(route, body = text.value) {
  if (current) await cancel();
  const asked = text.value;
  at("state").textContent = "sent";
  at("hand").hidden = true;
  at("said").replaceChildren();
  try {
    const answer = await ask("POST", route, body);
    const run = await answer.json();
    if (!answer.ok) return refused(run);
    busy(run.links.self);
    await follow(run, asked);
  } catch (error) {
    refused({ detail: "the server does not answer" });
  }
}

async function follow(run, asked) {
  const path = run.links.self;
  for (let pause = 100; run.state === "queued" || run.state === "running"; pause = Math.min(1000, pause * 1.3)) {
    at("state").textContent = run.state === "queued" ? "waiting for its turn" : "simulating";
    at("progress").value = run.progress;
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (current !== path) return;
    const answer = await ask("GET", path);
    run = await answer.json();
    if (!answer.ok) return refused(run);
  }
  busy("");
  at("state").textContent = run.state;
  if (run.state === "cancelled") return;
  const answer = await ask("GET", run.links.report);
  if (!answer.ok) return refused(await answer.json());
  const report = await answer.text();
  showReport(run, report, asked);
  const found = await simulated(run, pageOf(report));
  if (!found || asked !== text.value) return;
  showTiles(found.result, true);
  showPicture(found.page);
}

// What a report says of the very text that was sent, and of no other design: null of plans and comparisons.
async function simulated(run, { page, data }) {
  if (run.kind === "run") return { page, result: data };
  if (run.kind === "explain") return data.result && { page, result: data.result };
  if (run.kind !== "check") return null;
  const answer = await ask("GET", run.links.result);
  return answer.ok ? { page, result: (await answer.json()).scenarios[0] } : null;
}

// The report in a frame, and above it its first lines and its drawing, as it has them.
function showReport(run, report, asked) {
  const { page } = pageOf(report);
  const said = ["verdict", "limit", "advice"].map((name) => page.querySelector("p." + name))
    .filter((p) => p !== null).map((p) => element("p", { className: p.className, textContent: p.textContent }));
  if (!said.length) said.push(element("p", { textContent: page.querySelector("h1")?.textContent || "" }));
  at("said").replaceChildren(...said);
  const word = page.querySelector("p.verdict span");
  if (word) said[0].classList.add(word.className);
  const frame = element("iframe", { title: "Report", srcdoc: report });
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  at("report").replaceChildren(frame);
  shownRun = { run, report };
  at("open").href = run.links.report;
  at("open").hidden = !!at("token").value;
  at("save-slide").hidden = !run.links.slide;
  at("hand").hidden = false;
  reportedText = asked;
  markOld();
}

async function cancel() {
  const path = current;
  busy("");
  at("state").textContent = "cancelled";
  if (path) await ask("DELETE", path);
}

function download(content, type, name) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

async function saveSlide() {
  const answer = await ask("GET", shownRun.run.links.slide);
  if (!answer.ok) return refused(await answer.json());
  download(await answer.text(), "text/html", "slide.html");
  at("state").textContent = "slide.html is saved";
}

function keep() {
  kept = text.value;
  at("compare").disabled = false;
  at("state").textContent = "kept: change the scenario, then compare";
}

// --- wiring ---

text.addEventListener("input", changed);
text.addEventListener("scroll", () => { lines.scrollTop = text.scrollTop; });
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) simulate("v1/runs");
});
at("token").addEventListener("change", estimate);
at("run").addEventListener("click", () => simulate("v1/runs"));
at("plan").addEventListener("click", () => simulate("v1/plan"));
at("explain").addEventListener("click", () => simulate("v1/explain"));
at("check").addEventListener("click", () => simulate("v1/check"));
at("keep").addEventListener("click", keep);
at("compare").addEventListener("click",
                               () => simulate("v1/compare", JSON.stringify({ designs: { kept, now: text.value } })));
at("save-report").addEventListener("click", () => {
  download(shownRun.report, "text/html", "report.html");
  at("state").textContent = "report.html is saved";
});
at("save-slide").addEventListener("click", saveSlide);
addEventListener("resize", fitPicture);
at("cancel").addEventListener("click", cancel);
at("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  text.value = await file.text();
  changed();
});
at("save").addEventListener("click", () => download(text.value, "application/json", "scenario.json"));
text.value = START;
changed();
if (location.hash === "#simulate") simulate("v1/runs");
