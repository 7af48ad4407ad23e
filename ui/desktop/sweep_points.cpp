#include "ui/desktop/sweep_points.hpp"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "stallcast/metric.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/sweep_run.hpp"
#include "ui/report/sweep_parts.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::size_t kMostLines = 6;
constexpr std::size_t kFirstColour = 1;  // of causes: the first is what computes

QString text(const char* source) {
  return QCoreApplication::translate("stallcast::desktop::SweepScreen", source);
}

int direction(const SweepReport& sweep, const QString& name) {
  const std::string plain = name.toStdString();
  if (report::sweep_axis(sweep, plain)) return -1;
  const int of_metric = static_cast<int>(metric::better(plain));
  return of_metric == 0 ? -1 : of_metric;
}

/// What is varied besides `axis`, as a point has it: "4 GB/s OST write of scratch". `labels` are
/// those of the axes. Where there is no room for all of it, the value is what tells lines apart.
QString others_text(const QStringList& labels, const SweepRow& row, std::size_t axis) {
  QStringList out;
  for (std::size_t i = 0; i < row.values.size(); ++i)
    if (i != axis)
      out << QString::fromStdString(row.values[i]) + u' ' + labels[static_cast<qsizetype>(i)];
  return out.join(QStringLiteral(", "));
}

/// A coloured line for each combination of what else is varied, over what `x` varies, with its band
/// where points have outcomes; none where so many lines would hide the points.
std::vector<XyChart::Series> lines_of(const SweepReport& sweep, const SweepFigures& x,
                                      const SweepFigures& y, const Theme& theme) {
  const auto axis = report::sweep_axis(sweep, x.name.toStdString());
  if (!axis || report::sweep_axis(sweep, y.name.toStdString())) return {};
  // In the order in which the sweep has them.
  std::vector<std::pair<QString, std::vector<std::size_t>>> curves;
  QStringList labels;
  for (const std::string& name : sweep.axes)
    labels << QString::fromStdString(report::sweep_label(sweep, name));
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    if (!x.values[i] || !y.values[i]) continue;
    const QString others = others_text(labels, sweep.rows[i], *axis);
    auto curve = std::find_if(curves.begin(), curves.end(),
                              [&](const auto& c) { return c.first == others; });
    if (curve == curves.end()) curve = curves.insert(curves.end(), {others, {}});
    curve->second.push_back(i);
  }
  if (curves.size() > kMostLines) return {};
  std::vector<XyChart::Series> out;
  for (auto& [others, curve] : curves) {
    std::sort(curve.begin(), curve.end(),
              [&](std::size_t a, std::size_t b) { return *x.values[a] < *x.values[b]; });
    XyChart::Series line{others.isEmpty() ? y.words : others,
                         XyChart::Kind::line,
                         theme.causes[(kFirstColour + out.size()) % theme.causes.size()],
                         {}};
    for (const std::size_t i : curve) {
      line.points.emplace_back(*x.values[i], *y.values[i]);
      const Metric* drawn = report::sweep_outcomes(sweep.rows[i], y.name.toStdString());
      if (drawn == nullptr) continue;
      line.outcomes.push_back(*drawn->ci90);
      line.middles.push_back(*drawn->median);
    }
    if (line.outcomes.size() < curve.size()) line.outcomes.clear(), line.middles.clear();
    out.push_back(std::move(line));
  }
  return out;
}

QString outcome_text(const SweepRow& row) {
  if (!row.outcome) return text("missing");
  if (row.outcome->failed) return text("failed");
  return row.outcome->verdict == Verdict::pass   ? text("\u2713 met")
         : row.outcome->verdict == Verdict::fail ? text("\u2717 missed")
                                                 : text("?");
}

}  // namespace

SweepFigures figures_of(const SweepReport& sweep, const QString& name) {
  const std::string plain = name.toStdString();
  SweepFigures out{name, QString::fromStdString(report::sweep_label(sweep, plain)), {}, {}};
  out.input = report::sweep_axis(sweep, plain).has_value();
  for (const SweepRow& row : sweep.rows) {
    const auto figure = report::sweep_figure(sweep, row, plain);
    out.values.push_back(figure ? std::optional(figure->value) : std::nullopt);
    if (figure) out.unit = metric::shown_unit(plain, figure->unit);
  }
  return out;
}

QStringList metrics_of(const SweepReport& sweep, const QStringList& first) {
  std::set<std::string> known;
  for (const SweepRow& row : sweep.rows)
    if (row.outcome)
      for (const auto& [name, metric] : row.outcome->metrics) known.insert(name);
  QStringList out;
  for (const QString& name : first)
    if (known.erase(name.toStdString()) > 0) out << name;
  for (const std::string& name : known) out << QString::fromStdString(name);
  return out;
}

