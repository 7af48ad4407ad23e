#include "ui/desktop/responses.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ui/app/run_report.hpp"
#include "ui/desktop/variation.hpp"

namespace stallcast::desktop {
namespace {

constexpr int kResponsePoints = 7;
constexpr std::size_t kResponseDraws = 8;
/// A design with more events is not simulated again and again without being asked.
constexpr std::uint64_t kMostEventsOfPoints = 2'000'000, kMostEventsOfDraws = 200'000;

using From = SliderResponse::From;

}  // namespace

Responses::Responses(Workspace& workspace, std::size_t count, QObject* parent)
    : QObject(parent), workspace_(workspace), count_(count), engine_(workspace.settings()) {
  connect(&workspace, &Workspace::read, this, &Responses::follow);
  connect(&workspace, &Workspace::sliders_changed, this, &Responses::follow);
  connect(&workspace, &Workspace::advised, this, &Responses::next);
}

void Responses::set_active(bool active) {
  if (active == active_) return;
  active_ = active;
  if (!active) return engine_.cancel();
  follow();
  if (workspace_.timeline()) next();
}

void Responses::follow() {
  if (!active_) return;
  const QString& text = workspace_.good_text();
  // An error leaves what is under way alone.
  if (workspace_.has_errors() && !text.isEmpty() && text == of_text_) return;
  of_text_ = text;
  engine_.cancel();
  std::vector<SliderResponse> before = std::exchange(all_, {});
  for (const SliderSpec& slider : workspace_.sliders()) {
    if (all_.size() == count_) break;
    const Move least[] = {{slider, slider.minimum}};
    SliderResponse now{slider, From::nothing, {}, text_with(text, least).value_or(QString())};
    const auto known = std::find_if(before.begin(), before.end(), [&](const SliderResponse& r) {
      return r.slider.path == slider.path && !now.others.isEmpty() && r.others == now.others;
    });
    if (known != before.end()) now.points = std::move(known->points), now.from = known->from;
    all_.push_back(std::move(now));
  }
  emit changed();
  estimate();
}

std::vector<std::vector<Change>> Responses::changes_of_points(const SliderResponse& of) const {
  std::vector<std::vector<Change>> out;
  for (const auto& [value, prediction] : of.points) {
    const Move move[] = {{of.slider, value}};
    out.push_back(changes_of(move));
  }
  return out;
}

void Responses::estimate() {
  struct Job {
    std::size_t at;
    SliderSpec slider;
  };
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].from == From::nothing) jobs.push_back({i, all_[i].slider});
  if (jobs.empty()) {
    // Nothing but a slider of its own moved: what was under way goes on.
    if (workspace_.timeline()) next();
    return;
  }
  engine_.start([this, jobs = std::move(jobs), scenario = *workspace_.scenario()](
                    client::Session& session, const Engine::Progress&) -> Engine::Then {
    std::vector<std::pair<std::size_t, std::vector<std::pair<double, Prediction>>>> found;
    for (const Job& job : jobs) {
      auto& points =
          found.emplace_back(job.at, std::vector<std::pair<double, Prediction>>{}).second;
      for (const double value :
           values_between(job.slider, job.slider.minimum, job.slider.maximum, kResponsePoints)) {
        const Move move[] = {{job.slider, value}};
        const Scenario changed = scenario.with(changes_of(move));
        if (changed.ok()) points.emplace_back(value, session.estimate(changed.design()));
      }
    }
    return [this, found = std::move(found)]() mutable {
      for (auto& [at, points] : found) {
        all_[at].points = std::move(points);
        all_[at].from = From::bounds;
      }
      emit changed();
      if (workspace_.timeline()) next();
    };
  });
}

void Responses::next() {
  if (!active_ || !workspace_.simulated() || workspace_.freshness() != Freshness::simulated) return;
  const std::uint64_t events = workspace_.simulated()->events;
  for (const auto& [stage, most] : {std::pair(From::bounds, kMostEventsOfPoints),
                                    std::pair(From::simulation, kMostEventsOfDraws)})
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].from == stage && events <= most && !all_[i].points.empty())
        return stage == From::bounds ? simulate(i) : draw(i);
}

void Responses::simulate(std::size_t i) {
  engine_.start([this, i, changes = changes_of_points(all_[i]), scenario = *workspace_.scenario()](
                    client::Session& session, const Engine::Progress& progress) -> Engine::Then {
    auto results = predict_changes(session, scenario, changes, progress);
    return [this, i, results = std::move(results)]() mutable {
      std::vector<std::pair<double, Prediction>> points;
      for (std::size_t k = 0; k < results.size(); ++k)
        if (results[k]) points.emplace_back(all_[i].points[k].first, *std::move(results[k]));
      all_[i].points = std::move(points);
      all_[i].from = From::simulation;
      emit changed();
      next();
    };
  });
}

void Responses::draw(std::size_t i) {
  std::vector<Prediction> known;
  for (const auto& [value, prediction] : all_[i].points) known.push_back(prediction);
  engine_.start([this, i, known = std::move(known), changes = changes_of_points(all_[i]),
                 scenario = *workspace_.scenario()](
                    client::Session& session, const Engine::Progress& progress) -> Engine::Then {
    std::vector<Prediction> drawn;
    for (std::size_t k = 0; k < known.size(); ++k) {
      Result<client::RunReport> result = client::run_report(session, scenario.with(changes[k]),
                                                            {.predict = {.on_progress = progress},
                                                             .known = known[k],
                                                             .draws = kResponseDraws,
                                                             .gains = false,
                                                             .advise = false,
                                                             .timeline = false});
      drawn.push_back(result.ok() ? std::move(result.value().prediction) : known[k]);
    }
    return [this, i, drawn = std::move(drawn)]() mutable {
      for (std::size_t k = 0; k < drawn.size(); ++k) all_[i].points[k].second = std::move(drawn[k]);
      all_[i].from = From::draws;
      emit changed();
      next();
    };
  });
}

}  // namespace stallcast::desktop
