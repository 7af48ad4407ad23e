#include "calibration/calibrate.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "calibration/bindings.hpp"
#include "calibration/fit/figures.hpp"
#include "calibration/fit/joint.hpp"
#include "calibration/importers/importer.hpp"
#include "calibration/measurement_json.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

/// "left out: 12 runs, reads and writes mixed (the first: jobs[0].read)", a line per reason.
std::vector<std::string> left_out(const fit::Series& series) {
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

}  // namespace

MeasurementSet read_any(const std::string& text, const std::string& file,
                        Diagnostics& diagnostics) {
  if (is_measurements(text)) return read_measurements(text, file, diagnostics);
  if (const ResultImporter* importer = recognise_results(text))
    return import_results(*importer, text, file, diagnostics);
  std::vector<std::string> known;
  for (const ResultImporter& importer : result_importers()) known.emplace_back(importer.id);
  diagnostics.add({Severity::error,
                   "format",
                   "",
                   {file, 1, 1},
                   "this is no measurement file that Stallcast knows",
                   "a file of \"stallcast probe\", or of " + base::join(known, ", ")});
  return {};
}

CalibrationProfile calibrate(std::vector<MeasurementSet> sets, std::string id,
                             const fit::Options& options, std::optional<BufferPages> buffers) {
  CalibrationProfile profile;
  const std::string chosen = choose_buffers(sets, buffers);
  profile.id = std::move(id);
  for (const MeasurementSet& set : sets) {
    profile.inputs.push_back({set.file, set.sha256, set.tool, set.tool_version, set.date});
    for (const auto& [key, value] : set.environment) profile.environment.emplace(key, value);
    profile.date = std::max(profile.date, set.date);
  }
  if (!chosen.empty()) profile.environment["buffers"] = chosen;
  for (const fit::Series& series : fit::group(sets)) {
    std::vector<Fit> fits = fit::fits_of(series, options);
    for (std::string& line : left_out(series)) fits.front().reasons.push_back(std::move(line));
    profile.fits.insert(profile.fits.end(), fits.begin(), fits.end());
  }
  const auto by_id = [&](std::string_view id_) {
    const auto at = std::find_if(profile.fits.begin(), profile.fits.end(),
                                 [&](const Fit& fit) { return fit.id == id_; });
    return at == profile.fits.end() ? Fit{} : *at;
  };
  for (auto& fit :
       {fit::fit_mixes(sets, by_id("io.read.random"), by_id("io.write.random"), options),
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

void apply_draw(const CalibrationProfile& profile, std::size_t i, Design& design) {
  base::for_each_component(
      design, [&](const std::string&, std::string_view role, Component& component) {
        for (const ProfileValue& v : profile.values) {
          if (v.role != role || (!v.kind.empty() && v.kind != component.kind) || v.draws.empty())
            continue;
          const auto at = component.values.find(v.field);
          if (at != component.values.end() &&
              at->second.source.kind == ::stallcast::Source::Kind::profile)
            at->second.number = v.draws[i % v.draws.size()];
        }
      });
}

std::vector<std::string> other_machines(const CalibrationProfile& profile, const Design& design) {
  struct Fact {
    std::string_view key, field;
    Dimension dimension;
    double factor;
    std::string_view noun;
  };
  constexpr std::array kFacts{Fact{"cores", "cpu.cores", Dimension::number, 2.0, " cores"},
                              Fact{"memory", "memory.size", Dimension::bytes, 1.25, " of memory"}};
  std::vector<std::string> out;
  for (const Component& host : design.hosts)
    for (const Fact& fact : kFacts) {
      const auto recorded = profile.environment.find(std::string(fact.key));
      const Value* stated = host.find(fact.field);
      if (recorded == profile.environment.end() || stated == nullptr ||
          stated->source.kind == ::stallcast::Source::Kind::default_value)
        continue;
      const auto measured = base::parse_quantity(recorded->second, fact.dimension).value;
      if (!measured || *measured <= 0.0 || stated->number <= 0.0) continue;
      const double ratio = stated->number / *measured;
      if (std::max(ratio, 1.0 / ratio) < fact.factor) continue;
      out.push_back("the profile \"" + profile.id + "\" was measured on a machine with " +
                    recorded->second + std::string(fact.noun) + ", host \"" + host.id + "\" has " +
                    base::print_quantity(stated->number, fact.dimension));
    }
  return out;
}

std::size_t values_from_profile(const Design& design) {
  std::size_t found = 0;
  base::for_each_component(design,
                           [&](const std::string&, std::string_view, const Component& component) {
                             for (const auto& [key, value] : component.values)
                               if (value.source.kind == ::stallcast::Source::Kind::profile) ++found;
                           });
  return found;
}

}  // namespace stallcast::calibration
