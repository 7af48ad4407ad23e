#include <algorithm>
#include <cmath>

#include "engine/base/assertion.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "stallcast/nominal.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report::html {
namespace {

constexpr double kHalf = kHalfWidth;
constexpr double kGaugeThick = 10.0, kGaugeRoom = 22.0, kGaugeGap = 12.0;
constexpr double kGaugeSide = 4.0;
constexpr double kPadding = 0.08;  // of the range, at both of its ends
constexpr std::size_t kMostOptions = 4;
constexpr std::size_t kMostMoving = 3;
constexpr std::string_view kBoundsAlone =
    "Bounds alone: nothing was simulated, and a run may keep GPUs less busy.";

/// From figures to places in a drawing.
class GaugeAxis {
 public:
  GaugeAxis(double low, double high) : low_(low), high_(high) {
    const double more = kPadding * (high - low);
    low_ -= more, high_ += more;
  }
  [[nodiscard]] double at(double value) const {
    if (!(high_ > low_)) return kHalf / 2.0;
    return kGaugeSide +
           std::clamp((value - low_) / (high_ - low_), 0.0, 1.0) * (kHalf - 2.0 * kGaugeSide);
  }

 private:
  double low_, high_;
};

std::string block(const std::string& title, const std::string& body) {
  return body.empty()
             ? body
             : "<div class=\"block\">" + element("h2", title) + captioned(title, body) + "</div>\n";
}

const char* colour_of(const AssertionOutcome& a) {
  return a.status == "pass" ? "good" : a.status == "fail" && a.level != "warn" ? "bad" : "unsure";
}

/// What is said of a bar, at the left and in colour at the right; on lines of their own where they
/// do not fit beside each other. Moves `y` down to the bar.
std::string said_above(double& y, const std::string& name, const std::string& said,
                       const std::string& colour) {
  constexpr double kApart = 12.0;
  const std::vector<std::string> lines = lines_of(name, kHalf - 2.0 * kGaugeSide);
  std::string out = svg_labels(kGaugeSide, y + 13.0, "start", lines);
  y += kTextLine * static_cast<double>(lines.size());
  const double room = kHalf - 2.0 * kGaugeSide - width_of(lines.empty() ? "" : lines.back());
  if (width_of(said) + kApart > room) y += kTextLine;
  return out + svg_label(kHalf - kGaugeSide, y - 4.0, "end", said, colour);
}

/// What is predicted of a metric and what may become of it, on a line.
std::string dot_and_band(const GaugeAxis& x, double y, double value,
                         const std::optional<std::pair<double, double>>& band,
                         const std::string& colour) {
  const double middle = y + kGaugeRoom / 2.0;
  std::string out = svg_line(kGaugeSide, middle, kHalf - kGaugeSide, middle, "line");
  if (band)
    out += svg_rect(x.at(band->first), middle - kGaugeThick / 2.0,
                    x.at(band->second) - x.at(band->first), kGaugeThick, "bar", 0.35);
  return out + "<circle cx=\"" + fixed(x.at(value), 1) + "\" cy=\"" + fixed(middle, 1) +
         "\" r=\"5.5\" style=\"fill:var(--" + colour + ")\"/>";
}

std::optional<std::pair<double, double>> band_of(const Prediction& p, const std::string& metric) {
  const Metric* m = find(p, metric);
  return m == nullptr ? std::nullopt : m->ci90 ? m->ci90 : m->ci95;
}

/// A gauge: the target's limit, what is predicted, and the margin between. Moves `y` below it.
std::string gauge(const Prediction& p, const AssertionOutcome& a, double& y) {
  const auto band = band_of(p, a.metric);
  double low = std::min(a.value, *a.limit), high = std::max(a.value, a.upper.value_or(*a.limit));
  if (band) low = std::min(low, band->first), high = std::max(high, band->second);
  const GaugeAxis x(low, high);
  std::string text = print_predicted(a);
  if (const std::string share = probability_in_short(a); !share.empty()) text += " (" + share + ")";
  std::string out =
      said_above(y, a.id + ": " + target_phrase(a, p.breakdown.size() > 1), text, colour_of(a));
  out += dot_and_band(x, y, a.value, band, colour_of(a));
  for (const std::optional<double>& limit : {a.limit, a.upper})
    if (limit && std::isfinite(*limit))
      out += svg_rect(x.at(*limit) - 1.5, y + 1.0, 3.0, kGaugeRoom - 2.0, colour_of(a));
  y += kGaugeRoom + kGaugeGap;
  return out;
}

std::string gauges(const Prediction& p) {
  std::string content, said;
  double y = 0.0;
  bool banded = false;
  for (const AssertionOutcome& a : p.assertions) {
    if (!a.limit || !std::isfinite(*a.limit)) continue;
    banded = banded || band_of(p, a.metric).has_value();
    content += gauge(p, a, y);
    said += (said.empty() ? "targets: " : "; ") + target_phrase(a, p.breakdown.size() > 1) +
            ", predicted " + print_predicted(a);
  }
  if (content.empty()) return "";
  return block("Targets", "<figure data-name=\"targets\">" + svg(said, kHalf, y, content, "half") +
                              element("figcaption",
                                      std::string(is_estimate(p) ? "Dot: what bounds allow"
                                                                 : "Dot: predicted") +
                                          "; upright: the limit" +
                                          (banded ? "; band: what it may turn out to be." : "."),
                                      "soft") +
                              "</figure>\n");
}

std::string time(const Prediction& p) {
  std::string out;
  for (const auto& [job, shares] : p.breakdown)
    out +=
        block(p.breakdown.size() > 1 ? "Where the time of " + job + " goes" : "Where the time goes",
              waterfall_chart(job, shares, cpu_words(p, job), WaterfallWidth::half));
  return out;
}

/// Of tenants alone, what they do.
std::string tenants(const Prediction& p) {
  std::string out;
  for (const std::string& line : tenant_lines(p)) out += element("li", line) + "\n";
  return out.empty() ? out : block("Tenants", "<ul class=\"moving\">" + out + "</ul>\n");
}

/// One design: as it is, or with a change.
struct DesignOption {
  std::string name, path;
  double used = 0.0;  ///< as figure_gained
  std::optional<double> stall, cost, margin;
  std::string targets;  ///< markup: how they stand
};

std::optional<double> stall_of(const Prediction& p) {
  std::optional<double> out;
  for (const auto& [job, shares] : p.breakdown)
    if (const Metric* m = find(p, metric::checkpoint(job, "stall")))
      out = std::max(out.value_or(0.0), m->value);
  return out;
}

std::optional<double> margin_of(const Prediction& p) {
  std::optional<double> out;
  for (const AssertionOutcome& a : p.assertions) {
    const Result<base::Assertion> asked = base::parse_assertion(a.that);
    if (a.level == "warn" || !asked.ok() || !a.limit || !std::isfinite(*a.limit)) continue;
    const double margin = base::margin(*asked, a.value, *a.limit, a.upper);
    out = std::min(out.value_or(margin), margin);
  }
  return out;
}

/// Whether designs are judged by goodput, here and in what is said of changes.
bool by_goodput(const Prediction& p) {
  return figure_gained(p, p.alternatives).value == &Alternative::goodput;
}

/// "GPU utilization", or "goodput", of which changes and other designs are told; of a run that goes
/// on beyond what was simulated with these words.
std::string figure_told(const Prediction& p) {
  return std::string(by_goodput(p) ? "goodput" : "GPU utilization") +
         (lasting_note(p).empty() ? "" : " in a long run");
}

std::vector<DesignOption> options_of(const Prediction& p) {
  const auto used = figure_gained(p, p.alternatives).value;
  const double now = used == &Alternative::goodput ? lasting_goodput(p) : lasting_utilization(p);
  std::vector<DesignOption> out{{"as it is", "", now, stall_of(p), std::nullopt, margin_of(p),
                                 targets_mark(p.verdict, false)}};
  std::vector<const Alternative*> order;
  for (const Alternative& a : p.alternatives)
    if (is_useful(a, p)) order.push_back(&a);
  std::stable_partition(order.begin(), order.end(),
                        [](const Alternative* a) { return a->verdict == Verdict::pass; });
  for (const Alternative* a : order) {
    if (out.size() > kMostOptions) break;
    out.push_back({label::of_change(a->change), a->change, a->*used, a->stall, a->cost, a->margin,
                   targets_mark(a->verdict, tried_nominally(p), missed_targets(*a))});
  }
  return out;
}

std::string cost_text(const std::optional<double>& cost) {
  if (!cost) return "";
  if (std::abs(*cost) < 1.0) return "none";
  return (*cost > 0.0 ? "+" : "") + print_value(*cost, "USD");
}

/// The design as it is and changes that help, beside each other.
std::string options(const Prediction& p) {
  if (p.breakdown.empty() || !time_gained(p).empty()) return "";
  const std::vector<DesignOption> all = options_of(p);
  const bool nominal = tried_nominally(p);
  const auto some = [&](auto member) {
    return std::any_of(all.begin(), all.end(),
                       [&](const DesignOption& o) { return (o.*member).has_value(); });
  };
  const bool stalls = some(&DesignOption::stall), costs = some(&DesignOption::cost),
             margins = some(&DesignOption::margin);
  std::vector<Column> columns{{"design"}, {by_goodput(p) ? "goodput" : "GPUs", "number"}};
  if (stalls) columns.push_back({"stall per save", "number"});
  if (costs) columns.push_back({"cost", "number"});
  if (margins) columns.insert(columns.end(), {{"margin", "number"}, {"targets"}});
  std::vector<std::vector<std::string>> rows;
  for (const DesignOption& o : all) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(o.path.empty() ? markup(o.name) : titled(o.name, o.path));
    row.push_back(print_share(o.used));
    if (stalls) row.push_back(o.stall ? print_value(*o.stall, "s") : "");
    if (costs) row.push_back(cost_text(o.cost));
    if (!margins) continue;
    row.push_back(o.margin ? print_target_margin(*o.margin) : "");
    row.push_back(o.targets);
  }
  if (rows.size() < 2) return "";
  return block("Options",
               table(columns, rows) +
                   element("p",
                           std::string("Each change alone, simulated") +
                               (nominal ? ", without draws: " : ": ") + figure_told(p) + "." +
                               (margins ? " Margin: of the target that is met by least." : ""),
                           "soft"));
}

