#include <algorithm>
#include <cmath>

#include "engine/base/design_values.hpp"
#include "engine/decide/explain/account.hpp"
#include "stallcast/metric.hpp"

/// Saves: their stall, and the time until they are durable.
namespace stallcast::explain {

ExplainNode Account::explain_saving() {
  ExplainNode node = read_time("checkpoint");
  const double saves = value(job_ + "checkpoint.count"), each = value(job_ + "checkpoint.stall");
  if (saves <= 0.0) return node;
  node.equation = "saves * stall";
  node.reference = kSavesPage;
  ExplainNode mean = Account(run_, forms_, job_ + "checkpoint.stall").take_apart();
  mean.symbol = "stall";
  node.children = {read(job_ + "checkpoint.count", "saves", "made in the run"), std::move(mean)};
  if (const double left = node.value - saves * each; std::abs(left) > kRounding * node.value)
    add_rest(node, left, "compute slowed by saves in the background");
  return node;
}

void Account::add_save_parts(ExplainNode& node, std::vector<ExplainNode> parts,
                             const std::string& why) {
  double sum = 0.0;
  std::string equation;
  for (const ExplainNode& part : parts) {
    sum += part.value;
    equation += (equation.empty() ? "" : " + ") + part.symbol;
  }
  const double left = node.value - sum;
  if (node.value == 0.0) {
    node.note = "training waits for none of it";
    return;
  }
  if (parts.empty() || left < -kExact * node.value) {
    for (ExplainNode& part : parts) part.symbol.clear();
    node.children = std::move(parts);
    node.note = "not taken apart: its parts overlap, or go on after it";
    return;
  }
  node.equation = equation;
  node.reference = kSavesPage;
  node.children = std::move(parts);
  if (left > kExact * node.value) add_rest(node, left, why);
}

// A resource of the job itself is named as its closed form is.
std::vector<std::string> Account::forms_of_save(const std::string& resource) const {
  const std::string saves = job_ + "checkpoint.";
  std::vector<std::string> out;
  if (resource.starts_with(saves)) out.push_back(resource + ".bound");
  for (const char* link : {".gpu.copy", ".memory.snapshot", ".pcie.up"})
    if (resource.ends_with(link)) out.push_back(saves + "gpu.copy.bound");
  for (const char* link : {".nic.read", ".nvlink"})
    if (resource.ends_with(link)) out.push_back(saves + "gather.bound");
  if (resource.ends_with(".nic.read"))
    out.push_back(saves + (forms_.find(saves + "flow") == nullptr ? "save.bound" : "peers.bound"));
  if (is_of(saves + "save.bound", resource)) out.push_back(saves + "save.bound");
  std::erase_if(out, [&](const std::string& name) { return forms_.find(name) == nullptr; });
  return out;
}

std::vector<std::string> Account::forms_of_restore(const std::string& resource) const {
  const std::string restores = job_ + "restore.", saves = job_ + "checkpoint.";
  std::vector<std::string> out;
  if (resource.starts_with(saves))
    out.push_back(restores + resource.substr(saves.size()) + ".bound");
  for (const char* link : {".gpu.copy", ".memory.snapshot", ".pcie.up"})
    if (resource.ends_with(link)) out.push_back(restores + "gpu.copy.bound");
  for (const char* link : {".nic.read", ".nic.write", ".nvlink"})
    if (resource.ends_with(link)) out.push_back(restores + "broadcast.bound");
  if (is_of(restores + "read.bound", resource)) out.push_back(restores + "read.bound");
  std::erase_if(out, [&](const std::string& name) { return forms_.find(name) == nullptr; });
  return out;
}

bool Account::is_of(const std::string& form, const std::string& resource) const {
  const models::Derivation* least = forms_.find(form);
  if (least == nullptr) return false;
  return std::ranges::any_of(least->rule.terms, [&](const models::Term& term) {
    const base::ResourceName name = base::resource_name(resource);
    const std::string part =
        base::component_path(name.role, name.id) + "." + std::string(name.part);
    return term.from.starts_with("resource." + resource + ".") || term.from == part ||
           term.from.starts_with(part + ".") ||
           (term.symbol == "flow" && is_of(term.from, resource));
  });
}

ExplainNode Account::explain_busy_time(const std::string& stem, const std::string& resource,
                                       const std::vector<std::string>& forms) {
  ExplainNode node = read(stem + "took." + resource);
  double sum = 0.0;
  for (const std::string& least : forms) {
    if (sum + forms_.find(least)->value > node.value * (1.0 + kExact)) continue;
    ExplainNode form = forms_.tree(least);
    sum += form.value;
    const std::string number =
        node.children.empty() ? "" : std::to_string(node.children.size() + 1);
    form.symbol = "least" + number;
    node.equation += (node.equation.empty() ? "" : " + ") + form.symbol;
    node.reference = kSavesPage;
    node.children.push_back(std::move(form));
  }
  if (const double left = node.value - sum; sum > 0.0 && left > kExact * node.value)
    add_rest(node, left,
             "what the closed form leaves out: queues, latencies, sharing, too few writers for all "
             "of it, reading back");
  const std::string use = metric::of_resource(resource, "utilization");
  if (has(use)) node.children.push_back(Account(run_, forms_, use).take_apart());
  return node;
}

void Account::explain_stall(ExplainNode& node) {
  std::vector<ExplainNode> parts;
  if (has(job_ + "checkpoint.duration") &&
      std::abs(value(job_ + "checkpoint.duration") - node.value) <= kExact * node.value) {
    // Training waits until the save is durable.
    parts.push_back(Account(run_, forms_, job_ + "checkpoint.duration").take_apart());
    parts.back().symbol = "duration";
    return add_save_parts(node, std::move(parts), "");
  }
  const std::string snapshot = job_ + "checkpoint.snapshot.bound";
  if (forms_.known(snapshot)) {
    parts.push_back(forms_.tree(snapshot));
    parts.back().symbol = "snapshot";
  }
  if (value(job_ + "checkpoint.backpressure") > 0.0)
    parts.push_back(read(job_ + "checkpoint.backpressure", "backpressure",
                         "waits for a buffer that the save before still holds"));
  add_save_parts(node, std::move(parts), "what the closed form of the snapshot leaves out");
}

void Account::explain_duration(ExplainNode& node) {
  std::vector<ExplainNode> parts;
  if (const std::string quiesce = input("checkpoint.quiesce");
      forms_.known(quiesce) && forms_.tree(quiesce).value > 0.0) {
    parts.push_back(forms_.tree(quiesce));
    parts.back().symbol = "quiesce";
  }
  if (value(job_ + "checkpoint.backpressure") > 0.0)
    parts.push_back(read(job_ + "checkpoint.backpressure", "backpressure",
                         "waits for a buffer that the save before still holds"));
  const std::string took = job_ + "checkpoint.took.";
  for (auto it = run_.metrics.lower_bound(took);
       it != run_.metrics.end() && it->first.starts_with(took); ++it) {
    const std::string resource = it->first.substr(took.size());
    parts.push_back(explain_busy_time(job_ + "checkpoint.", resource, forms_of_save(resource)));
    parts.back().symbol = "t" + std::to_string(parts.size());
  }
  add_save_parts(node, std::move(parts), "waits that no resource is named for");
}

void Account::explain_restore(ExplainNode& node) {
  std::vector<ExplainNode> parts;
  const std::string took = job_ + "restore.took.";
  for (auto it = run_.metrics.lower_bound(took);
       it != run_.metrics.end() && it->first.starts_with(took); ++it) {
    const std::string resource = it->first.substr(took.size());
    parts.push_back(explain_busy_time(job_ + "restore.", resource, forms_of_restore(resource)));
    parts.back().symbol = "t" + std::to_string(parts.size());
  }
  add_save_parts(node, std::move(parts), "waits that no resource is named for");
}

}  // namespace stallcast::explain
