#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

/// Measurements and calibration profiles as people read them.
namespace stallcast::report {
namespace {

/// Of what no clock shows, laws leave a rest.
bool is_nothing(double value, Dimension dimension) {
  constexpr double kNoTime = 1e-12;  // s
  return dimension == Dimension::time && value < kNoTime;
}

std::string fitted_text(double value, Dimension dimension) {
  return base::print_quantity(is_nothing(value, dimension) ? 0.0 : value, dimension);
}

std::string in_unit(double value, const std::string& unit) {
  // Ratios of laws read as numbers.
  const Dimension dimension =
      unit == "ratio" ? Dimension::number : metric::dimension_of(unit).value_or(Dimension::number);
  return fitted_text(value, dimension);
}

std::string value_text(const ProfileValue& v) {
  return v.text.empty() ? fitted_text(v.value, v.dimension) : v.text;
}

/// Of one run neither the error nor the spread is known.
bool is_one_run(const Fit& fit) { return fit.cells == 1 && fit.runs == 1; }

/// "5.99 GB/s to 6.71 GB/s"; "5.99 GB/s or more" of what nothing was seen to end.
std::string ends_text(const std::string& low, const std::string& high, bool ends) {
  return ends ? low + " to " + high : low + " or more";
}
bool has_end(double value, double high) {
  constexpr double kNoEnd = 1e3;  // times the value
  return !(value > 0.0) || high <= kNoEnd * value;
}

/// Nothing where there is none.
std::string interval_text(const CalibrationProfile& profile, const ProfileValue& v) {
  if (std::ranges::any_of(profile.fits,
                          [&](const Fit& fit) { return fit.id == v.fit && is_one_run(fit); }) &&
      v.low == v.high)
    return "interval not known";
  if (!v.text.empty() || v.low == v.high) return "";
  return ends_text(fitted_text(v.low, v.dimension), fitted_text(v.high, v.dimension),
                   is_nothing(v.value, v.dimension) || has_end(v.value, v.high));
}

/// "; held-out cells off by 2.8 % (median), 6.6 % (one in ten more)".
std::string held_out_text(const Fit& fit) {
  return std::string("; held-out ") + (fit.cells == 1 ? "runs" : "cells") + " off by " +
         base::percent(fit.median_error, 1) + " (median), " + base::percent(fit.p90_error, 1) +
         " (one in ten more)" +
         (fit.noise > 0.0 ? "; runs repeat within " + base::percent(fit.noise, 1) : std::string());
}

std::string fits_of(const std::vector<ProfileValue>& values) {
  std::set<std::string> fits;
  for (const ProfileValue& value : values) fits.insert(value.fit);
  return base::join(std::vector(fits.begin(), fits.end()), ", ");
}

std::string fit_lines(const Fit& fit, const Ink& ink) {
  const std::string verdict(name_of(fit.verdict));
  const std::string coloured = fit.verdict == FitVerdict::accepted ? ink.good(verdict)
                               : fit.verdict == FitVerdict::usable ? ink.doubtful(verdict)
                                                                   : ink.bad(verdict);
  std::string out = "\n" + ink.bold(fit.id) + "  " + coloured + "\n";
  if (fit.law == kObservedLaw) {
    out += wrapped("  ", fit.law + ": " + fit.equation, 4) + "  " + left("", 34) +
           right("observed", 12) + right("now predicted", 16) + "\n";
    for (const FitResidual& r : fit.residuals) {
      const auto said = [&](const std::string& text) { return as_counted(r.cell, text); };
      // A name that is too long has a line of its own: its middle says whose figure it is.
      constexpr std::size_t kName = 34;
      out += "  " + left(r.cell, kName) +
             (r.cell.size() < kName ? "" : "\n" + std::string(2 + kName, ' ')) +
             right(said(print_value(r.measured, r.unit)), 12) +
             right(said(print_beside(r.fitted, r.measured, r.unit)), 16) + "\n";
    }
  } else if (!fit.law.empty()) {
    out += wrapped("  ", fit.law + ": " + fit.equation, 4);
    out += wrapped("  ",
                   count_of(fit.cells, "cell") + ", " + count_of(fit.runs, "run") +
                       (is_one_run(fit) ? ": nothing could be held out" : held_out_text(fit)),
                   4);
  }
  for (const FittedParameter& p : fit.parameters)
    out += "  " + left("  " + p.name, 10) + right(in_unit(p.value, p.unit), 14) +
           right(is_one_run(fit) && p.low == p.high
                     ? "interval not known"
                     : ends_text(in_unit(p.low, p.unit), in_unit(p.high, p.unit),
                                 has_end(p.value, p.high)),
                 32) +
           (p.identified ? "" : "  not decided") + "\n";
  for (const std::string& reason : fit.reasons) out += wrapped("  - ", reason, 4);
  return out;
}

/// Flags that every measurement has: said once.
std::set<std::string> flags_of_all(const std::vector<Measurement>& all) {
  std::set<std::string> out;
  if (all.size() < 2) return out;
  out.insert(all.front().flags.begin(), all.front().flags.end());
  for (const Measurement& m : all)
    std::erase_if(out, [&](const std::string& flag) {
      return std::find(m.flags.begin(), m.flags.end(), flag) == m.flags.end();
    });
  return out;
}

/// The device or file that a record is of; "" where it does not say.
std::string place_of(const Measurement& m) {
  for (const char* key : {"device", "filename"})
    if (const auto at = m.options.find(key); at != m.options.end()) return at->second;
  return "";
}

/// Runs of one cell differ in what they measured only.
bool same_cell(const Measurement& a, const Measurement& b) {
  const auto key = [](const Measurement& m) {
    return std::tie(m.subject, m.operation, m.pattern, m.path, m.size, m.read_share, m.processes,
                    m.depth, m.direct);
  };
  return key(a) == key(b) && place_of(a) == place_of(b);
}

/// Of all `runs` that have it, the middle of what `of` gives; 0 where none has.
template <class Of>
double middle_of(std::span<const Measurement> runs, const Of& of) {
  std::vector<double> values;
  for (const Measurement& m : runs)
    if (const std::optional<double> value = of(m)) values.push_back(*value);
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

double speed_of(const Measurement& m) {
  return m.ops > OpRate{} ? m.ops.in(unit::per_s) : m.rate.in(unit::Bps);
}

/// "middle of 5 runs, 98.2 % to 103 %": how far they lie apart.
std::string spread_text(std::span<const Measurement> runs) {
  std::string out = "middle of " + std::to_string(runs.size()) + " runs";
  const double middle =
      middle_of(runs, [](const Measurement& m) { return std::optional(speed_of(m)); });
  if (middle <= 0.0) return out;
  const auto [least, most] = std::minmax_element(
      runs.begin(), runs.end(), [](auto& a, auto& b) { return speed_of(a) < speed_of(b); });
  return out + ", " + base::print_quantity(speed_of(*least) / middle, Dimension::ratio) + " to " +
         base::print_quantity(speed_of(*most) / middle, Dimension::ratio);
}

/// What reads and writes that were mixed moved: half of it, or all.
std::string mix_text(const Measurement& m) {
  if (!m.is_mix()) return "";
  const std::string share = base::print_quantity(*m.read_share, Dimension::ratio) + " reads";
  return m.operation == "mixed" ? share : "the " + m.operation + "s of a mix with " + share;
}

/// One line for the runs of a cell, the middle of each figure, and what else there is to say.
/// `several`: places, so that each is named.
std::string cell_lines(std::span<const Measurement> runs, const std::set<std::string>& common,
                       bool several) {
  const Measurement& m = runs.front();
  const auto print = [&](Dimension dimension, const auto& of) {
    const double value = middle_of(runs, of);
    return value > 0.0 ? base::print_quantity(value, dimension) : std::string();
  };
  const auto seconds = [](const std::optional<Seconds>& time) {
    return time ? std::optional(time->in(unit::s)) : std::nullopt;
  };
  std::string what = std::string(name_of(m.subject)) + " " + m.operation;
  for (const std::string& part : {m.pattern, m.path})
    if (!part.empty()) what += " " + part;
  using One = const Measurement&;
  // What does not fit stands above its figures.
  const bool wide = shortened(what, 23) != what;
  std::string out =
      (wide ? "  " + what + "\n" : "") + "  " + left(wide ? "" : what, 24) +
      right(print(Dimension::bytes, [](One o) { return std::optional(o.size.in(unit::B)); }), 10) +
      right(print(Dimension::number, [](One o) { return std::optional(o.depth); }), 7) +
      right(print(Dimension::rate, [](One o) { return std::optional(o.rate.in(unit::Bps)); }), 13) +
      right(print(Dimension::op_rate, [](One o) { return std::optional(o.ops.in(unit::per_s)); }),
            13) +
      right(print(Dimension::time, [&](One o) { return seconds(o.latency); }), 11);
  out.erase(out.find_last_not_of(' ') + 1);
  out += "\n";
  std::vector<std::string> more;
  if (const std::string place = place_of(m); several && !place.empty())
    more.push_back("of " + place);
  if (const std::string mix = mix_text(m); !mix.empty()) more.push_back(mix);
  if (runs.size() > 1) more.push_back(spread_text(runs));
  std::set<std::string> notes, figures;
  bool timed_only = true;
  for (const Measurement& one : runs) {
    for (const std::string& flag : one.flags)
      if (!common.contains(flag)) notes.insert(flag);
    for (const auto& [key, value] : one.figures) figures.insert(key);
    timed_only = timed_only && one.duration && speed_of(one) <= 0.0;
  }
  more.insert(more.end(), notes.begin(), notes.end());
  if (timed_only)
    more.push_back("took " + print(Dimension::time, [&](One o) { return seconds(o.duration); }));
  for (const std::string& key : figures)
    more.push_back(key + " " +
                   base::significant(middle_of(runs,
                                               [&](One o) {
                                                 const auto at = o.figures.find(key);
                                                 return at == o.figures.end()
                                                            ? std::nullopt
                                                            : std::optional(at->second);
                                               }),
                                     5));
  return more.empty() ? out : out + wrapped("      ", base::join(more, ", "), 6);
}

/// "0.62 to 0.97": of a factor, or of the value itself.
std::string narrowed_interval(const NarrowedInput& n, double low, double high) {
  if (n.scales) return base::significant(low, 3) + " to " + base::significant(high, 3);
  return fitted_text(low, n.dimension) + " to " + fitted_text(high, n.dimension);
}

std::string effective_draws(const CalibrationProfile& profile) {
  const auto found = profile.environment.find("effective draws");
  return found == profile.environment.end() ? "?" : found->second;
}

double effective_number(const CalibrationProfile& profile) {
  return base::parse_number(effective_draws(profile)).value_or(HUGE_VAL);
}

/// The inputs that what was observed says most of, and how many it says nothing of.
std::string narrowed_text(const CalibrationProfile& profile, const Ink& ink) {
  constexpr double kEnoughDraws = 50.0;
  // As far as four standard errors of one figure: one in 16,000 inputs is so far off by chance.
  constexpr double kChance = 19.3;  // docs/models/uncertainty.md, eq. 16
  if (profile.narrowed.empty()) return "";
  std::vector<const NarrowedInput*> said;
  for (const NarrowedInput& n : profile.narrowed)
    if (n.told > kChance) said.push_back(&n);
  std::stable_sort(said.begin(), said.end(), [](const NarrowedInput* a, const NarrowedInput* b) {
    return a->told > b->told;
  });
  std::string out = "\n" + ink.bold("Inputs it narrows or moves") +
                    " (nine in ten; x: times what is stated)\n" + "  " + left("", 34) +
                    right("before", 21) + right("after", 21) + "\n";
  for (const NarrowedInput* n : said) {
    const std::string name = n->role +
                             (n->component.empty() ? " " + n->kind : "[" + n->component + "]") +
                             " " + n->field;
    out += "  " + left(shortened(name + (n->scales ? " x" : ""), 34), 34) +
           right(narrowed_interval(*n, n->low_before, n->high_before), 21) +
           right(narrowed_interval(*n, n->low, n->high), 21) + "\n";
  }
  const std::size_t rest = profile.narrowed.size() - said.size();
  if (rest == 0) return out;
  const std::string others = count_of(rest, said.empty() ? "input" : "other input");
  // Of few draws chance is as wide as what was learned.
  if (effective_number(profile) < kEnoughDraws)
    return out + wrapped("  ",
                         others + ": the " + effective_draws(profile) +
                             " draws that are left do not tell what it says of each; runs "
                             "with the profile take them together",
                         4);
  return out +
         wrapped("  ",
                 others + ": no further than chance moves them in the " + effective_draws(profile) +
                     " draws that are left; runs with the profile take all together",
                 4);
}

}  // namespace

std::string profile_text(const CalibrationProfile& profile, const Style& style) {
  const Ink ink(style.colour);
  std::string out = ink.bold("Calibration profile " + profile.id) + "\n";
  for (const ProfileInput& input : profile.inputs)
    out += wrapped("  ", input.file + ": " + input.tool + " " + input.tool_version, 4);
  if (const auto buffers = profile.environment.find("buffers");
      buffers != profile.environment.end())
    out += wrapped("  buffers: ", buffers->second, 4);
  if (const auto simulations = profile.environment.find("simulations");
      simulations != profile.environment.end())
    out += "  " + simulations->second + " simulations, of which " + effective_draws(profile) +
           " independent draws are left\n";
  // Of a profile that an observed run was calibrated with, the fits were reported when it was made.
  const bool observed = !profile.fits.empty() && profile.fits.front().law == kObservedLaw;
  for (const Fit& fit : profile.fits)
    if (!observed || &fit == &profile.fits.front()) out += fit_lines(fit, ink);
  if (observed && !profile.values.empty())
    out += "\n" + wrapped("Fields it sets, as the profile that it was made with: ",
                          std::to_string(profile.values.size()) + ", by " + fits_of(profile.values),
                          2);
  if (!observed && !profile.values.empty()) {
    out += "\n" + ink.bold("Fields it sets") + "\n";
    for (const ProfileValue& v : profile.values) {
      std::string line = left(v.role + (v.kind.empty() ? "" : " " + v.kind) + " " + v.field, 38) +
                         right(value_text(v), 12);
      if (const std::string interval = interval_text(profile, v); !interval.empty())
        line += right(interval, 28);
      out += "  " + line + "\n";
    }
  }
  out += narrowed_text(profile, ink);
  std::vector<std::string> unused;
  for (const Fit& fit : profile.fits)
    if (fit.verdict != FitVerdict::refused &&
        std::none_of(profile.values.begin(), profile.values.end(),
                     [&](const ProfileValue& v) { return v.fit == fit.id; }))
      unused.push_back(fit.id);
  // What an observed run says is said above.
  if (!unused.empty() && profile.narrowed.empty())
    out += "\n" + wrapped("Set no field: ", base::join(unused, ", "), 2);
  return out;
}

std::string measurements_text(const MeasurementSet& set, const Style& style) {
  const Ink ink(style.colour);
  std::string out = ink.bold(set.tool + (set.tool_version.empty() ? "" : " " + set.tool_version)) +
                    ": " + count_of(set.measurements.size(), "measurement") + "\n";
  for (const auto& [key, value] : set.environment) out += wrapped("  " + key + ": ", value, 4);
  const std::set<std::string> common = flags_of_all(set.measurements);
  if (!common.empty())
    out += wrapped("  all of them: ",
                   base::join(std::vector<std::string>(common.begin(), common.end()), ", "), 4);
  out += "\n  " + left("", 24) + right("size", 10) + right("depth", 7) + right("rate", 13) +
         right("ops", 13) + right("latency", 11) + "\n";
  std::set<std::string> places;
  for (const Measurement& m : set.measurements) places.insert(place_of(m));
  for (std::size_t i = 0; i < set.measurements.size();) {
    std::size_t end = i + 1;
    while (end < set.measurements.size() && same_cell(set.measurements[i], set.measurements[end]))
      ++end;
    out += cell_lines(std::span(set.measurements).subspan(i, end - i), common, places.size() > 1);
    i = end;
  }
  for (const std::string& field : set.ignored) out += wrapped("  not read: ", field, 4);
  return out;
}

}  // namespace stallcast::report