/// GPU utilization, or goodput, and cost over how many there are of what is bought by number.
std::string counts(const Prediction& p) {
  if (p.counts.points.size() < 3 || p.breakdown.empty()) return "";
  Plot plot;
  const bool one = p.breakdown.size() == 1, kept = by_goodput(p);
  const std::string noun = label::of_count(p.counts.name);
  const std::string figure = figure_told(p);
  plot.x = {"number of " + noun, "count"};
  plot.y = {figure + (one ? "" : ", mean of jobs"), "ratio"};
  plot.joined = plot.half = true;
  for (const CountedDesign& c : p.counts.points) {
    const bool judged = p.verdict != Verdict::none, meets = c.verdict == Verdict::pass;
    const std::string n = print_value(c.count, "count");
    const double used = kept ? c.goodput : c.utilization;
    Dot dot{c.count, used, !judged ? "bar" : meets ? "good" : "bad", !judged || meets};
    dot.title = n + " " + noun + ": " + print_share(used);
    dot.chosen = c.count == p.counts.now;
    if (dot.chosen) plot.chosen = "now " + n + ": " + print_share(used);
    if (c.cost) plot.bars.push_back({c.count, *c.cost, print_value(*c.cost, "USD"), dot.chosen});
    plot.dots.push_back(std::move(dot));
  }
  plot.bars_name = "cost of all that has a price";
  std::string caption;
  bool banded = false;
  if (one) {
    const std::string& job = p.breakdown.begin()->first;
    const std::string metric =
        lasting_name(p, job, kept ? metric::kGoodput : metric::kGpuUtilization);
    plot.targets = limits_on(p, metric);
    if (const Metric* m = find(p, metric); m != nullptr && m->ci90) {
      banded = true;
      for (Dot& dot : plot.dots) {
        const auto [low, high] = dot.chosen ? *m->ci90 : outcomes_like(*m, dot.y);
        dot.outcomes = {low, dot.y, high};
      }
    }
  }
  if (p.verdict != Verdict::none) caption = "Filled: " + meets_phrase(p) + "; hollow: misses one.";
  if (banded)
    caption += " The band is what it may turn out to be; of other numbers about as far off.";
  return block("How many " + noun,
               "<figure data-name=\"counts\">" + scatter(figure + " over " + noun, plot) +
                   (caption.empty() ? caption : element("figcaption", caption, "soft")) +
                   "</figure>\n");
}

