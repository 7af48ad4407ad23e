#include "engine/decide/explain/account.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/decide/explain/explain.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::explain {
namespace {

constexpr const char* kTraining = "docs/models/training.md";

}  // namespace

Account::Account(const RunResult& run, Forms& forms, const std::string& metric)
    : run_(run), forms_(forms), metric_(metric) {
  const metric::Name name = metric::parse(metric);
  if (name.domain != metric::Domain::job || name.figure.empty()) return;
  job_ = metric::of_job(name.id);
  key_ = metric.substr(job_.size());
}

ExplainNode Account::take_apart() {
  const std::string_view before = forms_.prefer("");
  forms_.prefer(key_.starts_with("checkpoint.") ? "write" : before);
  ExplainNode node = read(metric_);
  if (!job_.empty() && has(job_ + "time.wall")) explain_job(node);
  if (metric_ == metric::kGpuIdleCost) explain_idle_cost(node);
  if (metric_ == metric::kUsefulGpuHour) explain_useful_cost(node);
  if (metric_ == metric::of_cost("requests")) explain_requests(node);
  if (metric_.ends_with(".link.price")) explain_egress(node);
  if (metric_.ends_with(".hit")) explain_hits(node);
  if (metric_ == metric::kPipelineTime) explain_pipeline(node);
  explain_power(node);
  if (job_.empty() && metric::parse(metric_).domain == metric::Domain::resource)
    explain_resource(node);
  prefer_closed_form(node);
  if (node.equation.empty() && node.note.empty())
    node.note = "as measured in the run; its parts are not kept";
  add_limit(node);
  forms_.prefer(before);
  return node;
}

void Account::prefer_closed_form(ExplainNode& node) {
  const models::Derivation* same = forms_.find(metric_);
  const double measured = metric::to_base(node.value, node.unit);
  if (!node.equation.empty() || same == nullptr ||
      std::abs(same->value - measured) > kExact * std::abs(measured))
    return;
  const std::string unit = node.value == measured ? node.unit : "";
  node = forms_.tree(metric_);
  if (!unit.empty()) node.unit = unit;  // "117 U": no dimension tells these from numbers
}

double Account::value(const std::string& name) const { return figure_or_zero(run_.metrics, name); }

ExplainNode Account::read(const std::string& name, std::string symbol, std::string note) const {
  const auto found = run_.metrics.find(name);
  ExplainNode node =
      simulated(name, value(name), found == run_.metrics.end() ? "s" : found->second.unit, note);
  node.symbol = std::move(symbol);
  return node;
}

void Account::add_rest(ExplainNode& node, double left, std::string note) {
  ExplainNode child;
  child.name = "rest";
  child.symbol = "rest";
  child.value = left;
  child.unit = node.unit;
  child.kind = ExplainNode::Kind::rest;
  child.note = std::move(note);
  node.equation += " + rest";
  node.children.push_back(std::move(child));
}

void Account::add_form(ExplainNode& node, const std::string& name, std::string symbol,
                       std::string note) {
  if (!forms_.known(name)) return;
  ExplainNode child = forms_.tree(name);
  child.symbol = std::move(symbol);
  if (!note.empty()) child.note = std::move(note);
  node.children.push_back(std::move(child));
}

void Account::add_limit(ExplainNode& node) const {
  const auto found = run_.limited_by.find(metric_);
  if (found == run_.limited_by.end()) return;
  // Of times a run knows what was waited for; what limits them is what would change them.
  const metric::Domain domain = metric::parse(metric_).domain;
  const bool waits = domain == metric::Domain::job || domain == metric::Domain::tenant ||
                     domain == metric::Domain::stage;
  node.note += (node.note.empty() ? "" : "; ") +
               std::string(waits ? "waits most for " : "limited by ") + found->second;
}

