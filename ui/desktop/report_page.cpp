#include "ui/desktop/report_page.hpp"

#include <utility>

#include "ui/app/run_report.hpp"
#include "ui/report/design_context.hpp"

namespace stallcast::desktop {
Result<std::string> report_page(client::Session& session, const ReportWish& wish,
                                const Engine::Progress& progress) {
  client::RunQuestion wanted;
  wanted.predict.on_progress = progress;
  wanted.known = wish.prediction;
  Result<client::RunReport> found = client::run_report(session, wish.source, wish.design, wanted);
  if (!found.ok()) return found.failure();
  report::ReportContext context = report::context_of(wish.design, client::version());
  context.command = wish.command;
  context.timeline = std::move(found->timeline);
  return report::render(found->prediction, context, report::Format::html, {});
}

}  // namespace stallcast::desktop
