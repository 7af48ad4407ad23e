#include "engine/decide/explain/printed.hpp"

#include <algorithm>

#include "engine/base/covers.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/decide/explain/explain.hpp"
#include "engine/decide/explain/forms.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/limit.hpp"

namespace stallcast::explain {
namespace {

constexpr const char* kBlamePage = "docs/models/blame.md";

/// All that `b` is: where it is all of an owner, the parts that gain.
std::string made_of(const Bottleneck& b) {
  return b.gain && !b.gain->parts.empty() ? label::several(b.gain->parts) : b.resource;
}

bool is_called(const Bottleneck& b, const std::string& asked) {
  return asked == b.resource || asked == label::of_resource(b.resource) ||
         asked == label::of_resource(made_of(b));
}

}  // namespace

std::optional<Printed> printed_as(const std::string& asked, const Prediction& prediction) {
  const auto row = std::ranges::find_if(prediction.bottlenecks,
                                        [&](const Bottleneck& b) { return is_called(b, asked); });
  Printed out;
  std::string made;
  if (row != prediction.bottlenecks.end()) {
    out.name = row->resource;
    made = made_of(*row);
  } else if (const Limit limit = limit_of(prediction);
             !limit.name.empty() && (asked == limit.name || asked == limit.label)) {
    out.name = made = limit.name;
  } else {
    return std::nullopt;
  }
  for (const ResourceUse& use : prediction.resources)
    if (base::covers(made, use.name)) out.parts.push_back(use.name);
  return out;
}

bool any_printed(const std::vector<std::string>& asked) {
  return std::ranges::any_of(
      asked, [](const std::string& name) { return name.find(' ') != std::string::npos; });
}

ExplainNode waited_for(const Printed& printed, const Prediction& prediction) {
  const double waiting = waiting_share(prediction);
  const auto said = [](const std::string& resource) {
    return "of the time, waited for the " + label::of_resource(resource);
  };
  ExplainNode out = simulated(printed.name, 0.0, "ratio", said(printed.name));
  const auto row = std::ranges::find_if(
      prediction.bottlenecks, [&](const Bottleneck& b) { return b.resource == printed.name; });
  const bool known = row != prediction.bottlenecks.end();
  if (known && row->gain && row->gain->time >= kNegligible)
    out.note += "; less of that saves " + base::percent(row->gain->time, 1);
  for (const ResourceUse& use : prediction.resources) {
    if (std::ranges::find(printed.parts, use.name) == printed.parts.end()) continue;
    ExplainNode part = simulated(use.name, use.blamed_share * waiting, "ratio", said(use.name));
    part.symbol = "w" + std::to_string(out.children.size() + 1);
    out.equation += (out.children.empty() ? "" : " + ") + part.symbol;
    out.value += part.value;
    out.children.push_back(std::move(part));
  }
  if (out.children.size() > 1) {
    out.reference = kBlamePage;
  } else {
    out.equation.clear();
    out.children.clear();
  }
  if (!printed.parts.empty()) return out;
  // No resource: what ranks wait for each other, a number of threads, an outage.
  const Limit limit = limit_of(prediction);
  if (known && row->blamed_share > 0.0)
    out.value = row->blamed_share * waiting;
  else if (is_barrier(printed.name))
    out.value = limit.name == printed.name ? limit.share : mean_share(prediction, "sync");
  return out;
}

}  // namespace stallcast::explain
