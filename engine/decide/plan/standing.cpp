#include "engine/decide/plan/standing.hpp"

#include <algorithm>

#include "engine/base/assertion.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

/// A target that more hardware makes harder: a budget, or how busy something has to be.
bool opposes(const AssertionOutcome& outcome) {
  const auto parsed = base::parse_assertion(outcome.that);
  if (!parsed.ok()) return false;
  const bool least = parsed->op == ">=" || parsed->op == ">" || parsed->op == "in";
  const metric::Domain domain = metric::parse(parsed->metric).domain;
  return domain == metric::Domain::power || domain == metric::Domain::space ||
         parsed->metric == metric::kCapex || parsed->metric == metric::kHourlyCost ||
         parsed->metric == metric::kUsefulGpuHour || (domain == metric::Domain::resource && least);
}

}  // namespace

Standing standing_of(const Prediction& prediction) {
  Standing out = Standing::meets;
  for (const AssertionOutcome& outcome : prediction.assertions) {
    if (outcome.level == "warn" || outcome.status != "fail") continue;
    if (!opposes(outcome)) return Standing::misses;
    out = Standing::too_much;
  }
  return out;
}

const AssertionOutcome* exceeded(const Prediction& prediction) {
  const auto found = std::ranges::find_if(prediction.assertions, [](const AssertionOutcome& a) {
    return a.level != "warn" && a.status == "fail" && opposes(a);
  });
  return found == prediction.assertions.end() ? nullptr : &*found;
}

}  // namespace stallcast::plan
