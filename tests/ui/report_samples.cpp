#include "tests/ui/report_samples.hpp"

namespace stallcast::report::testing {

Prediction missed_target() {
  Prediction p;
  p.scenario_id = "llama-on-lustre";
  p.scenario_file = "llama.json";
  p.design_sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  p.verdict = Verdict::fail;
  p.metrics["job.train.gpu.utilization"] = {0.8712, "ratio", {{0.8691, 0.8733}}};
  p.metrics["job.train.step.time"] = {0.9, "s", {{0.89, 0.91}}};
  p.metrics["job.train.step.time.p99"] = {1.4, "s", {}};
  p.metrics["job.train.throughput.samples"] = {2048, "1/s", {}};
  p.metrics["job.train.checkpoint.size"] = {1e12, "B", {}};
  p.metrics["job.train.checkpoint.stall"] = {5.5, "s", {}};
  p.metrics["job.train.checkpoint.stall.max"] = {6, "s", {}};
  p.breakdown["train"] = {
      {"compute", 0.8712}, {"communication", 0.02}, {"data", 0.0401}, {"metadata", 0.0},
      {"cpu", 0.0},        {"checkpoint", 0.0607},  {"restart", 0.0}, {"sync", 0.008}};
  p.resources = {{"host.gpu.nic.read", "B/s", 4e11, 2e10, 0, 0.0},
                 {"storage.scratch.mdt", "1/s", 160e3, 8e3, 0, 0.05},
                 {"storage.scratch.oss.nic.write", "B/s", 100e9, 97e9, 100e9, 0.9}};
  p.bottlenecks = {{"storage.scratch.oss.nic.write", 0.97, 0.9,
                    "3 GB/s left of 100 GB/s on average, none while it is in use"},
                   {"storage.scratch.mdt", 0.05, 0.05, "152 kops/s left of 160 kops/s"}};
  p.assertions = {{"au", "job.train.gpu.utilization >= 95 %", 0.8712, "ratio", "fail", "error",
                   "storage.scratch.oss.nic.write", "the contract asks for it"},
                  {"stall", "job.train.checkpoint.stall < 6 s", 5.5, "s", "pass", "error", "", ""}};
  p.alternatives = {{"storage.scratch.oss.count 10 -> 13", 0.953, 0.0818, Verdict::pass, 0.3},
                    {"storage.scratch.mdt.count 2 -> 4", 0.8712, 0.0, Verdict::fail, 1.0}};
  p.warnings = {"the data set does not fit in the page cache: every epoch reads it again"};
  p.seeds = {1, 2, 3};
  p.simulated_s = 7200;
  p.wall_s = 0.25;
  p.events = 123456;
  return p;
}

Prediction drawn() {
  Prediction p = missed_target();
  const std::string utilization = "job.train.gpu.utilization", stall = "job.train.checkpoint.stall";
  p.assertions[0].metric = utilization, p.assertions[0].limit = 0.95;
  p.assertions[0].probability = 0.08;
  p.assertions[1].metric = stall, p.assertions[1].limit = 6.0;
  p.assertions[1].probability = 0.71;
  Uncertainty u;
  u.draws = 64;
  u.broken = 1;
  u.inputs = {{"storage[scratch].oss.nic",
               1,
               Dimension::rate,
               10e9,
               {.low = 7e9, .high = 10e9, .why = "a stated rate"},
               Source::Kind::scenario,
               "stallcast probe io"},
              {"storage[scratch].ost.service",
               2,
               Dimension::time,
               0.25e-3,
               {.low = 0.1e-3, .high = 1e-3, .why = ""},
               Source::Kind::default_value,
               ""}};
  u.metrics[utilization] = {.median = 0.86,
                            .all = {0.79, 0.93},
                            .half = {0.84, 0.89},
                            .inputs = {0.8, 0.925},
                            .seeds = {0.868, 0.874},
                            .model = 0.01,
                            .model_probed = 0.01,
                            .shares = {{0, 0.6, 0.64, {0.82, 0.905}}, {1, 0.3, 0.34, {0.8, 0.92}}},
                            .explained = 0.94};
  u.metrics[stall] = {.median = 5.6,
                      .all = {4.8, 8.1},
                      .half = {5.3, 6.2},
                      .inputs = {4.9, 8.0},
                      .seeds = {5.4, 5.6},
                      .model = 0.0,
                      .shares = {{0, 0.7, 0.72, {5.2, 7.0}}},
                      .explained = 0.9};
  for (const auto& [name, spread] : u.metrics) {
    p.metrics[name].median = spread.median;
    p.metrics[name].ci90 = {spread.all.low, spread.all.high};
  }
  p.uncertainty = u;
  return p;
}

Prediction nothing_to_gain() {
  Prediction p;
  p.scenario_id = "easy";
  p.design_sha256 = std::string(64, 'a');
  p.verdict = Verdict::none;
  p.metrics["job.train.gpu.utilization"] = {0.98, "ratio", {}};
  p.breakdown["train"] = {{"compute", 0.98}, {"sync", 0.02}};
  p.bottlenecks = {{"storage.scratch.ost", 0.01, 1.0, "99 GB/s left of 100 GB/s"}};
  p.alternatives = {{"storage.scratch.ost.count 48 -> 60", 0.98, 0.0, Verdict::none, 0.25}};
  p.seeds = {7};
  p.simulated_s = 60;
  p.events = 10;
  return p;
}

PlanResult found_plan() {
  PlanResult plan;
  plan.scenario_id = "llama-on-lustre";
  plan.scenario_file = "llama.json";
  plan.metric = "storage.scratch.osts.required";
  plan.noun = "OSTs";
  plan.owner = "storage scratch";
  plan.required = 51;
  plan.lower_bound = 50;
  plan.infinity = 4096;
  for (const std::int64_t n : {50, 51, 52, 4096}) {
    PlanPoint point;
    point.count = n;
    point.meets = n >= 51;
    point.utilization = n >= 51 ? 0.952 : 0.93;
    point.binding = n > 1000 ? "host.gpu.nic.write" : "storage.scratch.ost.write";
    point.binding_utilization = point.binding_load = 0.99;
    point.targets.push_back({"au", "job.train.gpu.utilization >= 95 %", point.utilization, 0.95,
                             "ratio", (point.utilization - 0.95) / 0.95,
                             point.meets ? "pass" : "fail"});
    plan.points.push_back(point);
  }
  plan.prediction = missed_target();
  return plan;
}

PlanResult infeasible_plan() {
  PlanResult plan = found_plan();
  plan.status = PlanStatus::infeasible;
  plan.required = 0;
  for (PlanPoint& point : plan.points) point.meets = false;
  return plan;
}

Explanation explanation() {
  using Kind = ExplainNode::Kind;
  const auto leaf = [](const char* name, const char* symbol, double value, const char* unit,
                       Kind kind) {
    ExplainNode node;
    node.name = name;
    node.symbol = symbol;
    node.value = value;
    node.unit = unit;
    node.kind = kind;
    return node;
  };
  ExplainNode size = leaf("jobs[train].checkpoint.size", "size", 2e12, "B", Kind::input);
  size.text = "2 TB";
  size.source = Source{Source::Kind::scenario, "llama.json:12:20", "", false};
  ExplainNode write = leaf("storage[scratch].ost.write", "ost_write", 4e9, "B/s", Kind::input);
  write.text = "4 GB/s";
  write.source = Source{Source::Kind::default_value, "default", "expert value", true};
  ExplainNode count = leaf("storage[scratch].ost.count", "ost_count", 50, "count", Kind::input);
  count.text = "50";
  count.source = Source{Source::Kind::scenario, "llama.json:14:20", "", false};
  ExplainNode flow =
      leaf("resource.storage.scratch.ost.capacity", "flow", 200e9, "B/s", Kind::derived);
  flow.equation = "ost_count * ost_write";
  flow.reference = "docs/models/lustre.md";
  flow.children = {count, write};
  ExplainNode save = leaf("job.train.checkpoint.save.bound", "save", 10.0, "s", Kind::derived);
  save.equation = "size / flow";
  save.reference = "docs/models/bounds.md, eq. 2";
  save.children = {size, flow};
  ExplainNode rest = leaf("rest", "rest", 0.1, "s", Kind::rest);
  rest.note = "queues, latencies, and sharing that the closed forms leave out";
  ExplainNode duration =
      leaf("job.train.checkpoint.duration", "duration", 10.1, "s", Kind::simulated);
  duration.equation = "save + rest";
  duration.reference = "docs/models/checkpoint.md";
  duration.note = "limited by storage.scratch.ost";
  duration.children = {save, rest};
  ExplainNode bandwidth =
      leaf("job.train.checkpoint.bandwidth", "", 2e12 / 10.1, "B/s", Kind::simulated);
  bandwidth.equation = "size / duration";
  bandwidth.reference = "docs/models/checkpoint.md";
  bandwidth.children = {size, duration};
  duration.symbol.clear();

  Explanation e;
  e.scenario_id = "llama-on-lustre";
  e.trees = {duration, bandwidth};
  e.bound = 0.97;
  e.bound_by = "storage.scratch.ost";
  e.prediction = missed_target();
  WhatIf more;
  more.change = "storage.scratch.ost.count 50 -> 63";
  more.set = "storage[scratch].ost.count=63";
  more.utilization = 0.97;
  more.gain = 0.04;
  more.relative_cost = 0.26;
  more.verdict = Verdict::pass;
  WhatIf less;
  less.kind = WhatIf::Kind::save;
  less.change = "storage.scratch.mdt.count 2 -> 1";
  less.set = "storage[scratch].mdt.count=1";
  less.utilization = 0.93;
  less.relative_cost = -0.5;
  less.verdict = Verdict::fail;
  less.missed = {{"au", 0.021}};
  e.what_ifs = {more, less};
  return e;
}

Diff worse_design() {
  Diff d;
  d.base.name = "main:llama.json";
  d.head.name = "llama.json";
  d.base.model = d.head.model = "1";
  d.base.prediction = d.head.prediction = missed_target();
  Prediction& was = d.base.prediction;
  was.verdict = Verdict::pass;
  was.design_sha256[0] = 'f';
  was.assertions[0].value = 0.952;
  was.assertions[0].status = "pass";
  was.breakdown["train"] = {{"compute", 1.0}};
  d.inputs_known = true;
  d.inputs = {
      {"params.n_oss",
       "10",
       "8",
       "main:llama.json:3:20",
       "llama.json:3:20",
       {{"storage[scratch].oss.count", "10", "8", "main:llama.json:9:20", "llama.json:9:20"},
        {"storage[scratch].ost.count", "80", "64", "main:llama.json:8:20", "llama.json:8:20"}}},
      {"storage[burst] and jobs[train].checkpoint.to",
       "none, scratch",
       "weka, burst",
       "main:llama.json:20:7",
       "llama.json:12:7",
       {{"storage[burst]", "", "weka", "", "llama.json:12:7"},
        {"jobs[train].checkpoint.to", "scratch", "burst", "main:llama.json:20:7",
         "llama.json:24:7"}},
       false,
       "jobs[train].checkpoint.to alone: no storage \"burst\""},
      {"expect[stall]", "", "job.train.checkpoint.stall < 6 s", "", "llama.json:40:7", {}, true}};
  d.patch = R"([{"op":"replace","path":"/storage/0/oss/count","value":8}])";
  d.metrics = {{"job.train.checkpoint.stall", "s", 3.2, 5.5, Effect::worse},
               {"job.train.gpu.utilization", "ratio", 0.952, 0.8712, Effect::worse},
               {"job.train.steps", "count", 8000, 7300, Effect::changed},
               {"job.train.step.time", "s", 0.9, 0.9, Effect::none}};
  d.come["resource.storage.burst.net.utilization"] = {0.4, "ratio", std::nullopt};
  d.attributed.method = Attribution::shapley;
  d.attributed.changes = {0, 1};
  d.attributed.designs = 4;
  d.attributed.metrics["job.train.gpu.utilization"] = {{-0.0608, -0.02}, {-0.05, -0.01}, -0.0208};
  d.attributed.metrics["job.train.checkpoint.stall"] = {{2.5, -0.2}, {2.5, -0.2}, 0.0};
  d.warnings = {"predicted with different seeds: part of the difference is chance"};
  return d;
}

ReportContext context() {
  return {"0.1.0", "1", {{"storage[scratch].ost.service", "0.25 ms", "expert value"}}};
}

}  // namespace stallcast::report::testing
