#include "ui/desktop/on_entry.hpp"

#include <QTimer>
#include <QWidget>
#include <utility>

namespace stallcast::desktop {

OnEntry::OnEntry(QWidget& place, Workspace& workspace, std::function<void()> start,
                 std::function<void()> too_large)
    : QObject(&place),
      place_(place),
      workspace_(workspace),
      start_(std::move(start)),
      too_large_(std::move(too_large)) {
  connect(&workspace, &Workspace::predicted, this, &OnEntry::look);
  // Behind what the work that ended goes on with.
  connect(&workspace.background(), &Engine::busy_changed, this, [this](bool busy) {
    if (!busy) QTimer::singleShot(0, this, &OnEntry::look);
  });
}

void OnEntry::look() {
  if (!place_.isVisible() || workspace_.freshness() != Freshness::simulated ||
      workspace_.background().busy() || workspace_.simulated()->design_sha256 == done_)
    return;
  taken();
  workspace_.is_quick() ? start_() : too_large_();
}

void OnEntry::taken() {
  if (workspace_.freshness() == Freshness::simulated) done_ = workspace_.simulated()->design_sha256;
}

}  // namespace stallcast::desktop
