#include "calibration/measure/probes/all.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace stallcast::calibration {
namespace {

/// By what predictions of training hang on most: rates and latencies of storage at all sizes, what
/// a sample costs in the loader, files, memory.
constexpr std::array<ProbeShare, 4> kShares{
    {{"io", 0.55}, {"loader", 0.2}, {"metadata", 0.15}, {"memory", 0.1}}};

}  // namespace

std::span<const ProbeShare> probe_shares() { return kShares; }

void probe_all(const ProbeOptions& options, Seconds budget,
               const std::function<void(const Probe&, const Result<MeasurementSet>&)>& done) {
  const TimeBudget whole = budget_from_now(budget);
  double shares = 1.0, before = 0.0;
  for (const ProbeShare& part : kShares) {
    if (options.interrupted && options.interrupted()) return;
    const Probe& probe = *find_probe(part.id);
    ProbeOptions mine = options;
    const Seconds left =
        std::max(whole.ends - budget_from_now(Seconds{}).ends, Seconds::from(1.0, unit::s));
    mine.budget = budget_from_now(left * (part.share / shares));
    mine.progress = [&](double at, std::string_view what) {
      if (options.progress) options.progress(before + part.share * at, what);
    };
    done(probe, probe.run(mine));
    shares -= part.share;
    before += part.share;
  }
}

}  // namespace stallcast::calibration