void Account::explain_job(ExplainNode& node) {
  if (key_ == "gpu.utilization" || key_ == "goodput") return explain_utilization(node);
  if (key_ == "step.time") return explain_step(node);
  for (const char* cause : {"data", "metadata", "cpu"})
    if (key_ == std::string("stall.") + cause) {
      divide(node, "waited", read_time(cause), "wall", explain_wall(), kTraining);
      return;
    }
  if (key_ == "checkpoint.overhead")
    divide(node, "stalled", explain_saving(), "wall", explain_wall(), kSavesPage);
  else if (key_ == "checkpoint.stall")
    explain_stall(node);
  else if (key_ == "checkpoint.duration")
    explain_duration(node);
  else if (key_ == "restore.duration")
    explain_restore(node);
  else if (key_ == "checkpoint.bandwidth")
    explain_bandwidth(node);
  else if (key_ == "checkpoint.size")
    node = prefer_form(key_, std::move(node));
  else if (key_ == "throughput.samples")
    explain_samples(node);
  else if (key_ == "throughput.bytes")
    explain_bytes(node);
  else if (key_ == "startup")
    explain_startup(node);
  else if (key_.starts_with("run."))
    explain_run(node);
  else if (key_ == "checkpoint.best_interval")
    explain_best_interval(node);
  else if (key_ == "checkpoint.best_interval.young")
    explain_young(node);
  else if (key_ == "checkpoint.best_interval.daly")
    explain_daly(node);
  else
    explain_histories(node);
}

// Increments move less than the whole state.
void Account::explain_bandwidth(ExplainNode& node) {
  const double moved = node.value * value(job_ + "checkpoint.duration");
  ExplainNode size = read(job_ + "checkpoint.size");
  const bool whole = std::abs(moved - size.value) <= 1e-9 * size.value;
  ExplainNode above = whole ? prefer_form("checkpoint.size", std::move(size))
                            : simulated(job_ + "checkpoint.moved", moved, size.unit,
                                        "by a save on average: increments move a part");
  divide(node, whole ? "size" : "moved", std::move(above), "duration",
         Account(run_, forms_, job_ + "checkpoint.duration").take_apart(), kSavesPage);
}

ExplainNode Account::prefer_form(const std::string& key, ExplainNode measured) {
  const models::Derivation* form = forms_.find(job_ + key);
  if (form == nullptr || std::abs(form->value - measured.value) > 1e-9 * measured.value)
    return measured;
  return forms_.tree(form->name);
}

void Account::divide(ExplainNode& node, const char* above, ExplainNode numerator, const char* below,
                     ExplainNode denominator, const char* reference) {
  numerator.symbol = above;
  denominator.symbol = below;
  node.equation = std::string(above) + " / " + below;
  node.reference = reference;
  node.children.insert(node.children.begin(), {std::move(numerator), std::move(denominator)});
}

ExplainNode Account::read_time(const std::string& cause) const {
  return read(job_ + "time." + cause);
}

ExplainNode Account::explain_compute() {
  ExplainNode node = read_time("compute");
  node.reference = kTraining;
  const double steps = value(job_ + "steps");
  if (steps <= 0.0) return node;
  ExplainNode each = simulated(job_ + "step.compute.mean", node.value / steps, "s",
                               "useful compute of a step on average");
  each.symbol = "compute";
  add_form(each, job_ + "step.compute", "", "as the design gives it");
  node.equation = "steps * compute";
  node.children = {read(job_ + "steps", "steps", "made in the run"), std::move(each)};
  return node;
}

ExplainNode Account::explain_wall() {
  ExplainNode node = read(job_ + "time.wall");
  node.reference = kTraining;
  double sum = 0.0;
  constexpr std::array kParts = {"compute", "communication", "data", "metadata",
                                 "cpu",     "checkpoint",    "sync", "restart"};
  for (const char* part : kParts) {
    const double seconds = value(job_ + "time." + part);
    sum += seconds;
    if (seconds == 0.0) continue;
    node.equation += (node.equation.empty() ? "" : " + ") + std::string(part);
    ExplainNode child = std::string_view(part) == "checkpoint" ? explain_saving() : read_time(part);
    child.symbol = part;
    node.children.push_back(std::move(child));
  }
  if (const double left = node.value - sum; std::abs(left) > kRounding * node.value)
    add_rest(node, left, "between steps");
  node.children.push_back(explain_waits());
  return node;
}

