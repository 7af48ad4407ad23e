#include "ui/desktop/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/app/run_report.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/report/summary.hpp"

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
    simulated_.reset();
    plain_.reset();
    drawn_.reset();
    timeline_.reset();
    last_timeline_.reset();
    estimate_.reset();
    scenario_.reset();
    good_text_.clear();
    form_ = {};
    set_sliders({});
    choose_sliders_ = true;
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
  if (timeline_ && simulated_) {
    last_timeline_ = std::exchange(timeline_, std::nullopt);
    last_timeline_of_ = simulated_->design_sha256;
  }
  client::Reading reading = session_.read(source());
  diagnostics_ = std::move(reading.diagnostics);
  if (!reading.scenario) {
    rest_.stop();
    freshness_ = simulated_ || estimate_ ? Freshness::last_good : Freshness::none;
  } else {
    scenario_ = std::move(reading.scenario);
    good_text_ = document_.text();
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

bool Workspace::is_quick() const {
  // Half a second of a quiet core. Not the time that this one took: on a busy machine places would
  // stay empty that were filled a minute before.
  constexpr std::uint64_t kMostEvents = 500'000;
  return simulated_ && simulated_->events <= kMostEvents;
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
        simulated_ = plain_ = result.value();
      else
        failure_ = failure_text(result.failure());
      refining_ = result.ok();
      emit predicted();
      if (result.ok() && freshness_ == Freshness::simulated) sketch();
    };
  });
}

// A few draws first, so that a band is there within a second; they are among those that follow.
void Workspace::sketch() {
  static constexpr std::size_t kFew = 16;
  if (!is_quick()) return refine(*simulated_);
  home_.start([this, scenario = *scenario_, known = *simulated_](
                  client::Session& session, const Engine::Progress& progress) -> Engine::Then {
    client::RunQuestion few{.predict = {.on_progress = progress}, .known = known, .draws = kFew};
    few.gains = few.advise = few.timeline = false;
    Result<client::RunReport> result = client::run_report(session, scenario, few);
    return [this, known, result = std::move(result)] {
      if (result.ok()) {
        simulated_ = drawn_ = result.value().prediction;
        emit refined();
      }
      refine(known);
    };
  });
}

void Workspace::refine(const Prediction& plain) {
  home_.start([this, scenario = *scenario_, known = plain](
                  client::Session& session, const Engine::Progress& progress) -> Engine::Then {
    Result<client::RunReport> result = client::run_report(
        session, scenario,
        {.predict = {.on_progress = progress}, .known = known, .advise = false, .timeline = false});
    return [this, result = std::move(result)] {
      if (!result.ok()) {
        refining_ = false;
        return;
      }
      simulated_ = result.value().prediction;
      drawn_ = simulated_;
      emit refined();
      advise();
    };
  });
}

// After the draws, as in a report: what limits, and with that what is tried, follows from them.
void Workspace::advise() {
  home_.start([this, scenario = *scenario_, known = *simulated_](
                  client::Session& session, const Engine::Progress& progress) -> Engine::Then {
    Result<client::RunReport> result = client::run_report(
        session, scenario,
        {.predict = {.on_progress = progress}, .known = known, .draws = 0, .gains = false});
    return [this, result = std::move(result)]() mutable {
      refining_ = false;
      if (!result.ok()) return;
      simulated_->alternatives = result.value().prediction.alternatives;
      timeline_ = std::move(result.value().timeline);
      emit advised();
    };
  });
}

const Timeline* Workspace::shown_timeline() const {
  if (timeline_) return &*timeline_;
  const bool same = simulated_ && simulated_->design_sha256 == last_timeline_of_;
  return last_timeline_ && (same || refining_) ? &*last_timeline_ : nullptr;
}

std::optional<TextEdit> Workspace::edit_for(const std::string& set) const {
  const Result<Change> change = parse_change(set);
  const JsonNode* root = document_.tree();
  if (!change.ok() || root == nullptr) return std::nullopt;
  QString path = QString::fromStdString(change->path);
  // "n": 40 and "n": { "value": 40 } are both allowed of a parameter.
  const JsonNode* written = find(*root, parse_path(path));
  if (path.startsWith(QLatin1String("params.")) &&
      (written == nullptr || written->kind == JsonNode::Kind::object))
    path += QStringLiteral(".value");
  const auto* json = std::get_if<JsonLiteral>(&change->value);
  const auto literal = json != nullptr ? QString::fromStdString(json->json)
                                       : quoted(QString::fromStdString(text_of(change->value)));
  return set_value(document_.text(), *root, parse_path(path), literal);
}

bool Workspace::apply(const std::string& set) {
  const std::optional<TextEdit> edit = edit_for(set);
  if (edit) document_.change(*edit, tr("applied %1").arg(QString::fromStdString(set)));
  return edit.has_value();
}

std::optional<std::pair<double, double>> Workspace::outcomes_near(const QString& metric,
                                                                  double value) const {
  const auto drawn = drawn_ ? find_metric(*drawn_, metric) : std::nullopt;
  if (!drawn || !drawn->ci90) return std::nullopt;
  return report::outcomes_like(*drawn, value);
}

void Workspace::set_marks(Marks marks) {
  if (marks == marks_) return;
  marks_ = std::move(marks);
  emit marks_changed();
}

bool Workspace::pin(const QString& name) {
  if (freshness_ != Freshness::simulated || !simulated_) return false;
  return add_pin({name, document_.text(), *simulated_});
}

QString Workspace::next_pin_name() const {
  for (char16_t letter = u'A';; ++letter) {
    const QString name = tr("design %1").arg(QChar(letter));
    const auto same = [&](const Pin& pin) { return pin.name == name; };
    if (std::none_of(pins_.begin(), pins_.end(), same)) return name;
  }
}

bool Workspace::add_pin(Pin pin) {
  if (pins_.size() >= kMostPins) return false;
  pins_.push_back(std::move(pin));
  emit pins_changed();
  return true;
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
