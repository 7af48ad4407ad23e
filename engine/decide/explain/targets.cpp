#include "engine/decide/explain/targets.hpp"

#include "engine/base/assertion.hpp"
#include "engine/base/counted.hpp"
#include "models/contract/rows.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::explain {
namespace {

constexpr const char* kBounds = "docs/models/bounds.md, eq. 2";

ExplainNode made(std::string name, std::string unit, std::string equation,
                 std::vector<ExplainNode> children) {
  ExplainNode node;
  node.name = std::move(name);
  node.unit = std::move(unit);
  node.kind = ExplainNode::Kind::derived;
  node.equation = std::move(equation);
  node.reference = kBounds;
  node.children = std::move(children);
  node.value = evaluated(node).value_or(0.0);
  return node;
}

/// The job whose saves the storage system of the bounds takes, while training waits for them.
const JobDesign* saving_job(const std::string& stem, const Forms& forms) {
  for (const JobDesign& job : forms.design().jobs) {
    if (stem + "." != metric::checkpoint(job.job.id) || !job.checkpoint) continue;
    const models::CheckpointParams saves = models::checkpoint_params(*job.checkpoint);
    const bool waits = models::checkpoint_row(job.checkpoint->kind).style.blocking;
    if (waits && !saves.ends_in_cache() && saves.to == forms.bounds().storage) return &job;
  }
  return nullptr;
}

ExplainNode as(std::string symbol, ExplainNode node) {
  node.symbol = std::move(symbol);
  return node;
}

}  // namespace

std::optional<ExplainNode> target_tree(const Expectation& expectation, Forms& forms) {
  constexpr std::string_view kMetric = ".checkpoint.overhead";
  const auto parsed = base::parse_assertion(expectation.that);
  if (!parsed.ok() || !parsed->relative.empty() || !parsed->metric.ends_with(kMetric)) return {};
  const auto limit = base::limit_in(*parsed, "ratio");
  if (!limit.ok() || !(limit.value() > 0.0 && limit.value() < 1.0)) return {};
  const std::string stem = parsed->metric.substr(0, parsed->metric.rfind('.'));
  const JobDesign* job = saving_job(stem, forms);
  if (job == nullptr) return {};
  const std::string unit = "storage." + forms.bounds().storage + ".unit.write";
  for (const std::string& name : {stem + ".interval", stem + ".size", unit})
    if (const models::Derivation* form = forms.find(name); form == nullptr || !(form->value > 0.0))
      return {};
  ExplainNode share;
  share.name = "expect." + expectation.id;
  share.value = limit.value();
  share.unit = "ratio";
  share.kind = ExplainNode::Kind::input;
  share.note = expectation.that;
  share.source = Source{Source::Kind::scenario, expectation.where, "", false};
  const std::string at = stem + ".interval";
  // By steps a save comes on top of the interval, by time it is a part of it.
  const bool by_time = !models::checkpoint_params(*job->checkpoint).every_steps;
  ExplainNode save = made(stem + ".save.allowed", "s",
                          by_time ? "interval * limit" : "interval * limit / (1 - limit)",
                          {as("interval", forms.tree(at)), as("limit", std::move(share))});
  const std::string size = forms.find(stem + ".written") != nullptr ? ".written" : ".size";
  const bool per_host = forms.bounds().per_host;
  ExplainNode write =
      made(stem + ".write.needed", "B/s", per_host ? "size * host / all / save" : "size / save",
           {as("size", forms.tree(stem + size)), as("save", std::move(save))});
  if (per_host) {
    write.children.push_back(as("host", forms.tree(stem + ".size.host")));
    write.children.push_back(as("all", forms.tree(stem + ".size")));
    write.value = evaluated(write).value_or(0.0);
  }
  ExplainNode out = made("storage." + forms.bounds().storage + "." +
                             base::key_of(forms.bounds().noun) + ".for_" + expectation.id,
                         "count", "ceil(write / unit - 1e-9)",
                         {as("write", std::move(write)), as("unit", forms.tree(unit))});
  out.note = forms.bounds().noun + " at least, for the target \"" + expectation.id + "\"";
  return out;
}

}  // namespace stallcast::explain
