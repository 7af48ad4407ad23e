#include "calibration/fit/calibrate.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "calibration/fit/bindings.hpp"
#include "calibration/fit/figures.hpp"
#include "calibration/fit/joint.hpp"
#include "calibration/fit/limits.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

/// "left out: 12 runs, reads and writes mixed (the first: jobs[0].read)", a line per reason.
std::vector<std::string> left_out(const fit::FitSeries& series) {
  struct Runs {
    std::size_t count = 0;
    std::string first;
  };
  std::map<std::string, Runs> by_reason;
  for (const std::string& line : series.left_out) {
    const std::size_t colon = line.rfind(": ");
    Runs& runs = by_reason[line.substr(colon + 2)];
    if (runs.count++ == 0) runs.first = line.substr(0, colon);
  }
  std::vector<std::string> out;
  for (const auto& [reason, runs] : by_reason)
    out.push_back("left out: " + std::to_string(runs.count) +
                  (runs.count == 1 ? " run, " : " runs, ") + reason +
                  (runs.first.empty() ? "" : " (the first: " + runs.first + ")"));
  return out;
}

/// What the files say of machine, mount and device: where they differ, all of it.
std::map<std::string, std::string> environment_of(const std::vector<MeasurementSet>& sets) {
  std::map<std::string, std::vector<std::string>> said;
  for (const MeasurementSet& set : sets)
    for (const auto& [key, value] : set.environment)
      if (auto& of = said[key]; std::find(of.begin(), of.end(), value) == of.end())
        of.push_back(value);
  std::map<std::string, std::string> out;
  for (const auto& [key, values] : said) out[key] = base::join(values, "; ");
  return out;
}

/// The most hosts that read, wrote or asked for names at one time; 0 where no file says.
double hosts_of(const std::vector<MeasurementSet>& sets) {
  double most = 0.0;
  for (const MeasurementSet& set : sets)
    for (const Measurement& m : set.measurements)
      for (const char* key : {"hosts", "nodes"})  // fio and elbencho, IOR and mdtest
        if (const auto at = m.options.find(key); fit::is_of_storage(m) && at != m.options.end())
          most = std::max(most, base::parse_number(at->second).value_or(0.0));
  return most;
}

/// Whether there is a limit of `operation` among `limits`.
bool has_limit(const std::vector<Fit>& limits, const std::string& operation) {
  return std::any_of(limits.begin(), limits.end(), [&](const Fit& fit) {
    return fit.id == "io." + operation + ".limit" && fit.verdict != FitVerdict::refused;
  });
}

}  // namespace

CalibrationProfile calibrate(std::vector<MeasurementSet> sets, std::string id,
                             const fit::FitOptions& options, std::optional<BufferPages> buffers) {
  CalibrationProfile profile;
  const std::string chosen = choose_buffers(sets, buffers);
  profile.id = std::move(id);
  profile.environment = environment_of(sets);
  for (const MeasurementSet& set : sets) {
    profile.inputs.push_back({set.file, set.sha256, set.tool, set.tool_version, set.date});
    profile.date = std::max(profile.date, set.date);
  }
  if (!chosen.empty()) profile.environment["buffers"] = chosen;
  if (const double hosts = hosts_of(sets); hosts > 1.0)
    profile.environment["hosts"] = base::print_quantity(hosts, Dimension::number);
  const std::vector<Fit> limits = fit::fit_limits(sets, options);
  for (const fit::FitSeries& series : fit::group(sets)) {
    // Without a limiter what was measured after a rest says no more than what was under load.
    const bool rested = series.id.ends_with(fit::kRested);
    if (rested && !has_limit(limits, series.operation)) continue;
    std::vector<Fit> fits = fit::fits_of(series, options);
    if (rested) fit::accept_rested(fits.front());
    for (std::string& line : left_out(series)) fits.front().reasons.push_back(std::move(line));
    profile.fits.insert(profile.fits.end(), fits.begin(), fits.end());
  }
  const auto by_id = [&](std::string_view id_) {
    const auto at = std::find_if(profile.fits.begin(), profile.fits.end(),
                                 [&](const Fit& fit) { return fit.id == id_; });
    return at == profile.fits.end() ? Fit{} : *at;
  };
  profile.fits.insert(profile.fits.end(), limits.begin(), limits.end());
  // Mixes at limits that reads and writes have apart say nothing of the device behind them.
  const Fit reads = limits.empty() ? by_id("io.read.random") : Fit{};
  for (auto& fit : {fit::fit_mixes(sets, reads, by_id("io.write.random"), options),
                    fit::fit_phases(sets, options)}) {
    if (!fit) continue;
    // A series of mixes alone has no cells: its runs are in the fit of mixes.
    std::erase_if(profile.fits, [&](const Fit& series) {
      return series.cells == 0 && series.id.starts_with(fit->id + ".");
    });
    profile.fits.push_back(*fit);
  }
  profile.values = values_of(profile.fits);
  return profile;
}

}  // namespace stallcast::calibration
