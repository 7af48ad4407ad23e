#include <algorithm>
#include <array>
#include <cmath>

#include "engine/decide/explain/account.hpp"
#include "models/bounds/gpu_use.hpp"
#include "models/bounds/power.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/requests.hpp"
#include "models/contract/training.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/units.hpp"

/// What a run of weeks takes, costs and draws, and what each failure costs it.
namespace stallcast::explain {
ExplainNode Account::constant(std::string symbol, double value, std::string unit,
                              std::string text) {
  ExplainNode node;
  node.name = symbol;
  node.symbol = std::move(symbol);
  node.value = value;
  node.unit = std::move(unit);
  node.text = std::move(text);
  node.kind = ExplainNode::Kind::figure;
  return node;
}

std::string Account::input(const std::string& field) const {
  return "jobs[" + job_.substr(4, job_.size() - 5) + "]." + field;
}

void Account::accept(ExplainNode& node, ExplainNode made) const {
  const std::optional<double> value = evaluated(made);
  if (!value || std::abs(*value - node.value) > kExact * std::abs(node.value)) return;
  node.equation = std::move(made.equation);
  node.reference = std::move(made.reference);
  node.children = std::move(made.children);
}

ExplainNode Account::part(const std::string& name, std::string symbol) {
  ExplainNode node = Account(run_, forms_, name).take_apart();
  node.symbol = std::move(symbol);
  return node;
}

// [docs/models/stages.md, eq. 5]
void Account::explain_pipeline(ExplainNode& node) {
  ExplainNode made;
  std::string ends, starts;
  for (const auto& [name, figure] : run_.metrics) {
    const metric::Name of = metric::parse(name);
    if (of.domain != metric::Domain::stage || (of.figure != "start" && of.figure != "end"))
      continue;
    std::string& all = of.figure == "end" ? ends : starts;
    const std::string symbol =
        std::string(of.figure) + std::to_string(made.children.size() / 2 + 1);
    all += (all.empty() ? "" : ", ") + symbol;
    made.children.push_back(read(name, symbol));
  }
  const bool several = made.children.size() > 2;
  made.equation = several ? "max(" + ends + ") - min(" + starts + ")" : ends + " - " + starts;
  made.reference = "docs/models/stages.md, eq. 5";
  accept(node, std::move(made));
}

// Loaders begin with each epoch.    [docs/models/whole-run.md, eq. 8]
void Account::explain_epochs(ExplainNode& made) {
  const std::string begin = job_ + "epoch.begin", begun = job_ + "epoch.begun";
  if (!has(begin) || !has(begun)) return;
  for (const models::WholeRun& run : models::whole_runs(forms_.design())) {
    if (metric::of_job(run.job) != job_ || run.epochs == value(begun)) continue;
    made.equation += " + (epochs - begun) * begin";
    made.children.push_back(constant("epochs", run.epochs, "count"));
    made.children.back().note = "that the whole run begins";
    made.children.push_back(read(begun, "begun", "of these in what was simulated"));
    made.children.push_back(read(begin, "begin", "that another loses while queues fill"));
  }
}

void Account::explain_run_time(ExplainNode& node) {
  const std::string goodput = job_ + std::string(metric::kGoodput),
                    lent = job_ + "elastic.lent.share";
  ExplainNode made;
  add_form(made, job_ + "run.steps", "steps");
  add_form(made, job_ + "step.compute", "compute");
  made.children.push_back(part(goodput, "goodput"));
  const std::string useful = made.children.back().symbol;
  made.equation = "steps * compute / " + useful;
  if (value(lent) > 0.0) {
    made.equation = "steps * compute / ((1 - lent) * " + useful + ")";
    made.children.push_back(read(lent, "lent"));
  }
  // Goodput of months leaves the start out.
  const std::string start = job_ + "start.once";
  const bool apart = has(job_ + "goodput.p5") && has(start) && value(start) != 0.0;
  const std::string wall = apart ? "(wall - start)" : "wall";
  std::string often, once;
  std::vector<ExplainNode> parts;
  for (const auto& [key, symbol, sign, what] :
       {std::array{"time.restart", "once", "+", "lost to failures with a date"},
        std::array{"epoch.cold", "cold", "+",
                   "that epochs which fill caches take more than later ones"},
        std::array{"start.once", "start", "+", "of its start, and waits for stages"},
        std::array{"checkpoint.owed", "owed", "-",
                   "that saves would take more in it at the pace of a longer run"},
        std::array{"time.outages", "seen", "", "of outages at random that came in it"}})
    if (const std::string name = job_ + key; has(name) && value(name) != 0.0) {
      often += (*sign == '-' ? " + " : " - ") + std::string(symbol);
      if (*sign != '\0') once += " " + std::string(sign) + " " + symbol;
      parts.push_back(read(name, symbol, what));
    }
  if (!parts.empty()) {
    if (!apart || parts.size() > 1) {
      made.equation += " * (wall" + often + ") / " + wall;
      made.children.push_back(read(job_ + "time.wall", "wall", "of the simulated run"));
    }
    made.equation += once;
    for (ExplainNode& each : parts) made.children.push_back(std::move(each));
  }
  explain_epochs(made);
  if (const std::string slowed = job_ + "run.slowed"; has(slowed)) {
    made.equation += " + slowed";
    made.children.push_back(read(slowed, "slowed", "that it takes longer once credits are gone"));
  }
  if (const std::string outages = job_ + "run.outages"; has(outages)) {
    made.equation += " + outages";
    made.children.push_back(read(outages, "outages", "of storage, at random (equation 7)"));
  }
  made.reference = "docs/models/whole-run.md, eq. 2";
  accept(node, std::move(made));
}

void Account::explain_run(ExplainNode& node) {
  if (key_ == "run.time") return explain_run_time(node);
  if (key_ == "run.days") return explain_run_days(node);
  if (key_ == "run.cost") return explain_run_cost(node);
  if (key_ == "run.energy") return explain_run_energy(node);
  explain_histories(node);
}

void Account::explain_run_days(ExplainNode& node) {
  ExplainNode made;
  made.equation = "time / day";
  made.reference = "docs/models/whole-run.md, eq. 2";
  made.children = {part(job_ + "run.time", "time"),
                   constant("day", metric::to_base(1.0, "d"), "s", "1 d")};
  accept(node, std::move(made));
}

void Account::explain_run_cost(ExplainNode& node) {
  ExplainNode made;
  add_form(made, metric::kHourlyCost, "cost");
  made.equation = "cost * time";
  if (const std::string requests = metric::of_cost("requests"); has(requests)) {
    ExplainNode child = part(requests, "");
    ExplainNode each = simulated(requests, metric::to_base(child.value, child.unit),
                                 std::string(metric::unit_of(Dimension::money_rate)));
    each.symbol = "requests";
    made.children.push_back(std::move(each));
    made.equation = "(cost + requests) * time";
  }
  made.children.push_back(part(job_ + "run.time", "time"));
  made.reference = "docs/models/whole-run.md, eq. 3";
  accept(node, std::move(made));
}

void Account::explain_run_energy(ExplainNode& node) {
  ExplainNode made;
  made.equation = "power * time / kwh";
  made.reference = "docs/models/power.md, eq. 4";
  made.children = {part(metric::kMeanPower, "power"), part(job_ + "run.time", "time"),
                   constant("kwh", metric::to_base(1.0, "kWh"), "J", "1 kWh")};
  accept(node, std::move(made));
}

// Requests a second, paid by the thousand, of an hour.    [docs/models/cost.md, eq. 5]
void Account::explain_requests(ExplainNode& node) {
  ExplainNode made;
  for (const Component& storage : forms_.design().storage)
    for (const models::PricedRequests& priced : models::kPricedRequests) {
      const std::string price = "storage[" + storage.id + "]." + std::string(priced.price);
      const std::string rate =
          metric::of_resource(metric::of_storage(storage.id, priced.resource), "throughput");
      if (!has(rate) || !forms_.known(price)) continue;
      const std::string number = std::to_string(made.children.size() / 2 + 1);
      made.equation +=
          (made.equation.empty() ? "" : " + ") + ("rate" + number) + " * price" + number;
      made.children.push_back(read(rate, "rate" + number));
      add_form(made, price, "price" + number, "of 1,000 requests");
    }
  if (made.children.empty()) return;
  if (made.children.size() > 2) made.equation = "(" + made.equation + ")";
  made.equation += " * hour / 1000";
  made.children.push_back(constant("hour", unit::h.scale, "s"));
  made.reference = "docs/models/cost.md, eq. 5";
  const double steps = evaluated(made).value_or(0.0);
  if (steps > 0.0 && std::abs(steps - node.value) > kExact * node.value) {
    const bool whole = !models::whole_runs(forms_.design()).empty();
    const std::string factor = whole ? "whole" : "drained";
    made.equation += " * " + factor;
    made.children.push_back(constant(factor, node.value / steps, "ratio"));
    made.children.back().note =
        whole ? "of the whole run over what was simulated: what comes once is in it once"
              : "saves that ended after the last step are of the time of the steps";
  }
  accept(node, std::move(made));
}

// Hosts without GPUs draw as much while jobs wait.
bool Account::has_gpus(const std::string& host) {
  const std::string gpus = "cluster.hosts[" + host + "].gpus";
  return !forms_.known(gpus) || forms_.tree(gpus).value > 0.0;
}

std::optional<ExplainNode> Account::busy_gpus(const std::string& host) {
  const std::string path = "cluster.hosts[" + host + "].";
  if (!forms_.known(path + "count") || !forms_.known(path + "gpus")) return std::nullopt;
  const double gpus = forms_.tree(path + "count").value * forms_.tree(path + "gpus").value;
  const auto use = models::gpu_use(forms_.design(), host, gpus, run_.metrics, false);
  if (!use || !(gpus > 0.0)) return std::nullopt;
  ExplainNode node = simulated("host." + host + ".gpus.busy", std::min(use->busy / gpus, 1.0),
                               "ratio", "share of the GPUs of these hosts");
  for (const JobDesign& job : forms_.design().jobs)
    if (models::job_params(job.job).hosts == host)
      node.children.push_back(part(metric::gpu_utilization(job.job.id), ""));
  for (const Component& tenant : forms_.design().tenants)
    if (const Value* on = tenant.find("hosts"); on != nullptr && on->text == host)
      if (const std::string share = metric::of_tenant(tenant.id, metric::kGpuUtilization);
          has(share))
        node.children.push_back(read(share, ""));
  if (node.children.size() == 1 && std::abs(node.children.front().value - node.value) <= kExact)
    return ExplainNode(node.children.front());
  if (std::optional<ExplainNode> busy =
          count_gpus("host." + host + ".gpus.use", metric::kGpuUtilization, host)) {
    ExplainNode made;
    made.equation = "busy / (hosts * gpus)";
    made.reference = "docs/models/cost.md, eq. 3";
    busy->symbol = "busy";
    made.children.push_back(*std::move(busy));
    add_form(made, path + "count", "hosts");
    add_form(made, path + "gpus", "gpus");
    accept(node, std::move(made));
  }
  return node;
}

ExplainNode Account::idle_power(const models::PowerItem& item, const std::string& number) {
  ExplainNode idle = constant("idle" + number, (item.idle * item.count).in(unit::W), "W");
  idle.name = "power." + item.name + ".idle";
  idle.note = "while GPUs wait";
  return idle;
}

void Account::explain_power(ExplainNode& node) {
  if (metric_ == metric::kMeanPower) explain_mean_power(node);
  if (metric_ == metric::kIdlePower) explain_idle_power(node);
}

// Of GPUs, and servers around them, what they draw at work and while they wait.
//    [docs/models/power.md, eq. 2]
void Account::explain_mean_power(ExplainNode& node) {
  ExplainNode made;
  std::size_t parts = 0;
  for (const models::PowerItem& item : models::powers(forms_.design()).items) {
    const std::string name = "power." + item.name, number = std::to_string(parts + 1);
    if (!forms_.known(name)) continue;
    ++parts;
    made.equation += made.equation.empty() ? "" : " + ";
    add_form(made, name, "part" + number);
    if (item.host.empty() || !has_gpus(item.host)) {
      made.equation += "part" + number;
      continue;
    }
    std::optional<ExplainNode> busy = busy_gpus(item.host);
    if (!busy) return;
    busy->symbol = "busy" + number;
    made.equation +=
        "part" + number + " * busy" + number + " + idle" + number + " * (1 - busy" + number + ")";
    made.children.push_back(*std::move(busy));
    made.children.push_back(idle_power(item, number));
  }
  made.reference = "docs/models/power.md, eq. 2";
  accept(node, std::move(made));
}

//    [docs/models/power.md, eq. 3]
void Account::explain_idle_power(ExplainNode& node) {
  ExplainNode made;
  for (const models::PowerItem& item : models::powers(forms_.design()).items) {
    if (item.host.empty() || !has_gpus(item.host)) continue;
    std::optional<ExplainNode> busy = busy_gpus(item.host);
    if (!busy) return;
    const std::string number = std::to_string(made.children.size() / 2 + 1);
    busy->symbol = "busy" + number;
    made.equation +=
        (made.equation.empty() ? "idle" : " + idle") + number + " * (1 - busy" + number + ")";
    made.children.push_back(idle_power(item, number));
    made.children.push_back(*std::move(busy));
  }
  made.reference = "docs/models/power.md, eq. 3";
  accept(node, std::move(made));
}

// The histories give shares of their time, and how many failures there were.
void Account::explain_failure(ExplainNode& node, const char* share, const char* note) {
  const std::string shares = job_ + "failures." + share + ".share", count = job_ + "failures.count";
  if (!(value(shares) > 0.0) || !(value(count) > 0.0)) return;
  const double time = node.value * value(count) / value(shares);
  ExplainNode made;
  made.equation = "share * time / failures";
  made.reference = "docs/models/failures.md";
  made.children.push_back(read(shares, "share"));
  const std::string horizon = input("recovery.horizon");
  if (forms_.known(horizon) && std::abs(forms_.tree(horizon).value - time) <= kExact * time)
    add_form(made, horizon, "time");
  else
    made.children.push_back(simulated(job_ + "failures.time", time, "s",
                                      "that the job had its GPUs, mean over the histories"));
  made.children.back().symbol = "time";
  made.children.push_back(read(count, "failures", "mean over the histories"));
  accept(node, std::move(made));
  node.note = note;
}

std::string Account::add_save_and_failure(ExplainNode& node) {
  const std::string buffer = job_ + "checkpoint.backpressure", mtbf = job_ + "failures.mtbf";
  node.children.push_back(part(job_ + "checkpoint.stall", "stall"));
  const bool waits = value(buffer) > 0.0;
  if (waits) node.children.push_back(read(buffer, "backpressure", "follows from the interval"));
  const std::string slowed = job_ + "checkpoint.slowed";
  const bool slows = value(slowed) > 0.0;
  if (slows) node.children.push_back(read(slowed, "slowed", "steps, by the thread that flushes"));
  if (forms_.known(mtbf))
    add_form(node, mtbf, "mtbf");
  else
    node.children.push_back(read(mtbf, "mtbf"));
  if (!waits && !slows) return "stall";
  return std::string("(stall") + (waits ? " - backpressure" : "") + (slows ? " + slowed)" : ")");
}

// From start to start of two saves.    [docs/models/failures.md, eq. 2]
void Account::explain_young(ExplainNode& node) {
  ExplainNode made;
  const std::string stall = add_save_and_failure(made);
  made.equation = "sqrt(2 * " + stall + " * mtbf) + " + stall;
  made.reference = "docs/models/failures.md, eq. 2";
  accept(node, std::move(made));
}

//    [docs/models/failures.md, eq. 3]
void Account::explain_daly(ExplainNode& node) {
  ExplainNode made;
  const std::string stall = add_save_and_failure(made);
  made.equation = "sqrt(2 * " + stall + " * mtbf) * (1 + sqrt(" + stall + " / (2 * mtbf)) / 3 + " +
                  stall + " / (18 * mtbf))";
  if (const auto found = evaluated(made); !found || std::abs(*found - node.value) > kExact * *found)
    made.equation = "mtbf + " + stall;  // saves take longer than two failures are apart
  made.reference = "docs/models/failures.md, eq. 3";
  accept(node, std::move(made));
}

void Account::explain_best_interval(ExplainNode& node) {
  node.note =
      "searched: the same months of failures were replayed with other intervals, and this one "
      "keeps most; the optimum is flat";
  node.reference = "docs/models/failures.md";
  for (const char* form : {"young", "daly"})
    node.children.push_back(part(metric_ + "." + form, ""));
  node.children.push_back(read(metric_ + ".goodput", "", "by these histories, with this interval"));
  node.children.push_back(part(job_ + std::string(metric::kGoodput), ""));
}

}  // namespace stallcast::explain
