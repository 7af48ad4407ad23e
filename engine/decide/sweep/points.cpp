#include "engine/decide/sweep/points.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/quantity_text.hpp"
#include "engine/base/range_values.hpp"
#include "engine/decide/sweep/samples.hpp"

namespace stallcast::sweep {
namespace {

void fault(Diagnostics& diags, const std::string& pointer, const Position& position,
           std::string message, std::string hint) {
  diags.add({Severity::error, "sweep", pointer, position, std::move(message), std::move(hint)});
}

/// Where a sample at `u` lies; every step of equal differences is taken equally often.
double even(const SweepRange& range, double u) {
  if (range.step <= 0.0 || range.log) return u;
  const double steps = base::whole_steps(range);
  const double span = std::abs(range.to - range.from) / range.step;
  return span > 0.0 ? std::min(steps, std::floor(u * (steps + 1.0))) / span : 0.0;
}

SweepValue sample_of(const SweepAxis& axis, double u) {
  if (axis.range)
    return {base::value_at(*axis.range, even(*axis.range, u)), axis.pointer, axis.position};
  const auto n = static_cast<double>(axis.values.size());
  return axis.values[std::min(axis.values.size() - 1, static_cast<std::size_t>(u * n))];
}

/// All values of an axis that is counted through.
std::vector<SweepValue> listed(const SweepAxis& axis, Diagnostics& diags) {
  if (!axis.range) return axis.values;
  const SweepRange& range = *axis.range;
  if (range.n < 1) {
    fault(diags, axis.pointer, axis.position,
          "the range of \"" + axis.path + "\" does not say how many values it has",
          "add \"n\", or :N on the command line; samples (latin:N, sobol:N) need none");
    return {};
  }
  if (static_cast<std::size_t>(range.n) > kMostPoints) {
    fault(diags, axis.pointer, axis.position,
          "the range of \"" + axis.path + "\" has more than " + std::to_string(kMostPoints) +
              " values",
          "make \"n\" smaller");
    return {};
  }
  std::vector<SweepValue> out;
  for (std::int64_t i = 0; i < range.n; ++i) {
    const double u = range.n == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(range.n - 1);
    SweepValue value{base::value_at(range, u), axis.pointer, axis.position};
    // Rounded to a step, neighbours may be the same.
    if (out.empty() || text_of(out.back().value) != text_of(value.value))
      out.push_back(std::move(value));
  }
  return out;
}

std::vector<Point> product(const std::vector<std::vector<SweepValue>>& axes) {
  std::vector<Point> out{{}};
  for (const std::vector<SweepValue>& values : axes) {
    std::vector<Point> longer;
    longer.reserve(out.size() * values.size());
    for (const Point& point : out)
      for (const SweepValue& value : values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    out = std::move(longer);
  }
  return out;
}

std::vector<Point> counted(const SweepSpec& spec, Diagnostics& diags) {
  std::vector<std::vector<SweepValue>> values;
  double size = 1.0;
  for (const SweepAxis& axis : spec.axes) {
    values.push_back(listed(axis, diags));
    size *= static_cast<double>(values.back().size());
  }
  if (diags.has_errors()) return {};
  if (spec.mode == SweepMode::product) {
    if (size > static_cast<double>(kMostPoints)) {
      fault(diags, spec.mode_pointer, spec.mode_position,
            "the sweep has " + base::shortest(size) + " points, more than " +
                std::to_string(kMostPoints),
            "vary less, or take a sample: latin:N or sobol:N");
      return {};
    }
    return product(values);
  }
  for (std::size_t a = 1; a < values.size(); ++a)
    if (values[a].size() != values[0].size())
      fault(diags, spec.axes[a].pointer, spec.axes[a].position,
            "\"" + spec.axes[a].path + "\" has " + std::to_string(values[a].size()) +
                " values and \"" + spec.axes[0].path + "\" has " + std::to_string(values[0].size()),
            "zip takes the first of each, the second of each, ...: lists of one length");
  if (diags.has_errors()) return {};
  std::vector<Point> out(values[0].size());
  for (std::size_t i = 0; i < out.size(); ++i)
    for (const std::vector<SweepValue>& axis : values) out[i].push_back(axis[i]);
  return out;
}

std::vector<Point> sampled(const SweepSpec& spec, std::uint64_t seed, Diagnostics& diags) {
  const auto n = static_cast<std::size_t>(spec.samples);
  if (spec.samples < 1 || n > kMostPoints)
    fault(diags, spec.mode_pointer, spec.mode_position,
          "a sample has 1 to " + std::to_string(kMostPoints) + " points", "write latin:64");
  if (spec.mode == SweepMode::sobol && spec.axes.size() > kSobolDimensions)
    fault(diags, spec.mode_pointer, spec.mode_position,
          "Sobol's sequence is known for " + std::to_string(kSobolDimensions) +
              " varied values, not for " + std::to_string(spec.axes.size()),
          "take latin:N");
  if (diags.has_errors()) return {};
  const Samples samples = spec.mode == SweepMode::sobol ? sobol(n, spec.axes.size(), seed)
                                                        : latin(n, spec.axes.size(), seed);
  std::vector<Point> out(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < spec.axes.size(); ++a)
      out[i].push_back(sample_of(spec.axes[a], samples[i][a]));
  return out;
}

void drop_repeats(std::vector<Point>& points) {
  std::set<std::vector<std::string>> seen;
  std::erase_if(points, [&](const Point& point) {
    std::vector<std::string> texts;
    for (const SweepValue& value : point) texts.push_back(text_of(value.value));
    return !seen.insert(std::move(texts)).second;
  });
}

}  // namespace

std::vector<Point> points_of(const SweepSpec& spec, std::uint64_t seed, Diagnostics& diags) {
  if (spec.axes.empty()) {
    fault(diags, "", {}, "nothing is varied",
          "add \"sweep\": { \"storage.ost.count\": [16, 32, 64] } to the scenario, or write --vary "
          "storage.ost.count=16,32,64");
    return {};
  }
  const bool samples = spec.mode == SweepMode::latin || spec.mode == SweepMode::sobol;
  std::vector<Point> out = samples ? sampled(spec, seed, diags) : counted(spec, diags);
  drop_repeats(out);
  return out;
}

}  // namespace stallcast::sweep
