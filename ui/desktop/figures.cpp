#include "ui/desktop/figures.hpp"

#include <algorithm>
#include <cmath>

#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::desktop {
namespace {

QString title_of(const metric::Figure& figure) {
  QString out = QString::fromUtf8(figure.name_alone().data(),
                                  static_cast<qsizetype>(figure.name_alone().size()));
  return out.replace(0, 1, out.at(0).toUpper());
}

QString points(double ratio) {
  return QString::fromStdString(report::signed_points(ratio, std::abs(ratio) < 0.01 ? 2 : 1));
}

}  // namespace

std::vector<Headline> headline_tiles(const Prediction& prediction) {
  std::vector<Headline> out;
  const auto add = [&](const std::string& name, const QString& title) {
    if (prediction.metrics.contains(name)) out.push_back({QString::fromStdString(name), title});
  };
  const auto shown = [](const metric::Figure& figure, metric::Domain domain) {
    return figure.domain == domain &&
           (figure.tile == metric::TileOn::explorer || figure.tile == metric::TileOn::both);
  };
  const bool several = prediction.breakdown.size() > 1;
  for (const auto& [job, shares] : prediction.breakdown)
    for (const metric::Figure& figure : metric::figures())
      if (shown(figure, metric::Domain::job))
        add(metric::of_job(job, figure.key),
            title_of(figure) +
                (several ? QStringLiteral(", ") + QString::fromStdString(job) : QString()));
  if (of_tenants_alone(prediction))
    for (const std::string& tenant : tenants_of(prediction))
      for (const metric::Figure& figure : metric::figures())
        if (const std::string name = metric::of_tenant(tenant, figure.key);
            shown(figure, metric::Domain::tenant) && prediction.metrics.contains(name) &&
            prediction.metrics.at(name).value != 0.0)
          add(name, title_of(figure) + QStringLiteral(", ") + QString::fromStdString(tenant));
  if (of_pipeline(prediction)) add(metric::kPipelineTime, QStringLiteral("pipeline takes"));
  for (const metric::Figure& figure : metric::figures())
    if (shown(figure, metric::Domain::cost)) add(metric::of_cost(figure.key), title_of(figure));
  if (prediction.metrics.contains(metric::kPower))
    add(metric::kPower, title_of(*metric::find(metric::kPower)));
  return out;
}

QString metric_that_matters(const Prediction& p) {
  const std::string missed = report::limit_of(p).target;
  for (const AssertionOutcome& a : p.assertions)
    if (!missed.empty() && a.id == missed && !a.metric.empty())
      return QString::fromStdString(a.metric);
  const std::vector<Headline> headlines = headline_tiles(p);
  for (const AssertionOutcome& a : p.assertions)
    if (!a.metric.empty() && a.limit) return QString::fromStdString(a.metric);
  return headlines.empty() ? QString() : headlines.front().metric;
}

QStringList headline_metrics(const Prediction& prediction) {
  QStringList out;
  if (const QString first = metric_that_matters(prediction); !first.isEmpty()) out << first;
  for (const Headline& h : headline_tiles(prediction))
    if (!out.contains(h.metric)) out << h.metric;
  return out;
}

std::pair<double, double> told_apart(double low, double high, std::string_view unit) {
  constexpr double kShare = 1e-3, kPart = 5e-3;
  const double least = unit == "ratio" ? kShare : kPart * std::max(std::abs(low), std::abs(high));
  const double more = std::max(0.0, least - (high - low)) / 2.0;
  return {low < 0.0 ? low - more : std::max(0.0, low - more), high + more};
}

QString figure_text(double value, const std::string& unit) {
  return QString::fromStdString(report::print_metric({value, unit, {}}));
}

Cell figure_cell(double value, const std::string& unit) {
  return {figure_text(value, unit), value};
}

Cell saved_cell(const Bottleneck& bottleneck, const Prediction& prediction) {
  if (!bottleneck.gain) return {QStringLiteral("\u2013"), -1.0};
  const Gain* gain = report::gain_of(bottleneck, prediction);
  const std::string_view tried = report::what_is_tried(bottleneck.resource);
  const QString saved = gain == nullptr ? QStringLiteral("nothing")
                                        : QStringLiteral("%1 %").arg(100.0 * gain->time, 0, 'f', 1);
  Cell cell(saved + u'\n' + QLatin1String(tried.data(), qsizetype(tried.size())),
            gain == nullptr ? 0.0 : gain->time);
  cell.tip = QString::fromStdString(report::tried_phrase(bottleneck, prediction));
  return cell;
}

