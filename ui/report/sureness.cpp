#include "ui/report/sureness.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/quantity_text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/nominal.hpp"
#include "ui/report/layout.hpp"

namespace stallcast::report {
namespace {

constexpr std::size_t kMostRows = 5;

const Spread* outcome_of(const Prediction& p, const std::string& metric) {
  if (!p.uncertainty) return nullptr;
  const auto found = p.uncertainty->metrics.find(metric);
  return found == p.uncertainty->metrics.end() ? nullptr : &found->second;
}

std::string print_interval(const Interval& interval, const std::string& unit) {
  return print_end(interval.low, unit) + " to " + print_end(interval.high, unit);
}

std::string print_model(double half, const std::string& unit) {
  if (unit == "ratio") return "+-" + points(half, 1);
  return "x" + fixed(std::exp(half), 2);
}

/// How far a target is from being as likely to hold as not, 0 to 0.5.
double decided(const AssertionOutcome& a) {
  return a.probability ? std::abs(*a.probability - 0.5) : 0.5;
}

/// A target between these is in doubt: what would settle another one is no answer to it.
constexpr double kInDoubt = 0.4;

bool in_doubt(const Prediction& p, const AssertionOutcome& a) {
  return decided(a) < kInDoubt && !outcomes_phrase(p, a.metric).empty();
}

/// The figure of the target that is most in doubt, else the first that somebody asks for and that
/// may come out otherwise; "" if none.
std::string first_open(const Prediction& p) {
  const AssertionOutcome* most = nullptr;
  for (const AssertionOutcome& a : p.assertions)
    if (in_doubt(p, a) && (most == nullptr || decided(a) < decided(*most))) most = &a;
  if (most != nullptr) return most->metric;
  for (const std::string& metric : asked_figures(p))
    if (!outcomes_phrase(p, metric).empty()) return metric;
  return "";
}

/// Whether draws that could name an input worth measuring name none. A profile's joint draws and
/// those that were cut off could not.
bool tell_nothing(const Prediction& p) {
  if (!p.uncertainty) return false;
  const Uncertainty& u = *p.uncertainty;
  return u.draws > 0 && !u.inputs.empty() && u.fitted == 0 && u.cut_off == 0 &&
         figure_to_settle(p).empty();
}

/// Why no input is named that is worth measuring; "" where one is, or where no draw could tell.
std::string untold_phrase(const Prediction& p) {
  if (!p.uncertainty->why_few.empty() || !tell_nothing(p)) return "";
  const std::string metric = first_open(p);
  if (metric.empty()) return "";
  const std::string of = label::of_metric(metric, "", p.breakdown.size() > 1);
  if (const std::size_t more = draws_to_ask_for(p); more > 0)
    return "; these do not tell which inputs move " + of + ", --draws " + std::to_string(more) +
           " may";
  const Spread* o = outcome_of(p, metric);
  return "; no input narrows " + of +
         " by being known: " + (o != nullptr && o->luck ? "the luck of failures, seeds" : "seeds") +
         " and the model make its width";
}

}  // namespace

std::string parts_phrase(const Prediction& p, const std::string& metric) {
  const Spread* o = outcome_of(p, metric);
  if (o == nullptr) return "";
  const std::string& unit = p.metrics.at(metric).unit;
  if (print_end(o->all.low, unit) == print_end(o->all.high, unit)) return "";
  const double value = p.metrics.at(metric).value;
  std::string out =
      "middle " + print_end(o->median, unit) + "; by inputs " + print_interval(o->inputs, unit);
  // A reader would take it for a slip otherwise.
  if ((value > o->all.high && print_end(value, unit) != print_end(o->all.high, unit)) ||
      (value < o->all.low && print_end(value, unit) != print_end(o->all.low, unit)))
    out = "outside, as most inputs are stated at one end of their range; " + out;
  if (o->luck) out += ", by luck of failures " + print_interval(*o->luck, unit);
  if (print_end(o->seeds.low, unit) != print_end(o->seeds.high, unit))
    out += ", by seeds " + print_interval(o->seeds, unit);
  out = as_counted(metric, std::move(out));
  if (o->model > 0.0) {
    const std::string model = print_model(o->model, unit);
    const std::string probed = print_model(o->model_probed, unit);
    out += ", by the model " + model;
    if (probed != model) out += " (" + probed + " once stallcast probe loader has measured it)";
  }
  return out;
}

std::string outcomes_phrase(const Prediction& p, const std::string& metric) {
  const Spread* o = outcome_of(p, metric);
  if (o == nullptr) return "";
  const std::string& unit = p.metrics.at(metric).unit;
  if (print_end(o->all.low, unit) == print_end(o->all.high, unit)) return "";
  return "90 % of outcomes " + as_counted(metric, print_interval(o->all, unit));
}

std::string outcomes_and_middle(const Prediction& p, const std::string& metric) {
  const std::string said = outcomes_phrase(p, metric);
  const std::string middle = said.empty() ? said : print_middle(p.metrics.at(metric));
  return middle.empty() ? said : said + as_counted(metric, ", middle " + middle);
}

std::vector<std::string> asked_figures(const Prediction& p) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& metric) {
    if (p.metrics.contains(metric) && std::find(out.begin(), out.end(), metric) == out.end())
      out.push_back(metric);
  };
  for (const std::string& name : headlines(p)) add(name);
  for (const AssertionOutcome& a : p.assertions) add(a.metric);
  return out;
}

