#include "calibration/fit/observed_before.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "engine/base/design_values.hpp"
#include "engine/base/what_reads.hpp"

namespace stallcast::calibration {
namespace {

using uncertain::Input;
using uncertain::Prior;

/// The distribution that `draws` of an input are of: those of a profile, or of a value by them.
Prior prior_by(const NarrowedInput& n, std::vector<double> draws) {
  return uncertain::prior_of_draws(std::move(draws), !n.scales && n.dimension == Dimension::count);
}

}  // namespace

Prior prior_of(const NarrowedInput& input) { return prior_by(input, input.draws); }

bool has_rows(const CalibrationProfile& profile) {
  return std::ranges::all_of(profile.narrowed, [&](const NarrowedInput& n) {
    return !n.draws.empty() && n.draws.size() == profile.narrowed.front().draws.size() &&
           (!n.scales || n.value > 0.0);
  });
}

ObservedBefore observed_before(const CalibrationProfile& profile, const Design& design) {
  ObservedBefore out;
  std::map<std::vector<double>, std::size_t> known;
  for (const NarrowedInput& n : profile.narrowed) {
    const Prior prior = prior_of(n);
    std::vector<double> places;
    for (const double draw : n.draws) places.push_back(uncertain::quantile_at(prior, draw));
    const auto [same, added] = known.try_emplace(std::move(places), out.known.inputs.size());
    out.input_of.push_back(same->second);
    if (!added) continue;
    out.known.inputs.emplace_back();
    out.known.inputs.back().said.path = n.role + "." + n.field;
    out.known.rows.resize(n.draws.size());
    for (std::size_t row = 0; row < n.draws.size(); ++row)
      out.known.rows[row].push_back(same->first[row]);
  }
  std::size_t number = 0;
  base::for_each_component(
      design, [&](const std::string&, std::string_view role, const Component& component) {
        const std::size_t at = number++;
        for (std::size_t k = 0; k < profile.narrowed.size(); ++k) {
          const NarrowedInput& n = profile.narrowed[k];
          const Value* value = component.find(n.field);
          if (!n.is_for(role, component) || value == nullptr ||
              value->source.kind != Source::Kind::profile)
            continue;
          std::vector<double> draws;
          for (const double draw : n.draws)
            draws.push_back(n.scales ? draw * value->number / n.value : draw);
          Input& input = out.known.inputs[out.input_of[k]];
          input.places.push_back({at, n.field, prior_by(n, std::move(draws))});
          ++input.said.places;
        }
      });
  return out;
}

std::vector<SeenFigure> seen_before(const CalibrationProfile& profile, const Design& design) {
  std::vector<SeenFigure> out;
  const std::string runs = base::what_runs(design, &profile);
  std::ranges::copy_if(profile.seen, std::back_inserter(out),
                       [&](const SeenFigure& seen) { return seen.design == runs; });
  return out;
}

}  // namespace stallcast::calibration
