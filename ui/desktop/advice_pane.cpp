#include "ui/desktop/advice_pane.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "stallcast/label.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/desktop/variation.hpp"
#include "ui/report/advice.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::desktop {

QString advice_text(const Alternative& alternative, const Prediction& prediction) {
  const std::string cost = report::cost_phrase(alternative);
  return QString::fromStdString(report::gain_text(alternative, prediction) +
                                (cost.empty() ? "" : ", " + cost));
}

AdvicePane::AdvicePane(Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace), engine_(workspace.settings()) {
  setObjectName(QStringLiteral("advice"));
  auto* all = column(this);
  all->setSpacing(space::kInner);
  all->addWidget(heading(tr("What would help"), this));
  status_ = note({}, this);
  status_->setObjectName(QStringLiteral("advice_status"));
  all->addWidget(status_);
  list_ = new QVBoxLayout;
  list_->setSpacing(space::kThings);
  all->addLayout(list_);
  connect(&workspace.document(), &Document::opened, this, &AdvicePane::clear);
}

void AdvicePane::refresh() {
  const Workspace& w = workspace_;
  // What was tried of a design before stays in sight until there is news.
  const bool fresh = w.freshness() == Freshness::simulated && w.simulated() && !w.refining();
  const bool other = w.simulated() && !w.refining() && w.simulated()->design_sha256 != shown_of_;
  if (fresh || other) {
    clear();
    shown_of_ = w.simulated()->design_sha256;
    for (const Alternative& a : w.simulated()->alternatives)
      if (report::is_useful(a, *w.simulated())) shown_.push_back(a);
    for (std::size_t i = 0; i < shown_.size(); ++i) add_card(i, *w.simulated());
  }
  for (Card* card : cards_) card->setEnabled(fresh);
  status_->setText(w.freshness() == Freshness::none ? tr("Nothing is simulated yet")
                   : fresh                          ? tr("No change that was tried gains anything")
                   : w.has_errors() ? tr("No change was tried yet: this text has errors")
                                    : tr("Trying changes..."));
  status_->setVisible(cards_.empty());
}

void AdvicePane::clear() {
  for (Card* card : cards_) card->deleteLater();
  cards_.clear();
  shown_.clear();
  shown_of_.clear();
}

void AdvicePane::add_card(std::size_t i, const Prediction& prediction) {
  const Alternative& a = shown_[i];
  auto* card = new Card(this);
  card->setObjectName(QStringLiteral("advice:%1").arg(i));
  const QString change = QString::fromStdString(label::of_change(a.change));
  auto* name = heading(change, card);
  name->setWordWrap(true);
  name->setToolTip(QString::fromStdString(a.set));
  auto* said = new QLabel(advice_text(a, prediction), card);
  said->setWordWrap(true);
  auto* texts = new QVBoxLayout;
  texts->addWidget(name);
  texts->addWidget(said);
  auto* sides = new QHBoxLayout;
  sides->addLayout(texts, 1);
  auto* make = push_button(tr("Apply"), "apply", tr("Apply: %1").arg(change), card);
  auto* keep = push_button(tr("Pin"), "pin_advice", tr("Pin: %1").arg(change), card);
  keep->setToolTip(tr("Set it aside to compare with, and leave the design as it is"));
  keep->setEnabled(workspace_.pins().size() < kMostPins);
  connect(
      make, &QPushButton::clicked, this, [this, i] { apply(i); }, Qt::QueuedConnection);
  connect(
      keep, &QPushButton::clicked, this, [this, i] { pin(i); }, Qt::QueuedConnection);
  sides->addWidget(make);
  sides->addWidget(keep);
  card->rows()->addLayout(sides);
  list_->addWidget(card);
  cards_.push_back(card);
}

bool AdvicePane::apply(std::size_t card) {
  return card < shown_.size() && workspace_.apply(shown_[card].set);
}

bool AdvicePane::pin(std::size_t card) {
  if (card >= shown_.size()) return false;
  const std::optional<TextEdit> edit = workspace_.edit_for(shown_[card].set);
  if (!edit) return false;
  const QString text = desktop::apply(*edit, workspace_.document().text());
  const QString name = QString::fromStdString(label::of_change(shown_[card].change));
  engine_.start([this, text, name, source = workspace_.source()](
                    client::Session& session, const Engine::Progress& progress) -> Engine::Then {
    const QString texts[] = {text};
    auto found = predict_texts(session, source, texts, progress);
    return [this, text, name, found = std::move(found)]() mutable {
      if (found.front()) workspace_.add_pin({name, text, *std::move(found.front())});
    };
  });
  return true;
}

}  // namespace stallcast::desktop
