#include <algorithm>
#include <cmath>

#include "stallcast/metric.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/html/sections.hpp"
#include "ui/report/html/svg.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

/// Targets as dots beside their limits.
namespace stallcast::report::html {
namespace {

constexpr double kHalf = kHalfWidth;
constexpr double kGaugeThick = 10.0, kGaugeRoom = 22.0, kGaugeGap = 12.0;
constexpr double kGaugeSide = 4.0;
constexpr double kPadding = 0.08;  // of the range, at both of its ends

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

/// What is predicted of a metric and, of draws, what may become of it, on a line.
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
  return m == nullptr ? std::nullopt : m->ci90;
}

bool has_gauge(const AssertionOutcome& a) { return a.limit && std::isfinite(*a.limit); }

/// Whether two targets are of the same figure, of one job or of several: they have one axis.
bool of_one_figure(const AssertionOutcome& a, const AssertionOutcome& b) {
  const metric::Name one = metric::parse(a.metric), other = metric::parse(b.metric);
  return one.domain == other.domain && one.figure == other.figure &&
         one.statistic == other.statistic && a.unit == b.unit;
}

/// From the least to the most that is drawn of its figure.
GaugeAxis axis_of(const Prediction& p, const AssertionOutcome& of) {
  double low = of.value, high = of.value;
  for (const AssertionOutcome& a : p.assertions) {
    if (!has_gauge(a) || !of_one_figure(a, of)) continue;
    low = std::min({low, a.value, *a.limit});
    high = std::max({high, a.value, a.upper.value_or(*a.limit)});
    if (const auto band = band_of(p, a.metric))
      low = std::min(low, band->first), high = std::max(high, band->second);
  }
  return {low, high};
}

/// Whether several gauges share an axis.
bool shares_axis(const Prediction& p) {
  for (const AssertionOutcome& a : p.assertions)
    for (const AssertionOutcome& b : p.assertions)
      if (&a != &b && has_gauge(a) && has_gauge(b) && of_one_figure(a, b)) return true;
  return false;
}

/// A gauge: the target's limit, what is predicted, and the margin between. Moves `y` below it.
std::string gauge(const Prediction& p, const AssertionOutcome& a, double& y) {
  const auto band = band_of(p, a.metric);
  const GaugeAxis x = axis_of(p, a);
  std::string text = print_predicted(a);
  if (const std::string share = probability_in_short(a); !share.empty()) text += " (" + share + ")";
  std::string out =
      said_above(y, a.id + ": " + target_phrase(a, jobs_of(p).size() > 1), text, colour_of(a));
  out += dot_and_band(x, y, a.value, band, colour_of(a));
  for (const std::optional<double>& limit : {a.limit, a.upper})
    if (limit && std::isfinite(*limit))
      out += svg_rect(x.at(*limit) - 1.5, y + 1.0, 3.0, kGaugeRoom - 2.0, colour_of(a));
  y += kGaugeRoom + kGaugeGap;
  return out;
}

}  // namespace

std::string target_gauges(const Prediction& p) {
  std::string content, said;
  double y = 0.0;
  bool banded = false;
  for (const AssertionOutcome& a : p.assertions) {
    if (!has_gauge(a)) continue;
    banded = banded || band_of(p, a.metric).has_value();
    content += gauge(p, a, y);
    said += (said.empty() ? "targets: " : "; ") + target_phrase(a, jobs_of(p).size() > 1) +
            ", predicted " + print_predicted(a);
  }
  if (content.empty()) return "";
  std::string caption = is_estimate(p) ? "Dot: what bounds allow" : "Dot: predicted";
  caption += "; upright: the limit";
  if (banded) caption += "; band: 90 % of outcomes";
  if (shares_axis(p)) caption += "; targets of one figure have one scale";
  return "<figure data-name=\"targets\">" + svg(said, kHalf, y, content, "half") +
         element("figcaption", caption + ".", "soft") + "</figure>\n";
}

}  // namespace stallcast::report::html
