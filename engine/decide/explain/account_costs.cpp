#include <cmath>

#include "engine/base/accelerators.hpp"
#include "engine/decide/explain/account.hpp"
#include "models/bounds/gpu_use.hpp"
#include "models/bounds/whole_run.hpp"
#include "models/contract/training.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/units.hpp"

/// What idle GPUs cost, and what a useful one does: docs/models/cost.md, eq. 3 and 4.
namespace stallcast::explain {

// T / (last e - first b)    [docs/models/cost.md, eq. 3]
ExplainNode Account::time_share(const JobDesign& job, const std::string& number) const {
  const models::TimeShare of = models::time_share(forms_.design(), job, run_.metrics);
  ExplainNode node = simulated(metric::of_job(job.job.id, "hosts.share"), of.share, "ratio",
                               "that it trains, of the time of the jobs in a row on these hosts");
  node.symbol = "time" + number;
  if (of.trains.empty() || !(of.share < 1.0)) return node;
  node.equation = "trains / (last - first)";
  node.reference = "docs/models/cost.md, eq. 3";
  node.children = {read(of.trains, "trains"), read(metric::of_stage(of.last, "end"), "last"),
                   read(metric::of_stage(of.first, "start"), "first")};
  return node;
}

std::optional<ExplainNode> Account::count_gpus(const std::string& name, std::string_view key,
                                               const std::string& host) {
  ExplainNode node = simulated(name, 0.0, "count");
  std::size_t users = 0;
  for (const JobDesign& of : forms_.design().jobs) {
    const std::string job = metric::of_job(of.job.id), metric = job + std::string(key);
    if (!has(metric) || (!host.empty() && models::job_params(of.job).hosts != host)) continue;
    const std::string number = std::to_string(++users);
    if (has(job + "elastic.lent.share") || !forms_.known(job + "ranks")) return std::nullopt;
    ExplainNode ranks = forms_.tree(job + "ranks");
    ranks.symbol = "gpus" + number;
    ExplainNode time = time_share(of, number);
    const double whole = models::over_whole_run(forms_.design(), of.job.id, key, run_.metrics);
    node.value += ranks.value * time.value * whole * value(metric);
    node.equation += (node.equation.empty() ? "gpus" : " + gpus") + number;
    node.children.push_back(std::move(ranks));
    if (time.value < 1.0) {
      node.equation += " * time" + number;
      node.children.push_back(std::move(time));
    }
    if (whole != 1.0) {
      node.equation += " * whole" + number;
      node.children.push_back(constant("whole" + number, whole, "ratio"));
      node.children.back().note = "what comes once in the whole run comes once, in a longer time";
    }
    node.equation += " * share" + number;
    node.children.push_back(Account(run_, forms_, metric).take_apart());
    node.children.back().symbol = "share" + number;
  }
  for (const Component& tenant : forms_.design().tenants) {
    const Value* on = tenant.find("hosts");
    const std::string share = metric::of_tenant(tenant.id, metric::kGpuUtilization);
    if (on == nullptr || !has(share) || (!host.empty() && on->text != host)) continue;
    const Component* there = forms_.design().find_host(on->text);
    const double gpus = models::serving_gpus(tenant, base::gpus_of(*there));
    const std::string number = std::to_string(++users);
    node.value += gpus * value(share);
    node.equation += (node.equation.empty() ? "gpus" : " + gpus") + number + " * share" + number;
    node.children.push_back(constant("gpus" + number, gpus, "count"));
    node.children.back().note = "of its replicas";
    node.children.push_back(read(share, "share" + number));
  }
  if (node.children.empty()) return std::nullopt;
  return node;
}

void Account::explain_idle_cost(ExplainNode& node) {
  // With one class of hosts its price of a GPU-hour is that of all.
  std::string price;
  for (const models::Derivation& d : forms_.bounds().derivations)
    if (d.name.starts_with("cost.host.") && d.name.ends_with(".gpu_hour")) {
      if (!price.empty()) return;
      price = d.name;
    }
  std::optional<ExplainNode> busy = count_gpus("cost.gpus.busy", metric::kGpuUtilization);
  if (price.empty() || !busy) return;
  const std::string host = "cluster.hosts[" + price.substr(10, price.size() - 19) + "].";
  if (!forms_.known(host + "count") || !forms_.known(host + "gpus")) return;
  std::vector<ExplainNode> children = {forms_.tree(price), forms_.tree(host + "count"),
                                       forms_.tree(host + "gpus"), *std::move(busy)};
  const double value =
      children[0].value * (children[1].value * children[2].value - children[3].value);
  if (std::abs(value - node.value) > kExact * std::abs(node.value)) return;
  const char* symbols[] = {"gpu_hour", "hosts", "gpus", "busy"};
  for (std::size_t i = 0; i < children.size(); ++i) children[i].symbol = symbols[i];
  node.equation = "gpu_hour * (hosts * gpus - busy)";
  node.reference = "docs/models/cost.md, eq. 3";
  node.children = std::move(children);
}

// Of the last epoch in a host's memory or drives, of the whole run in cache servers; what was
// missed follows where the run counts it.    [docs/models/cache.md]
void Account::explain_hits(ExplainNode& node) {
  const bool host = !job_.empty();
  node.note = host ? "of the bytes read in the last epoch, those that were in the hosts"
                   : "of the bytes read through the servers, those that were in them";
  const std::string missed = host ? job_ + "cache.missed" : "";
  if (!(value(missed) > 0.0)) return;
  ExplainNode made;
  made.equation = "1 - missed / read";
  made.reference = "docs/models/cache.md";
  made.children = {
      read(missed, "missed", "from the storage"),
      simulated(job_ + "cache.read", value(missed) / (1.0 - node.value), "B", "in the last epoch")};
  made.children.back().symbol = "read";
  accept(node, std::move(made));
}

// [docs/models/cache.md, eq. 13]
void Account::explain_egress(ExplainNode& node) {
  const metric::Name name = metric::parse(metric_);
  const std::string price = "storage[" + std::string(name.id) + "].link.price_per_tb";
  if (name.domain != metric::Domain::storage || !forms_.known(price)) return;
  ExplainNode made;
  made.equation = "crossed / terabyte * price";
  made.reference = "docs/models/cache.md, eq. 13";
  made.children = {read(metric::of_storage(name.id, "link.read"), "crossed", "read over the line"),
                   constant("terabyte", unit::TB.scale, "B")};
  add_form(made, price, "price", "of a TB");
  accept(node, std::move(made));
}

void Account::explain_useful_cost(ExplainNode& node) {
  std::optional<ExplainNode> useful = count_gpus("cost.gpus.useful", metric::kGoodput);
  if (!useful || !forms_.known("cost.hourly") || !(useful->value > 0.0)) return;
  ExplainNode all = forms_.tree("cost.hourly");
  // Requests are counted in the run: "cost.hourly" has none of them.
  const std::string requests = metric::of_cost("requests");
  const double value = (all.value * unit::h.scale + this->value(requests)) / useful->value;
  if (std::abs(value - node.value) > kExact * std::abs(node.value)) return;
  all.symbol = "cost";
  useful->symbol = "useful";
  // Values are in base units, and are printed so that they say theirs: 661 USD/h x 1 h.
  node.equation = std::string(has(requests) ? "(cost + requests)" : "cost") + " * hour / useful";
  node.reference = "docs/models/cost.md, eq. 4";
  node.children = {std::move(all), constant("hour", unit::h.scale, "s"), *std::move(useful)};
  if (!has(requests)) return;
  ExplainNode billed = read(requests, "requests");
  billed.value /= unit::h.scale;
  billed.unit = node.children.front().unit;
  node.children.push_back(std::move(billed));
}

}  // namespace stallcast::explain
