#include "ui/app/check_words.hpp"

#include <algorithm>

#include "engine/base/assertion.hpp"
#include "engine/base/glob.hpp"
#include "engine/decide/check/baseline.hpp"
#include "engine/decide/predict/compare.hpp"
#include "stallcast/metric.hpp"
#include "ui/app/check.hpp"

namespace stallcast::client {

Result<Expectation> read_assert(const std::string& that, const std::string& where) {
  const auto parsed = base::parse_assertion(that);
  if (!parsed.ok()) return parsed.failure();
  return Expectation{check::metric_name(*parsed), that, "error", "", where, "", "", ""};
}

Result<Tolerance> read_tolerance(const std::string& text) { return predict::parse_tolerance(text); }

std::optional<Failure> idle_tolerance(std::span<const Tolerance> tolerances,
                                      std::span<const Prediction* const> predictions) {
  for (const Tolerance& t : tolerances) {
    const bool used = std::any_of(predictions.begin(), predictions.end(), [&](const auto* p) {
      return std::any_of(p->metrics.begin(), p->metrics.end(),
                         [&](const auto& m) { return base::matches_metric(t.pattern, m.first); });
    });
    // What other designs report is no slip of the pen: "cost.*" of one without prices.
    const bool known =
        metric::parse(t.pattern).domain != metric::Domain::other && metric::is_reported(t.pattern);
    if (!used && !known && !predictions.empty())
      return Failure{ExitCode::bad_input, "--tolerance: no metric matches \"" + t.pattern + "\"",
                     "\"stallcast run --format csv\" lists them"};
  }
  return std::nullopt;
}

}  // namespace stallcast::client
