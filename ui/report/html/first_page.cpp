#include <algorithm>
#include <cmath>

#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/html/chart.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::report::html {
namespace {

// Drawn for half a page, or for all of a narrow screen.
constexpr double kHalf = 460.0;
constexpr double kRow = 46.0, kRowText = 15.0, kRowBar = 24.0, kBarThick = 10.0;
constexpr double kSide = 6.0;
constexpr double kPadding = 0.08;  // of the range, at both of its ends
constexpr std::size_t kMostOptions = 4;
constexpr std::size_t kMostMoving = 3;
constexpr std::size_t kOptionLetters = 44;

/// From figures to places in a drawing.
class Axis {
 public:
  Axis(double low, double high) : low_(low), high_(high) {
    const double more = kPadding * (high - low);
    low_ -= more, high_ += more;
  }
  [[nodiscard]] double at(double value) const {
    if (!(high_ > low_)) return kHalf / 2.0;
    return kSide + std::clamp((value - low_) / (high_ - low_), 0.0, 1.0) * (kHalf - 2.0 * kSide);
  }

 private:
  double low_, high_;
};

std::string half_drawing(const std::string& name, double height, const std::string& content) {
  return "<svg class=\"half\" role=\"img\" aria-label=\"" + markup(name) + "\" viewBox=\"0 0 " +
         fixed(kHalf, 0) + " " + fixed(height, 0) + "\">" + content + "</svg>\n";
}

std::string block(const std::string& title, const std::string& body) {
  return "<div class=\"block\">" + element("h2", title) + body + "</div>\n";
}

std::string coloured_label(double y, std::string_view text, std::string_view colour) {
  return "<text x=\"" + fixed(kHalf - kSide, 1) + "\" y=\"" + fixed(y, 1) +
         "\" text-anchor=\"end\" style=\"fill:var(--" + std::string(colour) + ")\">" +
         markup(text) + "</text>";
}

const char* colour_of(const AssertionOutcome& a) {
  return a.status == "pass" ? "good" : a.status == "fail" && a.level != "warn" ? "bad" : "unsure";
}

/// What is predicted of a metric and what may become of it, on a line.
std::string dot_and_band(const Axis& x, double y, double value,
                         const std::optional<std::pair<double, double>>& band,
                         const std::string& colour) {
  const double middle = y + kRowBar + kBarThick / 2.0;
  std::string out = svg_line(kSide, middle, kHalf - kSide, middle, "line");
  if (band)
    out += svg_rect(x.at(band->first), y + kRowBar, x.at(band->second) - x.at(band->first),
                    kBarThick, "bar", 0.35);
  return out + "<circle cx=\"" + fixed(x.at(value), 1) + "\" cy=\"" + fixed(middle, 1) +
         "\" r=\"5.5\" style=\"fill:var(--" + colour + ")\"/>";
}

std::optional<std::pair<double, double>> band_of(const Prediction& p, const std::string& metric) {
  const Metric* m = find(p, metric);
  return m == nullptr ? std::nullopt : m->ci90 ? m->ci90 : m->ci95;
}

/// A gauge: the target's limit, what is predicted, and the margin between.
std::string gauge(const Prediction& p, const AssertionOutcome& a, double y) {
  const auto band = band_of(p, a.metric);
  double low = std::min(a.value, *a.limit), high = std::max(a.value, a.upper.value_or(*a.limit));
  if (band) low = std::min(low, band->first), high = std::max(high, band->second);
  const Axis x(low, high);
  std::string out = svg_label(kSide, y + kRowText, "start", a.id + ": " + target_phrase(a));
  std::string text = print_predicted(a);
  const std::string cases = cases_phrase(a);
  constexpr std::string_view kOf = " of 100 cases";
  if (cases.ends_with(kOf))
    text += " (holds in " + cases.substr(0, cases.size() - kOf.size()) + " %)";
  out += coloured_label(y + kRowText, text, colour_of(a)) +
         dot_and_band(x, y, a.value, band, colour_of(a));
  for (const std::optional<double>& limit : {a.limit, a.upper})
    if (limit && std::isfinite(*limit))
      out += svg_rect(x.at(*limit) - 1.5, y + kRowBar - 5.0, 3.0, kBarThick + 10.0, colour_of(a));
  return out;
}

std::string gauges(const Prediction& p) {
  std::string content;
  double y = 0.0;
  for (const AssertionOutcome& a : p.assertions) {
    if (!a.limit || !std::isfinite(*a.limit)) continue;
    content += gauge(p, a, y);
    y += kRow;
  }
  if (content.empty()) return "";
  return block("Targets",
               "<figure data-name=\"targets\">" +
                   half_drawing("targets, each with its limit and what is predicted", y, content) +
                   "</figure>\n");
}

std::string time(const Prediction& p) {
  std::string out;
  for (const auto& [job, shares] : p.breakdown)
    out +=
        block(p.breakdown.size() > 1 ? "Where the time of " + job + " goes" : "Where the time goes",
              waterfall_chart(job, shares, WaterfallWidth::half));
  return out;
}

/// One design: as it is, or with a change.
struct Option {
  std::string name;
  double utilization = 0.0;
  std::string colour, said;
};

std::vector<Option> options_of(const Prediction& p, double now) {
  const bool missed = p.verdict == Verdict::fail;
  std::vector<Option> out{{"as it is", now, missed ? "bad" : "good", print_share(now)}};
  std::vector<const Alternative*> order;
  for (const Alternative& a : p.alternatives)
    if (is_useful(a, p)) order.push_back(&a);
  std::stable_partition(order.begin(), order.end(),
                        [](const Alternative* a) { return a->meets_targets; });
  for (const Alternative* a : order) {
    if (out.size() > kMostOptions) break;
    std::string said = print_share(a->utilization);
    if (const std::string cost = cost_phrase(*a); !cost.empty()) said += ", " + cost;
    if (!p.assertions.empty()) said += a->meets_targets ? ", meets all" : ", misses";
    const bool good = a->meets_targets || p.assertions.empty();
    out.push_back({label::of_change(a->change), a->utilization, good ? "good" : "bad", said});
  }
  return out;
}

/// The design as it is and changes that help: utilization and cost of each.
std::string options(const Prediction& p) {
  if (p.breakdown.size() != 1 || p.alternatives.empty()) return "";
  const std::string metric = metric::gpu_utilization(p.breakdown.begin()->first);
  const Metric* now = find(p, metric);
  if (now == nullptr) return "";
  const auto band = band_of(p, metric);
  double low = now->value, high = now->value;
  const std::vector<Option> all = options_of(p, now->value);
  for (const Option& o : all)
    low = std::min(low, o.utilization), high = std::max(high, o.utilization);
  if (band) low = std::min(low, band->first), high = std::max(high, band->second);
  std::optional<double> limit;
  for (const AssertionOutcome& a : p.assertions)
    if (a.metric == metric && a.limit && std::isfinite(*a.limit)) limit = *a.limit;
  if (limit) low = std::min(low, *limit), high = std::max(high, *limit);
  const Axis x(low, high);
  std::string content;
  double y = 0.0;
  for (const Option& o : all) {
    content += svg_label(kSide, y + kRowText, "start", shortened(o.name, kOptionLetters)) +
               coloured_label(y + kRowText, o.said, o.colour) +
               dot_and_band(x, y, o.utilization, y > 0.0 ? std::nullopt : band, o.colour);
    if (limit) content += svg_rect(x.at(*limit) - 1.0, y + kRowBar - 5.0, 2.0, 20.0, "soft");
    y += kRow;
  }
  return block("What would change it",
               "<figure data-name=\"options\">" +
                   half_drawing("GPU utilization as it is and with each change", y, content) +
                   element("figcaption",
                           std::string("GPU utilization, each change alone, simulated") +
                               (band ? "; the band is what it may turn out to be" : "") +
                               (limit ? "; the mark is the target." : "."),
                           "soft") +
                   "</figure>\n");
}

/// What could change the answer: inputs that are not known, most first.
std::string moving(const Prediction& p, const ReportContext& context) {
  std::string out;
  std::size_t n = 0;
  const std::string settle = figure_to_settle(p);
  for (const MeasureRow& row : measure_first(p, settle)) {
    if (n++ == kMostMoving) break;
    out += "<li>" + path(row.input) + " " + markup(row.range) + ": " + element("b", row.share) +
           " of the spread" + (row.with.empty() ? "" : markup("; measure with: " + row.with)) +
           "</li>\n";
  }
  if (n > 0)
    return block("What could change the answer", "<ul class=\"moving\">" + out + "</ul>\n");
  for (const Assumption& a : context.assumptions) {
    if (n++ == kMostMoving) break;
    out += "<li>" + path(a.path) + " " + element("b", a.value) + "</li>\n";
  }
  return n == 0 ? "" : block("Assumed, not measured", "<ul class=\"moving\">" + out + "</ul>\n");
}

}  // namespace

std::string first_page(const Prediction& p, const ReportContext& context) {
  const std::string verdict =
      p.verdict == Verdict::none ? "" : std::string(verdict_name(p.verdict));
  const std::string advice = advice_phrase(p);
  return heading(p.scenario_id, verdict, verdict_phrase(p), limit_phrase(p), p.system) +
         (advice.empty() ? advice : element("p", advice, "advice")) + picture_figure(p) +
         "<div class=\"first\"><div>\n" + gauges(p) + time(p) + "</div><div>\n" + options(p) +
         moving(p, context) + "</div></div>\n";
}

std::string slide(const Prediction& p, const ReportContext& context, const Style& style) {
  return "<style>@page{size:1280px 720px;margin:0}</style>\n<main class=\"slide\">\n" +
         first_page(p, context) + element("p", run_phrase(p, context, style), "soft made") +
         "</main>\n";
}

}  // namespace stallcast::report::html