ExplainNode Account::explain_waits() {
  ExplainNode node =
      simulated(job_ + "waited", value(job_ + "time.wall") - value(job_ + "time.compute"), "s",
                "wall less compute, by the resource that was waited for");
  node.reference = kTraining;
  std::vector<std::pair<double, std::string>> by;
  const std::string stem = job_ + "waited.";
  double sum = 0.0;
  for (auto it = run_.metrics.lower_bound(stem);
       it != run_.metrics.end() && it->first.starts_with(stem); ++it) {
    by.emplace_back(it->second.value, it->first.substr(stem.size()));
    sum += it->second.value;
  }
  std::stable_sort(by.begin(), by.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [seconds, resource] : by) {
    const std::string symbol = "w" + std::to_string(node.children.size() + 1);
    node.equation += (node.children.empty() ? "" : " + ") + symbol;
    ExplainNode child = simulated(stem + resource, seconds, "s");
    child.symbol = symbol;
    const std::string use = metric::of_resource(resource, "utilization");
    if (has(use)) child.children.push_back(Account(run_, forms_, use).take_apart());
    node.children.push_back(std::move(child));
  }
  if (by.empty())
    node.note += ": the run blames none";
  else if (const double left = node.value - sum; std::abs(left) > kRounding * node.value)
    add_rest(node, left, "at the barrier for the slowest rank, and other waits without a resource");
  return node;
}

void Account::explain_utilization(ExplainNode& node) {
  const double plain_share = value(job_ + "time.compute") / value(job_ + "time.wall");
  if (std::abs(node.value - plain_share) <= 1e-9) {
    divide(node, "compute", explain_compute(), "wall", explain_wall(), kTraining);
  } else {
    explain_months(node);
  }
  add_bound(node);
}

void Account::explain_months(ExplainNode& node) {
  const auto shares = run_.breakdown.find(job_.substr(4, job_.size() - 5));
  if (shares == run_.breakdown.end()) return;
  node.reference = "docs/models/failures.md";
  double left = 1.0;
  node.equation = "1";
  for (const auto& [cause, share] : shares->second) {
    if (cause == "compute" || share == 0.0) continue;
    ExplainNode child =
        simulated(job_ + "share." + cause, share, "ratio", "share of the time over months");
    child.symbol = cause;
    node.equation += " - " + cause;
    left -= share;
    if (cause == "restart") explain_restarts(child);
    node.children.push_back(std::move(child));
  }
  if (const double more = node.value - left; std::abs(more) > 1e-12)
    add_rest(node, more, "compute that failures undid: GPUs were busy with it");
  ExplainNode run = explain_wall();
  run.note = "of the run itself, without failures";
  node.children.push_back(std::move(run));
}

void Account::explain_restarts(ExplainNode& node) {
  double sum = 0.0;
  for (const char* part : {"lost", "restart", "waiting"}) {
    const std::string name = job_ + "failures." + part + ".share";
    if (!has(name)) continue;
    node.equation += (node.equation.empty() ? "" : " + ") + std::string(part);
    node.children.push_back(read(name, part));
    sum += value(name);
  }
  if (node.equation.empty()) return;
  node.reference = "docs/models/failures.md";
  if (const double left = node.value - sum; std::abs(left) > 1e-12)
    add_rest(node, left, "GPUs that change hands");
}

// [docs/models/failures.md, eq. 16]
void Account::explain_startup(ExplainNode& node) {
  node.equation = "ready";
  node.reference = "docs/models/failures.md, eq. 16";
  add_form(node, job_ + "startup.bound", "ready", "");
  if (!has(job_ + "first_batch.waited")) return;
  node.equation += " + first_batch";
  node.children.push_back(read(job_ + "first_batch.waited", "first_batch"));
  double sum = 0.0;
  for (const ExplainNode& child : node.children) sum += child.value;
  if (const double left = node.value - sum; left > 1e-6)
    add_rest(node, left, "workers that start and list names before it");
}

void Account::add_bound(ExplainNode& node) {
  const std::string name = job_ + "gpu.utilization.bound";
  const models::Derivation* most = forms_.find(name);
  if (most != nullptr) add_form(node, name, "", most->formula);
}

