#include "ui/desktop/report_page.hpp"

#include <utility>

#include "ui/report/design_context.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::size_t kMostAlternatives = 4;  // as `stallcast run` tries

}  // namespace

Result<std::string> report_page(client::Session& session, const ReportWish& wish,
                                const Engine::Progress& progress) {
  // Three things are simulated, each with progress of its own.
  const auto third = [&](int which) -> client::Question {
    return {.on_progress = [&progress, which](double done) { progress((which + done) / 3.0); }};
  };
  Prediction prediction;
  if (wish.prediction) {
    prediction = *wish.prediction;
  } else {
    Result<Prediction> found = session.predict(wish.scenario.design(), third(0));
    if (!found.ok()) return found.failure();
    prediction = std::move(found).value();
  }
  prediction.alternatives = session.alternatives(wish.scenario, wish.scenario.design(), prediction,
                                                 kMostAlternatives, third(1));
  report::ReportContext context = report::context_of(wish.scenario.design(), client::version());
  context.command = wish.command;
  context.timeline = session.overview(wish.scenario.design(), prediction, third(2));
  return report::render(prediction, context, report::Format::html, {});
}

}  // namespace stallcast::desktop
