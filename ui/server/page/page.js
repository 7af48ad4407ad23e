"use strict";
// Edits a scenario: problems by line and bounds while one types, the simulation on demand. What comes
// from a scenario is put in as text, never as HTML; the report is in a frame without scripts.

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
  text.scrollTop = Math.max(0, (line - 6) * 19.5);
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

function tile(value, label, kind) {
  return element("div", { className: "tile" }, element("b", { className: kind || "", textContent: value }),
                 element("span", { textContent: label }));
}

function showEstimate(result) {
  const tiles = [];
  // Utilization first: it is what everything is about.
  const order = ([a], [b]) => b.endsWith("utilization") - a.endsWith("utilization");
  for (const [name, metric] of Object.entries(result.metrics).sort(order)) {
    const [, job, rest] = name.match(/^job\.([^.]+)\.(.*)$/) || [null, "", name];
    tiles.push(tile(figure(metric.value, metric.unit), (LABELS[rest] || rest) + (job ? " (" + job + ")" : "")));
  }
  if (result.limit.resource) {
    const limit = tile(result.limit.label, "sets the bound");
    limit.title = result.limit.resource;
    tiles.push(limit);
  }
  for (const a of result.assertions)
    tiles.push(tile({ pass: "holds", fail: "is missed", inconclusive: "simulate to tell" }[a.status] || a.status,
                    a.that, a.status));
  at("tiles").replaceChildren(...tiles);
}

let timer = 0, pending = null;

function changed() {
  showLines();
  at("tiles").classList.add("old");
  clearTimeout(timer);
  timer = setTimeout(estimate, 150);
}

async function estimate() {
  if (pending) pending.abort();
  const mine = pending = new AbortController();
  try {
    const answer = await ask("POST", "v1/estimate", text.value, mine.signal);
    const found = await answer.json();
    if (mine.signal.aborted) return;
    at("run").disabled = at("plan").disabled = !answer.ok;
    showProblems(answer.ok ? null : found);
    if (!answer.ok) return;
    showEstimate(found);
    at("tiles").classList.remove("old");
  } catch (error) {
    if (error.name !== "AbortError") showProblems({ detail: "the server does not answer" });
  }
}

// --- simulation ---

let current = "";

function busy(path) {
  current = path;
  at("cancel").hidden = at("progress").hidden = !path;
}

function refused(problem) {
  busy("");
  at("state").textContent = "";
  at("report").replaceChildren(element("p", { className: "fail", textContent: problem.detail || problem.title }),
                               element("p", { textContent: problem.hint || "" }));
  if (problem.errors) showProblems(problem);
}

async function simulate(route) {
  if (current) await cancel();
  at("state").textContent = "sent";
  at("open").hidden = true;
  try {
    const answer = await ask("POST", route, text.value);
    const run = await answer.json();
    if (!answer.ok) return refused(run);
    busy(run.links.self);
    await follow(run);
  } catch (error) {
    refused({ detail: "the server does not answer" });
  }
}

async function follow(run) {
  const path = run.links.self;
  for (let pause = 100; run.state === "queued" || run.state === "running"; pause = Math.min(1000, pause * 1.3)) {
    at("state").textContent = run.state;
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
  const page = await answer.text();
  const frame = element("iframe", { title: "Report", srcdoc: page });
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  at("report").replaceChildren(frame);
  at("open").href = run.links.report;
  at("open").hidden = !!at("token").value;
}

async function cancel() {
  const path = current;
  busy("");
  at("state").textContent = "cancelled";
  if (path) await ask("DELETE", path);
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
at("cancel").addEventListener("click", cancel);
at("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  text.value = await file.text();
  changed();
});
at("save").addEventListener("click", () => {
  const url = URL.createObjectURL(new Blob([text.value], { type: "application/json" }));
  element("a", { href: url, download: "scenario.json" }).click();
  URL.revokeObjectURL(url);
});
text.value = START;
changed();
if (location.hash === "#simulate") simulate("v1/runs");