void Account::explain_step(ExplainNode& node) {
  const double steps = value(job_ + "steps");
  if (steps <= 0.0) return;
  node.reference = kTraining;
  double sum = 0.0;
  std::string inside;
  std::vector<ExplainNode> children;
  for (const char* part : {"compute", "communication", "data", "metadata", "cpu", "sync"}) {
    ExplainNode child = std::string_view(part) == "compute" ? explain_compute() : read_time(part);
    if (child.value == 0.0) continue;
    inside += (inside.empty() ? "" : " + ") + std::string(part);
    sum += child.value;
    child.symbol = part;
    children.push_back(std::move(child));
  }
  // [docs/models/stages.md, eq. 3]
  if (const std::string input = job_ + "waited." + job_ + "input"; has(input)) {
    inside += " - input";
    sum -= value(input);
    children.push_back(read(input, "input", "between steps, for what a stage had not brought"));
  }
  children.push_back(read(job_ + "steps", "steps", "made in the run"));
  node.equation = "(" + inside + ") / steps";
  node.children = std::move(children);
  if (const double left = node.value - sum / steps; std::abs(left) > kRounding * node.value)
    add_rest(node, left,
             has(job_ + "restart.lost_steps")
                 ? "the mean is of all steps, times of kept ones (steps that failures undid took "
                   "less or more), and compute slowed by saves"
                 : "compute slowed by saves in the background");
}

void Account::explain_samples(ExplainNode& node) {
  if (!forms_.known(job_ + "readers")) return;
  node.equation = "readers * batch * steps / wall";
  node.reference = kTraining;
  add_form(node, job_ + "readers", "readers");
  add_form(node, "jobs[" + job_.substr(4, job_.size() - 5) + "].loader.batch", "batch");
  node.children.push_back(read(job_ + "steps", "steps", "made in the run"));
  ExplainNode time = explain_wall();
  time.symbol = "wall";
  node.children.push_back(std::move(time));
}

void Account::explain_bytes(ExplainNode& node) {
  const double samples = value(job_ + "throughput.samples");
  if (samples <= 0.0) return;
  node.equation = "samples * bytes";
  node.reference = kTraining;
  ExplainNode rate = Account(run_, forms_, job_ + "throughput.samples").take_apart();
  rate.symbol = "samples";
  ExplainNode each =
      simulated(job_ + "bytes", node.value / samples, "B", "read for a sample on average");
  each.symbol = "bytes";
  add_form(each, "jobs[" + job_.substr(4, job_.size() - 5) + "].dataset.sample", "",
           "as the design gives it");
  node.children = {std::move(rate), std::move(each)};
}

void Account::explain_resource(ExplainNode& node) {
  constexpr std::string_view kTail = ".utilization";
  if (!metric_.ends_with(kTail)) return;
  const std::string name = metric_.substr(9, metric_.size() - 9 - kTail.size());
  const auto use = std::find_if(run_.resources.begin(), run_.resources.end(),
                                [&](const ResourceUse& r) { return r.name == name; });
  if (use == run_.resources.end() || !(use->capacity > 0.0)) return;
  const std::string form = metric::of_resource(name, "capacity");
  ExplainNode capacity = simulated(form, use->capacity, use->unit, "as the run was given it");
  if (forms_.known(form)) {
    ExplainNode made = forms_.tree(form);
    if (std::abs(made.value - use->capacity) <= 1e-9 * use->capacity)
      capacity = std::move(made);
    else
      capacity.children.push_back(std::move(made));  // its rate is drawn, or changed by a fault
  }
  divide(node, "throughput",
         simulated(metric::of_resource(name, "throughput"), use->throughput, use->unit,
                   "mean over the run"),
         "capacity", std::move(capacity), "docs/models/storage.md");
  node.reference.clear();
  if (use->blamed_share > 0.0)
    node.children.push_back(
        simulated(metric::of_resource(name, "blamed"), use->blamed_share, "ratio",
                  "of what is waited for resources; waits for the slowest rank are not among it"));
}

ExplainNode account(const std::string& metric, const RunResult& run, Forms& forms) {
  return Account(run, forms, metric).take_apart();
}

}  // namespace stallcast::explain
