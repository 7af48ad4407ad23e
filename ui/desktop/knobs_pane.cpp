#include "ui/desktop/knobs_pane.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/desktop/figures.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/response_chart.hpp"
#include "ui/desktop/slider_row.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/summary.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::size_t kKnobs = 3;

/// "Stall per save (max)".
QString name_of_target(const AssertionOutcome& a) {
  const std::string all = report::target_phrase(a), asked = report::asked_phrase(a);
  const bool named = all.size() > asked.size() + 1 && all.ends_with(asked);
  QString out = QString::fromStdString(named ? all.substr(0, all.size() - asked.size() - 1) : a.id);
  return out.replace(0, 1, out.left(1).toUpper());
}

}  // namespace

KnobsPane::KnobsPane(Workspace& workspace, QWidget* parent)
    : Card(parent), workspace_(workspace), responses_(workspace, kKnobs, this) {
  setObjectName(QStringLiteral("knobs"));
  auto* head = new QHBoxLayout;
  head->addWidget(heading(tr("Change"), this), 1);
  metric_ = choice(QStringLiteral("knob_metric"), tr("What the curves show"), this);
  metric_->setMinimumContentsLength(12);
  head->addWidget(metric_);
  rows()->addLayout(head);
  list_ = new QVBoxLayout;
  list_->setSpacing(space::kInner);
  rows()->addLayout(list_);
  none_ = note(tr("No slider: What if can make one of any number"), this);
  rows()->addWidget(none_);
  connect(&workspace, &Workspace::sliders_changed, this, &KnobsPane::rebuild);
  connect(&workspace, &Workspace::read, this, [this] {
    for (const Knob& knob : knobs_)
      for (const SliderSpec& spec : workspace_.sliders())
        if (spec.path == knob.row->spec().path) knob.row->show_value(spec);
  });
  connect(&workspace.document(), &Document::opened, this, [this] {
    choose_metric_ = true;
    const QSignalBlocker quiet(metric_);
    metric_->clear();
  });
  connect(&responses_, &Responses::changed, this, &KnobsPane::show_curves);
  connect(metric_, &QComboBox::currentIndexChanged, this, &KnobsPane::show_curves);
  rebuild();
}

void KnobsPane::rebuild() {
  for (const Knob& knob : knobs_) {
    knob.row->deleteLater();
    knob.curve->deleteLater();
  }
  knobs_.clear();
  QWidget* last = metric_;
  for (const SliderSpec& spec : workspace_.sliders()) {
    if (knobs_.size() == kKnobs) break;
    const Knob knob{new SliderRow(workspace_, spec, this), new ResponseChart(this)};
    knob.curve->setAccessibleName(tr("Response to %1").arg(spec.label));
    list_->addWidget(knob.row);
    list_->addWidget(knob.curve);
    last = chain_focus(last, *knob.row);
    QWidget::setTabOrder(last, knob.curve);
    last = knob.curve;
    knobs_.push_back(knob);
  }
  none_->setVisible(knobs_.empty());
  show_curves();
}

void KnobsPane::offer() {
  const auto& p = workspace_.simulated();
  if (!p) return;
  std::vector<std::pair<QString, QString>> wanted;
  const auto add = [&](const QString& metric, const QString& title) {
    const bool known = std::any_of(wanted.begin(), wanted.end(),
                                   [&](const auto& one) { return one.second == metric; });
    if (!known && find_metric(*p, metric)) wanted.emplace_back(title, metric);
  };
  for (const Headline& h : headline_tiles(*p)) add(h.metric, h.title);
  for (const AssertionOutcome& a : p->assertions)
    add(QString::fromStdString(a.metric), name_of_target(a));
  const QSignalBlocker quiet(metric_);
  const QString before = choose_metric_ ? QString() : metric_->currentData().toString();
  metric_->clear();
  for (const auto& [title, metric] : wanted) metric_->addItem(title, metric);
  const int at = metric_->findData(before.isEmpty() ? metric_that_matters(*p) : before);
  metric_->setCurrentIndex(std::max(0, at));
  metric_->setToolTip(metric_->currentText());  // where it is cut
  choose_metric_ = false;
}

void KnobsPane::refresh() {
  if (workspace_.freshness() == Freshness::simulated || metric_->count() == 0) offer();
  show_curves();
}

void KnobsPane::show_curves() {
  for (const Knob& knob : knobs_)
    for (const SliderResponse& response : responses_.all())
      if (response.slider.path == knob.row->spec().path) {
        SliderResponse now = response;
        now.slider = knob.row->spec();
        knob.curve->set(now, metric_->currentData().toString(), workspace_);
      }
}

bool KnobsPane::drag(const QString& path, const QString& value) {
  for (const Knob& knob : knobs_) {
    if (knob.row->spec().path != path) continue;
    const client::ReadQuantity read =
        client::read_quantity(value.toStdString(), knob.row->spec().dimension);
    if (read.value) knob.row->drag_to(*read.value);
    return read.value.has_value();
  }
  return false;
}

void KnobsPane::showEvent(QShowEvent* event) {
  Card::showEvent(event);
  responses_.set_active(true);
}

void KnobsPane::hideEvent(QHideEvent* event) {
  Card::hideEvent(event);
  responses_.set_active(false);
}

}  // namespace stallcast::desktop
