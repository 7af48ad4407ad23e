#include "ui/desktop/twice_pane.hpp"

#include <QGridLayout>
#include <QLabel>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "stallcast/label.hpp"
#include "ui/app/doubled.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/workspace.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::size_t kMostRows = 6;
constexpr double kBlamed = 0.0005;  // what is waited for less is not a row

/// What is predicted with twice of `resource`, next to what is predicted now.
QString tried(client::Session& session, const Scenario& scenario, const Prediction& now,
              const std::string& resource, const Engine::Progress& progress) {
  const auto change = client::doubled(scenario.design(), now, resource);
  if (!change) return TwicePane::tr("no number of the scenario makes more of it");
  const Scenario twice = scenario.with({&change->change, 1});
  if (!twice.ok())
    return TwicePane::tr("%1 does not give a valid design")
        .arg(QString::fromStdString(change->text));
  const Result<Prediction> then = session.predict(twice.design(), {.on_progress = progress});
  if (!then.ok()) return QString::fromStdString(then.failure().message);
  const std::vector<Headline> all = headline_tiles(now);
  if (all.empty()) return TwicePane::tr("nothing to compare");
  const auto before = find_metric(now, all.front().metric);
  const auto after = find_metric(*then, all.front().metric);
  if (!before || !after) return TwicePane::tr("nothing to compare");
  return TwicePane::tr("%1 %2, %3 (%4)")
      .arg(all.front().title, metric_text(*after), delta_text(*before, *after),
           QString::fromStdString(label::of_change(change->text)));
}

/// What is in the row of `b` before anybody asks.
QString worth(const Bottleneck& b, const Prediction& prediction) {
  if (!prediction.gains)
    return TwicePane::tr("%1 of waiting").arg(figure_text(b.blamed_share, "ratio"));
  if (!b.gain) return TwicePane::tr("not tried");
  return QString::fromStdString(report::tried_phrase(b, prediction));
}

}  // namespace

TwicePane::TwicePane(Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace) {
  grid_ = new QGridLayout(this);
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setColumnStretch(0, 1);
  grid_->setColumnStretch(1, 1);
  none_ = note(tr("Nothing is waited for"), this);
  grid_->addWidget(none_, 0, 0, 1, 3);
  connect(&workspace.background(), &Engine::busy_changed, this, [this](bool busy) {
    if (busy) return;
    // What is still without an answer once this work has shown its own was cancelled.
    QTimer::singleShot(0, this, [this] {
      if (workspace_.background().busy()) return;
      for (const std::string& resource : std::exchange(waiting_, {}))
        show_answer(resource, tr("cancelled"));
    });
  });
}

void TwicePane::refresh() {
  const bool fresh = workspace_.freshness() == Freshness::simulated && workspace_.simulated();
  const std::string now = fresh ? workspace_.simulated()->design_sha256 : std::string();
  const bool ranked = fresh && workspace_.simulated()->gains.has_value();
  if (now == shown_ && !now.empty() && ranked == ranked_) return;
  if (now != shown_ || now.empty()) {
    waiting_.clear();
    answers_.clear();
  }
  shown_ = now;
  ranked_ = ranked;
  rows_.clear();
  while (QLayoutItem* item = grid_->takeAt(0)) {
    if (item->widget() != none_) item->widget()->deleteLater();
    delete item;
  }
  grid_->addWidget(none_, 0, 0, 1, 3);
  int at = 1;
  for (const Bottleneck& b :
       fresh ? workspace_.simulated()->bottlenecks : std::vector<Bottleneck>()) {
    if (rows_.size() == kMostRows || (b.blamed_share < kBlamed && !b.gain)) break;
    const QString name = QString::fromStdString(b.resource);
    const QString said = QString::fromStdString(label::of_resource(b.resource));
    QLabel* share = note(worth(b, *workspace_.simulated()), this);
    auto* title = new QLabel(said, this);
    title->setWordWrap(true);
    title->setToolTip(name);
    auto* answer = new QLabel(this);
    answer->setWordWrap(true);
    answer->setAccessibleName(tr("What twice the %1 would do").arg(said));
    answer->hide();  // until it was asked for
    grid_->addWidget(title, at, 0);
    grid_->addWidget(share, at, 1);
    // Nothing is twice an outage, or twice of what ranks wait for each other.
    if (client::doubled(*workspace_.design(), *workspace_.simulated(), b.resource)) {
      auto* button = new QToolButton(this);
      button->setText(QStringLiteral("\u00d72"));
      button->setObjectName(QStringLiteral("twice:") + name);
      button->setAccessibleName(tr("What would twice the %1 do?").arg(said));
      button->setToolTip(button->accessibleName());
      connect(button, &QToolButton::clicked, this,
              [this, resource = b.resource] { ask(resource); });
      grid_->addWidget(button, at, 2);
    }
    grid_->addWidget(answer, ++at, 0, 1, 3);
    rows_[b.resource] = answer;
    if (const auto known = answers_.find(b.resource); known != answers_.end())
      show_answer(known->first, known->second);
    ++at;
  }
  none_->setVisible(rows_.empty());
  none_->setText(fresh ? tr("Nothing is waited for") : tr("After the simulation"));
}

bool TwicePane::ask(const std::string& resource) {
  if (!rows_.contains(resource) || !workspace_.design()) return false;
  if (std::find(waiting_.begin(), waiting_.end(), resource) == waiting_.end())
    waiting_.push_back(resource);
  simulate();
  return true;
}

void TwicePane::simulate() {
  // Starting work ends what is under way: all that waits is asked for again, which costs nothing
  // where it is known.
  const std::vector<std::string> wanted = waiting_;
  workspace_.background().start(
      [this, wanted, scenario = *workspace_.scenario(), prediction = *workspace_.simulated()](
          client::Session& session, const Engine::Progress& progress) -> Engine::Then {
        std::vector<QString> found;
        for (const std::string& resource : wanted)
          found.push_back(tried(session, scenario, prediction, resource, progress));
        return [this, wanted, found = std::move(found), of = prediction.design_sha256] {
          if (of != shown_) return;
          for (std::size_t i = 0; i < wanted.size(); ++i) {
            std::erase(waiting_, wanted[i]);
            show_answer(wanted[i], found[i]);
          }
        };
      });
  waiting_ = wanted;
  for (const std::string& resource : waiting_) show_answer(resource, tr("simulating..."));
}

void TwicePane::show_answer(const std::string& resource, const QString& text) {
  answers_[resource] = text;
  if (const auto row = rows_.find(resource); row != rows_.end()) {
    row->second->setText(text);
    row->second->setVisible(!text.isEmpty());
  }
}

QString TwicePane::answer(const std::string& resource) const {
  const auto row = rows_.find(resource);
  return row == rows_.end() ? QString() : row->second->text();
}

}  // namespace stallcast::desktop