std::string figure_to_settle(const Prediction& p) {
  if (!p.uncertainty) return "";
  std::string best;
  double least = 0.5;
  bool doubted = false;
  const auto has_shares = [&](const std::string& metric) {
    const Spread* o = outcome_of(p, metric);
    // Of what comes out alike, as far as it is told, nothing is left to settle.
    return o != nullptr && tells_inputs(*o) && !outcomes_phrase(p, metric).empty();
  };
  for (const AssertionOutcome& a : p.assertions) {
    if (in_doubt(p, a)) doubted = true;
    if (decided(a) >= least || !has_shares(a.metric)) continue;
    least = decided(a);
    best = a.metric;
  }
  if (doubted && least >= kInDoubt) return "";
  if (!best.empty()) return best;
  for (const std::string& name : headlines(p))
    if (has_shares(name)) return name;
  return "";
}

std::string input_range(const UncertainInput& input) {
  const auto print = [&](double v) { return base::print_quantity(v, input.dimension); };
  return print(input.nominal) + ", may be " + print(input.range.low) + " to " +
         print(input.range.high) +
         (input.places > 1 ? " (" + std::to_string(input.places) + " values vary as one)" : "");
}

std::vector<MeasureRow> measure_first(const Prediction& p, const std::string& metric) {
  std::vector<MeasureRow> out;
  const Spread* o = outcome_of(p, metric);
  if (o == nullptr) return out;
  const std::string& unit = p.metrics.at(metric).unit;
  for (const InputShare& share : o->shares) {
    if (out.size() == kMostRows || !narrows(share.rest, o->all)) break;
    const UncertainInput& input = p.uncertainty->inputs[share.input];
    out.push_back({input.path, base::percent(share.total, 0), input_range(input),
                   print_interval(share.rest, unit), input.measure_with});
  }
  return out;
}

std::size_t draws_to_ask_for(const Prediction& p) {
  constexpr std::size_t kFewest = 64, kTimes = 4;
  if (!tell_nothing(p)) return 0;
  const Spread* o = outcome_of(p, first_open(p));
  if (o == nullptr || !narrows(o->known, o->all)) return 0;
  // What the shares are of is known, and is little next to what seeds and the model do.
  if (o->explained >= kExplained && !o->shares.empty()) return 0;
  const std::size_t draws = p.uncertainty->draws;
  return draws < kFewest ? kFewest : kTimes * draws;
}

std::string drawn_phrase(std::size_t draws, std::size_t inputs, std::size_t fitted) {
  const auto number = [](std::size_t n, const char* noun) {
    return counted(static_cast<std::int64_t>(n), noun);
  };
  std::string out = number(draws, "draws") + " of ";
  if (inputs > 0 || fitted == 0) out += number(inputs, "uncertain inputs");
  if (inputs > 0 && fitted > 0) out += " and of ";
  if (fitted > 0) out += number(fitted, "values") + " of the profile, jointly";
  return out;
}

std::string draws_phrase(const Prediction& p) {
  const Uncertainty& u = *p.uncertainty;
  std::string out = u.draws == 0
                        ? counted(static_cast<std::int64_t>(u.inputs.size()), "uncertain inputs") +
                              ", and none was varied"
                        : drawn_phrase(u.draws, u.inputs.size(), u.fitted);
  if (u.broken > 0)
    out +=
        "; " + std::to_string(u.broken) + " more made no design that can be built or did not end";
  if (u.cut_off > 0)
    out += ", of " + std::to_string(u.draws + u.broken + u.cut_off) +
           ": the others were cut off, by the time limit or an interrupt";
  if (!u.why_few.empty()) out += "; " + u.why_few;
  out += untold_phrase(p);
  return out;
}

std::string meets_phrase(const Prediction& p) {
  return std::string(tried_nominally(p) ? "nominally " : "") + "meets all targets";
}

namespace {

/// "71", "less than 1": of 100.
std::string hundredths(double probability, std::optional<double> asked) {
  const double exact = 100.0 * probability, need = 100.0 * asked.value_or(0.0);
  const double whole = std::round(exact);
  // A digit more where the whole number would be on the other side of what is asked.
  if (const bool holds = probability >= asked.value_or(0.0); asked && holds != (whole >= need)) {
    double tenths = std::round(10.0 * exact);
    if (holds != (tenths >= 10.0 * need - 1e-9))
      tenths = holds ? std::ceil(10.0 * exact) : std::floor(10.0 * exact);
    return fixed(tenths / 10.0, 1);
  }
  if (whole <= 0.0) return "less than 1";
  if (whole >= 100.0) return "more than 99";
  return fixed(whole, 0);
}

/// "80", of a target that asks for a confidence; "" else.
std::string needed(const AssertionOutcome& a) {
  return a.confidence ? base::shortest(base::rounded_to(100.0 * *a.confidence, 6)) : "";
}

}  // namespace

std::string cases_of(double probability, std::optional<double> asked) {
  return hundredths(probability, asked) + " of 100 cases";
}

std::string cases_phrase(const AssertionOutcome& a) {
  if (!a.probability) return "";
  std::string out = cases_of(*a.probability, a.confidence);
  if (a.confidence) out += " (need " + needed(a) + ")";
  return out;
}

bool is_unlikely(const AssertionOutcome& a) {
  return a.status == "pass" && !a.confidence && a.probability && *a.probability < 0.5;
}

bool is_unlikely(const Prediction& p) {
  return p.verdict == Verdict::pass &&
         std::any_of(p.assertions.begin(), p.assertions.end(),
                     [](const AssertionOutcome& a) { return is_unlikely(a); });
}

std::string probability_phrase(const AssertionOutcome& a) {
  return a.probability ? "holds in " + cases_phrase(a) : "";
}

std::string probability_in_short(const AssertionOutcome& a) {
  if (!a.probability) return "";
  return "holds in " + hundredths(*a.probability, a.confidence) + " %" +
         (a.confidence ? ", need " + needed(a) : "");
}

}  // namespace stallcast::report