std::vector<bool> frontier_of(const SweepReport& sweep, const SweepFigures& x,
                              const SweepFigures& y) {
  const int dx = direction(sweep, x.name), dy = direction(sweep, y.name);
  std::vector<bool> out(x.values.size(), false);
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto& outcome = sweep.rows[i].outcome;
    const bool meets = !outcome || outcome->meets();
    if (x.values[i] && y.values[i] && meets) known.push_back(i);
  }
  // From the best in x, those of the same x by y: who is better in y than all before is not beaten.
  std::sort(known.begin(), known.end(), [&](std::size_t a, std::size_t b) {
    const double by_x = dx * (*x.values[a] - *x.values[b]);
    return by_x != 0.0 ? by_x > 0.0 : dy * (*y.values[a] - *y.values[b]) > 0.0;
  });
  std::optional<std::size_t> best;
  for (const std::size_t i : known) {
    const bool same = best && *x.values[i] == *x.values[*best] && *y.values[i] == *y.values[*best];
    if (best && !same && dy * (*y.values[i] - *y.values[*best]) <= 0.0) continue;
    out[i] = true;
    best = i;
  }
  return out;
}

std::vector<XyChart::Series> series_of(const SweepReport& sweep, const SweepFigures& x,
                                       const SweepFigures& y, const std::vector<bool>& frontier,
                                       const std::vector<std::size_t>& selected,
                                       std::optional<double> target, const Theme& theme) {
  using Kind = XyChart::Kind;
  XyChart::Series meet{text("meets targets"), Kind::points, theme.good, {}};
  XyChart::Series miss{text("misses a target"), Kind::points, theme.bad, {}, true};
  XyChart::Series open{text("no targets, or open"), Kind::points, theme.accent, {}};
  XyChart::Series line{text("frontier"), Kind::line, theme.warn, {}};
  XyChart::Series chosen{text("selected"), Kind::points, theme.text, {}, false, true};
  const auto at = [&](std::size_t i) { return QPointF(*x.values[i], *y.values[i]); };
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    if (!x.values[i] || !y.values[i]) continue;
    const auto& outcome = sweep.rows[i].outcome;
    const Verdict verdict = outcome ? outcome->verdict : Verdict::inconclusive;
    (verdict == Verdict::pass   ? meet
     : verdict == Verdict::fail ? miss
                                : open)
        .points.push_back(at(i));
    if (frontier[i]) line.points.push_back(at(i));
  }
  for (const std::size_t i : selected)
    if (x.values[i] && y.values[i]) chosen.points.push_back(at(i));
  std::sort(line.points.begin(), line.points.end(),
            [](QPointF a, QPointF b) { return a.x() < b.x(); });
  std::vector<XyChart::Series> out = lines_of(sweep, x, y, theme);
  if (!out.empty()) line.points.clear();  // one kind of lines in one chart
  for (XyChart::Series* s : {&line, &meet, &miss, &open, &chosen})
    if (!s->points.empty()) out.push_back(std::move(*s));
  if (target && !out.empty()) {
    double low = INFINITY, high = -INFINITY;
    for (const std::optional<double>& value : x.values) {
      if (value) low = std::min(low, *value);
      if (value) high = std::max(high, *value);
    }
    out.push_back({text("target"), Kind::limit, theme.bad, {{low, *target}, {high, *target}}});
  }
  return out;
}

QString status_of(const SweepReport& sweep, std::size_t points, bool running, bool quick) {
  const SweepReport::Counts counts = sweep.counts();
  if (running)
    return text("%1 of %2 designs are simulated").arg(counts.done).arg(sweep.rows.size());
  if (points > SweepRun::kMostPoints)
    return text("%1 designs are too many here (%2 at most): fewer values, or \"stallcast sweep\".")
        .arg(points)
        .arg(SweepRun::kMostPoints);
  if (sweep.rows.empty() && !quick)
    return text("A simulation of this design takes long: press Run to simulate %1 of them.")
        .arg(points);
  if (sweep.rows.empty())
    return text(
               "Every combination of the ticked inputs is a design: %1 of them. Keep them in a "
               "file to go on after an interruption, here or with \"stallcast sweep\".")
        .arg(points);
  return text(
             "%1 designs%2%3. Draw around points, or drag along an axis, to select; double click "
             "or Enter loads one.")
      .arg(counts.done)
      .arg(counts.failed > 0 ? text(", %1 failed").arg(counts.failed) : QString(),
           counts.missing > 0 ? text(", %1 are missing").arg(counts.missing) : QString());
}

std::vector<Row> rows_of(const SweepReport& sweep, const std::vector<SweepFigures>& figures,
                         const std::vector<bool>& frontier) {
  std::vector<Row> out;
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const SweepRow& point = sweep.rows[i];
    Row row;
    for (std::size_t axis = 0; axis < point.values.size(); ++axis) {
      const QString value = QString::fromStdString(point.values[axis]);
      row.push_back(point.numbers[axis] ? Cell(value, point.numbers[axis]->value) : Cell(value));
    }
    for (const SweepFigures& f : figures) {
      row.push_back(f.values[i] ? figure_cell(*f.values[i], f.unit) : Cell(QString()));
      if (const Metric* drawn = report::sweep_outcomes(point, f.name.toStdString())) {
        Metric shown = *drawn;
        shown.unit = f.unit;
        row.back().tip = range_text(shown);
      }
    }
    Cell outcome(outcome_text(point));
    if (point.outcome) outcome.tip = QString::fromStdString(point.outcome->message);
    row.push_back(std::move(outcome));
    row.emplace_back(frontier[i] ? text("\u25c6 best") : QString());
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace stallcast::desktop
