#include "ui/desktop/figures.hpp"

#include <QCoreApplication>
#include <cmath>

#include "ui/app/form.hpp"
#include "ui/report/report.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::pair<const char*, const char*> kOfJobs[] = {
    {"gpu.utilization", "GPU utilization"},
    {"goodput", "Goodput"},
    {"step.time", "Step time"},
    {"stall.data", "Waiting for data"},
    {"checkpoint.stall", "Stall per save"},
    {"checkpoint.duration", "Save durable after"},
    {"restore.duration", "Restore"},
    {"throughput.bytes", "Data read"}};
constexpr std::pair<const char*, const char*> kOfAll[] = {
    {"cost.capex", "Cost of the system"},
    {"cost.per_useful_gpu_hour", "Cost per useful GPU hour"},
    {"cost.gpu_idle", "Cost of idle GPUs"}};

QString points(double ratio) {
  return QStringLiteral("%1%2 points")
      .arg(ratio > 0 ? QStringLiteral("+") : QString())
      .arg(100.0 * ratio, 0, 'f', std::abs(ratio) < 0.01 ? 2 : 1);
}

}  // namespace

std::vector<Headline> headlines(const Prediction& prediction) {
  std::vector<Headline> out;
  const bool several = prediction.breakdown.size() > 1;
  for (const auto& [job, shares] : prediction.breakdown)
    for (const auto& [suffix, title] : kOfJobs) {
      const std::string metric = "job." + job + "." + suffix;
      if (!prediction.metrics.contains(metric)) continue;
      const QString name = QCoreApplication::translate("figures", title);
      out.push_back({QString::fromStdString(metric),
                     several ? name + QStringLiteral(", ") + QString::fromStdString(job) : name});
    }
  for (const auto& [metric, title] : kOfAll)
    if (prediction.metrics.contains(metric))
      out.push_back({QLatin1String(metric), QCoreApplication::translate("figures", title)});
  return out;
}

QString figure_text(double value, const std::string& unit) {
  constexpr double kNextToNothing = 0.0001;
  if (unit == "ratio" && value > 0.0 && value < kNextToNothing)
    return QStringLiteral("under 0.01 %");
  if (unit == "ratio" && std::abs(value) >= 0.1)
    return QStringLiteral("%1 %").arg(100.0 * value, 0, 'f', 1);
  return QString::fromStdString(report::print_value(value, unit));
}

QString failure_text(const Failure& failure) {
  const QString message = QString::fromStdString(failure.message);
  return failure.hint.empty()
             ? message
             : message + QStringLiteral(" (%1)").arg(QString::fromStdString(failure.hint));
}

QString metric_text(const Metric& metric) { return figure_text(metric.value, metric.unit); }

QString delta_text(const Metric& before, const Metric& now) {
  if (before.value == now.value || metric_text(before) == metric_text(now))
    return QStringLiteral("as before");
  if (now.unit == "ratio" && std::abs(now.value - before.value) < 5e-5)
    return QStringLiteral("as before");
  if (now.unit == "ratio") return points(now.value - before.value);
  if (before.value == 0.0) return QStringLiteral("+%1").arg(figure_text(now.value, now.unit));
  const double relative = now.value / before.value - 1.0;
  return QStringLiteral("%1%2 %")
      .arg(relative > 0 ? QStringLiteral("+") : QString())
      .arg(100.0 * relative, 0, 'f', std::abs(relative) < 0.1 ? 1 : 0);
}

int delta_sign(const QString& metric, const Metric& before, const Metric& now) {
  if (delta_text(before, now) == QLatin1String("as before")) return 0;
  const int direction = client::better_direction(metric.toStdString());
  return now.value > before.value ? direction : -direction;
}

const Metric* find_metric(const Prediction& prediction, const QString& name) {
  const auto it = prediction.metrics.find(name.toStdString());
  return it == prediction.metrics.end() ? nullptr : &it->second;
}

QString limit_text(const Prediction& prediction) {
  if (prediction.bottlenecks.empty()) return QStringLiteral("nothing limits it");
  return QStringLiteral("limited by %1")
      .arg(QString::fromStdString(prediction.bottlenecks.front().resource));
}

QString status_sign(const std::string& status) {
  if (status == "pass") return QStringLiteral("\u2713 pass");
  if (status == "fail") return QStringLiteral("\u2717 fail");
  return QStringLiteral("? ") + QString::fromStdString(status);
}

}  // namespace stallcast::desktop