/// What could change the answer: inputs that are not known, most first.
std::string moving(const Prediction& p, const ReportContext& context) {
  std::string out;
  std::size_t n = 0;
  const std::string settle = figure_to_settle(p);
  for (const MeasureRow& row : measure_first(p, settle)) {
    if (n++ == kMostMoving) break;
    out += "<li>" + titled(label::of_input(row.input), row.input) + ", " + markup(row.range) +
           ": " + element("b", row.share, "ends") + " of the spread of " +
           markup(label::of_metric(settle, "")) +
           (row.with.empty() ? "" : markup("; measure with: " + row.with)) + "</li>\n";
  }
  for (const InputSwing& swing : p.swings) {
    const Metric* m = find(p, swing.metric);
    const std::string unit = m == nullptr ? "" : m->unit;
    const std::string low = as_counted(swing.metric, print_end(swing.at_low, unit)),
                      high = as_counted(swing.metric, print_end(swing.at_high, unit));
    if (n >= kMostMoving || low == high) continue;
    ++n;
    out += "<li>" + titled(label::of_input(swing.input.path), swing.input.path) + ", " +
           markup(input_range(swing.input)) + ": " + markup(label::of_metric(swing.metric, unit)) +
           " then " + element("b", low + " to " + high, "ends") + "</li>\n";
  }
  constexpr const char* kTitle = "What could change the answer";
  if (n > 0) return block(kTitle, "<ul class=\"moving\">" + out + "</ul>\n");
  if (p.uncertainty) return block(kTitle, element("p", draws_phrase(p), "soft"));
  if (context.assumptions.empty()) return "";
  const std::string assumed = count_of(context.assumptions.size(), "input");
  return block(
      kTitle,
      element("p",
              p.varied > 0 ? "Little: no assumed input moves it by a thousandth."
                           : assumed + " " + (context.assumptions.size() == 1 ? "is" : "are") +
                                 " assumed, none of which was varied: --draws 64 tells "
                                 "which matter.",
              "soft"));
}

}  // namespace

std::string first_page(const Prediction& p, const ReportContext& context) {
  const std::string verdict =
      p.verdict == Verdict::none ? "" : std::string(verdict_name(p.verdict));
  const std::string advice = advice_phrase(p);
  return heading(p.scenario_id, verdict, verdict_phrase(p), limit_phrase(p), p.system,
                 is_unlikely(p)) +
         (is_estimate(p) ? element("p", kBoundsAlone, "warn") : std::string()) +
         (advice.empty() ? advice : element("p", advice, "advice")) + picture_figure(p) +
         "<div class=\"first\"><div>\n" + gauges(p) + time(p) + tenants(p) + "</div><div>\n" +
         counts(p) + options(p) + moving(p, context) + "</div></div>\n";
}

std::string slide(const Prediction& p, const ReportContext& context, const Style& style) {
  return "<style>@page{size:1280px 720px;margin:0}</style>\n<main class=\"slide\">\n" +
         first_page(p, context) + element("p", run_phrase(p, context, style), "soft made") +
         "</main>\n";
}

}  // namespace stallcast::report::html
