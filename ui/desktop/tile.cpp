#include "ui/desktop/tile.hpp"

#include <QApplication>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/desktop/figures.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::desktop {
namespace {

QString coloured(const QString& text, const QColor& colour) {
  return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(colour.name(), text);
}

}  // namespace

Tile::Tile(QString metric, const QString& title, QWidget* parent)
    : Card(parent), metric_(std::move(metric)), title_(title) {
  setObjectName(QStringLiteral("tile:") + metric_);
  setFocusPolicy(Qt::TabFocus);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  setToolTip(metric_);
  auto* name = new QLabel(title, this);
  value_ = new QLabel(this);
  kind_ = new QLabel(this);
  notes_ = new QLabel(this);
  notes_->setTextFormat(Qt::RichText);
  notes_->setWordWrap(true);
  QVBoxLayout* layout = rows();
  layout->setSpacing(1);
  range_ = new QLabel(this);
  for (QLabel* label : {name, value_, range_, kind_, notes_}) layout->addWidget(label);
  layout->addStretch(1);
  enlarge_value();
}

void Tile::enlarge_value() {
  QFont large = QApplication::font();
  large.setPointSizeF(large.pointSizeF() * 1.7);
  value_->setFont(large);
}

void Tile::changeEvent(QEvent* event) {
  Card::changeEvent(event);
  if (event->type() == QEvent::FontChange) enlarge_value();
}

void Tile::refresh(const Workspace& workspace) {
  const Theme& theme = Theme::of(*this);
  const Freshness freshness = workspace.freshness();
  const auto of = [&](const std::optional<Prediction>& p) {
    return p ? find_metric(*p, metric_) : std::nullopt;
  };
  const std::optional<Metric> simulated = of(workspace.simulated());
  const std::optional<Metric> estimate = of(workspace.estimate());
  const bool estimated = freshness == Freshness::estimated && estimate;
  const bool bound = estimated || !simulated;
  const std::optional<Metric>& shown = bound ? estimate : simulated;
  const bool stale = !estimated && freshness != Freshness::simulated;
  if (!shown) {
    value_->setText(QStringLiteral("\u2013"));
    range_->hide();
    kind_->setText(tr("not known yet"));
    notes_->clear();
    return;
  }
  const QString text = (bound ? QStringLiteral("~ ") : QString()) + metric_text(*shown);
  value_->setText(text);
  value_->setEnabled(!stale);
  kind_->setEnabled(false);
  // Until there are draws of this text, as far off as at the last ones; a bound is no middle of
  // any.
  Metric ranged = *shown;
  if (!ranged.ci90 && !bound) ranged.ci90 = workspace.outcomes_near(metric_, ranged.value);
  const QString range = (shown->ci90 ? QString() : QStringLiteral("~ ")) + range_text(ranged);
  const QString middle = middle_text(ranged);  // on a line of its own: tiles are as wide as ends
  // While a slider moves the tile stays as high as it is.
  QSizePolicy policy = range_->sizePolicy();
  policy.setRetainSizeWhenHidden(bound && workspace.outcomes_near(metric_, shown->value));
  range_->setSizePolicy(policy);
  range_->setVisible(ranged.ci90.has_value());
  range_->setEnabled(!stale && shown->ci90.has_value());
  range_->setText(middle.isEmpty() ? range : range.chopped(middle.size() + 2) + u'\n' + middle);
  kind_->setText(stale   ? tr("of the design before")
                 : bound ? tr("bound, simulation follows")
                         : tr("simulated"));
  QStringList notes;
  for (std::size_t i = 0; i < workspace.pins().size(); ++i) {
    const Pin& pin = workspace.pins()[i];
    const auto before = find_metric(pin.prediction, metric_);
    if (!before) continue;
    const int sign = delta_sign(metric_, *before, *shown);
    const QString delta = judged_delta(metric_, *before, *shown);
    notes << coloured(QStringLiteral("\u25a0 "), theme.pins[i]) + pin.name.toHtmlEscaped() +
                 QStringLiteral(": ") +
                 coloured(delta, sign > 0   ? theme.good
                                 : sign < 0 ? theme.bad
                                            : theme.faint);
  }
  const auto& judged =
      freshness == Freshness::estimated ? workspace.estimate() : workspace.simulated();
  if (judged)
    for (const AssertionOutcome& a : judged->assertions) {
      const QString that = QString::fromStdString(a.metric.empty() ? a.that : a.metric);
      if (!that.startsWith(metric_)) continue;
      const QColor colour = a.status == "pass"   ? theme.good
                            : a.status == "fail" ? theme.bad
                                                 : theme.warn;
      QString rest = QString::fromStdString(a.that);
      if (rest.startsWith(metric_))
        rest =
            rest.mid(metric_.size() + (rest.mid(metric_.size(), 1) == QLatin1String(".") ? 1 : 0))
                .trimmed();
      QString note =
          coloured(status_sign(a.status), colour) + QStringLiteral(" ") + rest.toHtmlEscaped();
      if (a.probability)
        note += QStringLiteral(", ") +
                QString::fromStdString(report::probability_phrase(a)).toHtmlEscaped();
      notes << note;
    }
  notes_->setText(notes.join(QStringLiteral("<br>")));
  setAccessibleName(title_ + QStringLiteral(": ") + text + QStringLiteral(", ") +
                    (ranged.ci90 ? range + QStringLiteral(", ") : QString()) + kind_->text());
}

TileGrid::TileGrid(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
  grid_->setContentsMargins(0, 0, 0, 0);
}

void TileGrid::set(std::vector<Tile*> tiles) {
  for (Tile* tile : tiles_) delete tile;
  tiles_ = std::move(tiles);
  columns_ = 0;
}

int TileGrid::widest() const {
  int out = fontMetrics().horizontalAdvance(QStringLiteral("figures are of this width"));
  for (const Tile* tile : tiles_) out = std::max(out, tile->minimumSizeHint().width());
  return out;
}

QSize TileGrid::minimumSizeHint() const {
  return {tiles_.empty() ? 0 : widest(), QWidget::minimumSizeHint().height()};
}

void TileGrid::place() {
  const int gap = grid_->horizontalSpacing();
  const int columns = std::max(1, (width() + gap) / std::max(1, widest() + gap));
  if (columns == columns_) return;
  columns_ = columns;
  const int count = static_cast<int>(tiles_.size());
  for (int i = 0; i < count; ++i) {
    grid_->addWidget(tiles_[static_cast<std::size_t>(i)], i / columns, i % columns);
    tiles_[static_cast<std::size_t>(i)]->show();
  }
  for (int row = 0; row < grid_->rowCount(); ++row) grid_->setRowStretch(row, 0);
  grid_->setRowStretch(count / columns + 1, 1);
  for (int column = 0; column < std::max(columns, grid_->columnCount()); ++column)
    grid_->setColumnStretch(column, column < columns ? 1 : 0);
}

void TileGrid::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  QMetaObject::invokeMethod(this, &TileGrid::place, Qt::QueuedConnection);
}

}  // namespace stallcast::desktop
