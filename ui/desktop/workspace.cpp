#include "ui/desktop/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/app/run_report.hpp"
#include "ui/desktop/figures.hpp"

namespace stallcast::desktop {
Workspace::Workspace(const client::Settings& settings, QObject* parent)
    : QObject(parent),
      settings_(settings),
      session_(settings),
      home_(settings),
      background_(settings) {
  rest_.setSingleShot(true);
  rest_.setInterval(kRestMs);
  connect(&rest_, &QTimer::timeout, this, &Workspace::simulate);
  connect(&document_, &Document::opened, this, [this] {
    background_.cancel();
    home_.cancel();
    refining_ = false;
    choose_sliders_ = true;
    simulated_.reset();
    drawn_.reset();
    estimate_.reset();
    scenario_.reset();
    freshness_ = Freshness::none;
    set_marks({});
  });
  connect(&document_, &Document::edited, this, &Workspace::read_text);
}

ScenarioFile Workspace::source() const {
  return {.file = document_.name().toStdString(), .text = document_.text().toStdString()};
}

void Workspace::read_text() {
  QElapsedTimer clock;
  clock.start();
  home_.cancel();
  refining_ = false;
  client::Reading reading = session_.read(source());
  diagnostics_ = std::move(reading.diagnostics);
  if (!reading.scenario) {
    rest_.stop();
    freshness_ = simulated_ || estimate_ ? Freshness::last_good : Freshness::none;
  } else {
    scenario_ = std::move(reading.scenario);
    document_.set_read(*scenario_);
    estimate_ = session_.estimate(scenario_->design());
    freshness_ = Freshness::estimated;
    form_ = client::form(*scenario_);
    if (choose_sliders_) choose_sliders();
    refresh_sliders();
    rest_.start();
  }
  estimate_ms_ = static_cast<double>(clock.nsecsElapsed()) / 1e6;
  emit read();
  emit predicted();
}

void Workspace::predict_now() {
  rest_.stop();
  simulate();
}

void Workspace::simulate() {
  if (!scenario_ || has_errors()) return;
  QElapsedTimer clock;
  clock.start();
  home_.start([this, design = scenario_->design(), clock](
                  client::Session& session, const Engine::Progress& progress) -> Engine::Then {
    Result<Prediction> result = session.predict(design, {.on_progress = progress});
    return [this, result = std::move(result), clock] {
      simulation_ms_ = static_cast<double>(clock.nsecsElapsed()) / 1e6;
      freshness_ = result.ok() ? Freshness::simulated : Freshness::failed;
      if (result.ok())
        simulated_ = result.value();
      else
        failure_ = failure_text(result.failure());
      emit predicted();
      if (result.ok() && freshness_ == Freshness::simulated) refine();
    };
  });
}

void Workspace::refine() {
  refining_ = true;
  home_.start([this, scenario = *scenario_, known = *simulated_](
                  client::Session& session, const Engine::Progress& progress) -> Engine::Then {
    Result<client::RunReport> result = client::run_report(
        session, scenario,
        {.predict = {.on_progress = progress}, .known = known, .advise = false, .timeline = false});
    return [this, result = std::move(result)] {
      refining_ = false;
      if (!result.ok()) return;
      simulated_ = result.value().prediction;
      drawn_ = simulated_;
      emit refined();
    };
  });
}

std::optional<std::pair<double, double>> Workspace::outcomes_near(const QString& metric,
                                                                  double value) const {
  const Metric* drawn = drawn_ ? find_metric(*drawn_, metric) : nullptr;
  if (drawn == nullptr || !drawn->ci90) return std::nullopt;
  return outcomes_like(*drawn, value);
}

void Workspace::set_marks(Marks marks) {
  if (marks == marks_) return;
  marks_ = std::move(marks);
  emit marks_changed();
}

bool Workspace::pin(const QString& name) {
  if (freshness_ != Freshness::simulated || !simulated_ || pins_.size() >= kMostPins) return false;
  pins_.push_back({name, document_.text(), *simulated_});
  emit pins_changed();
  return true;
}

QString Workspace::next_pin_name() const {
  for (char16_t letter = u'A';; ++letter) {
    const QString name = tr("design %1").arg(QChar(letter));
    const auto same = [&](const Pin& pin) { return pin.name == name; };
    if (std::none_of(pins_.begin(), pins_.end(), same)) return name;
  }
}

void Workspace::set_pins(std::vector<Pin> pins) {
  pins_ = std::move(pins);
  if (pins_.size() > kMostPins) pins_.resize(kMostPins);
  emit pins_changed();
}

void Workspace::unpin(std::size_t i) {
  if (i >= pins_.size()) return;
  pins_.erase(pins_.begin() + static_cast<std::ptrdiff_t>(i));
  emit pins_changed();
}

}  // namespace stallcast::desktop