QString failure_text(const Failure& failure) {
  const QString message = QString::fromStdString(failure.message);
  return failure.hint.empty()
             ? message
             : message + QStringLiteral(" (%1)").arg(QString::fromStdString(failure.hint));
}

QString metric_text(const Metric& metric) { return figure_text(metric.value, metric.unit); }

QString ends_text(const Metric& metric) {
  if (!metric.ci90) return {};
  const QString low = figure_text(metric.ci90->first, metric.unit);
  const QString high = figure_text(metric.ci90->second, metric.unit);
  return low == high ? low : QStringLiteral("%1 to %2").arg(low, high);
}

QString range_text(const Metric& metric) {
  if (!metric.ci90) return {};
  const QString middle = middle_text(metric);
  return QStringLiteral("90 % of outcomes ") + ends_text(metric) +
         (middle.isEmpty() ? middle : QStringLiteral(", ") + middle);
}

QString middle_text(const Metric& metric) {
  const std::string middle = report::print_middle(metric);
  return middle.empty() ? QString() : QStringLiteral("middle ") + QString::fromStdString(middle);
}

QString delta_text(const Metric& before, const Metric& now) {
  if (before.value == now.value || metric_text(before) == metric_text(now))
    return QStringLiteral("as before");
  if (now.unit == "ratio" && std::abs(now.value - before.value) < 5e-5)
    return QStringLiteral("as before");
  if (now.unit == "ratio") return points(now.value - before.value);
  if (before.value == 0.0) return QStringLiteral("+%1").arg(figure_text(now.value, now.unit));
  const double times = now.value / before.value, relative = times - 1.0;
  constexpr double kManyTimes = 10.0;
  if (times >= kManyTimes) return QStringLiteral("\u00d7%1").arg(times, 0, 'f', 0);
  return QStringLiteral("%1%2 %")
      .arg(relative > 0 ? QStringLiteral("+") : QString())
      .arg(100.0 * relative, 0, 'f', std::abs(relative) < 0.1 ? 1 : 0);
}

int delta_sign(const QString& metric, const Metric& before, const Metric& now) {
  if (delta_text(before, now) == QLatin1String("as before")) return 0;
  const int direction = static_cast<int>(metric::better(metric.toStdString()));
  return now.value > before.value ? direction : -direction;
}

QString judged_delta(const QString& metric, const Metric& before, const Metric& now) {
  const int sign = delta_sign(metric, before, now);
  const char* judgement = sign > 0 ? ", better" : sign < 0 ? ", worse" : "";
  return delta_text(before, now) + QLatin1String(judgement);
}

std::optional<double> target_of(const Prediction& prediction, const QString& metric) {
  for (const AssertionOutcome& a : prediction.assertions)
    if (a.limit && (a.metric.empty() ? a.that : a.metric) == metric.toStdString()) return a.limit;
  return std::nullopt;
}

QString metric_words(const Prediction& prediction, const QString& metric) {
  const Metric* m = report::find(prediction, metric.toStdString());
  return QString::fromStdString(label::of_metric(metric.toStdString(),
                                                 m == nullptr ? std::string() : m->unit,
                                                 prediction.breakdown.size() > 1));
}

std::optional<Metric> find_metric(const Prediction& prediction, const QString& name) {
  const Metric* found = report::find(prediction, name.toStdString());
  if (found == nullptr) return std::nullopt;
  Metric out = *found;
  out.unit = metric::shown_unit(name.toStdString(), found->unit);
  return out;
}

QString limit_text(const Prediction& prediction) {
  const std::string phrase = report::limit_phrase(prediction);
  return phrase.empty() ? QStringLiteral("nothing limits it") : QString::fromStdString(phrase);
}

QString status_sign(const std::string& status) {
  if (status == "pass") return QStringLiteral("\u2713 pass");
  if (status == "fail") return QStringLiteral("\u2717 fail");
  return QStringLiteral("? ") + QString::fromStdString(status);
}

}  // namespace stallcast::desktop
