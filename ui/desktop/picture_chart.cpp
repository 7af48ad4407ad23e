#include "ui/desktop/picture_chart.hpp"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollArea>
#include <QStyle>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/desktop/figures.hpp"
#include "ui/report/picture_load.hpp"

namespace stallcast::desktop {
namespace {

constexpr double kInner = 12.0, kBar = 5.0, kRound = 6.0;
/// The letters that places in a picture are made for.
constexpr double kLetters = 13.0;
/// Not larger than this beside the letters of the program, in lines of text per unit.
constexpr double kLargest = 1.0 / 13.0;

/// Narrower than this beside the letters of the program nobody reads them; lower than this they
/// need not be, as what they are in scrolls.
constexpr double kReadable = 0.4, kLeast = 0.55, kLeastStacked = 2.0 / 3.0;

/// Of "storage[scratch]" scratch; "" of what has no id.
QString id_of(const PictureBox& box) {
  const QString path = QString::fromStdString(box.path);
  const qsizetype at = path.indexOf(u'[');
  return at < 0 || box.role == PictureBox::Role::traffic ? QString() : path.mid(at + 1).chopped(1);
}

/// "8 x NVIDIA DGX H100", "Lustre".
QString product_of(const PictureBox& box) {
  return QString::fromStdString(box.role == PictureBox::Role::storage ? box.subtitle : box.title);
}

/// The boxes below each other, in their order, all as wide as the widest.
Picture stacked(const Picture& wide) {
  constexpr double kApart = 12.0;
  Picture out;
  out.boxes = wide.boxes;
  for (const PictureBox& box : out.boxes) out.width = std::max(out.width, box.width);
  for (PictureBox& box : out.boxes) {
    box.x = 0.0, box.y = out.height, box.width = out.width;
    out.height += box.height + kApart;
  }
  return out;
}

QString label_of(const PicturePart& part) {
  const QString words = QString::fromStdString(part.label);
  return part.count.empty() ? words : QString::fromStdString(part.count) + u' ' + words;
}

void paint_wire(QPainter& painter, const Prediction& p, const PictureWire& wire,
                const Theme& theme) {
  const PictureBox &from = p.picture.boxes[wire.from], &to = p.picture.boxes[wire.to];
  const report::PartLoad load = report::wire_load(p, wire);
  const QPointF begin(from.x + from.width, wire.y_from), end(to.x, wire.y_to);
  const double middle = (begin.x() + end.x()) / 2.0;
  QPainterPath path(begin);
  path.cubicTo(QPointF(middle, begin.y()), QPointF(middle, end.y()), end);
  painter.setPen(QPen(load.limit ? theme.bad : theme.grid, report::wire_width(load)));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
}

}  // namespace

PictureChart::PictureChart(QWidget* parent)
    : Chart(parent, {tr("id"), tr("of"), tr("part"), tr("busy"), tr("in use"), tr("limits")}) {
  setMouseTracking(false);
}

void PictureChart::set(const Prediction& prediction) {
  shown_ = prediction;
  stacked_ = stacked(prediction.picture);
  std::vector<Row> rows;
  QString limit;
  for (const PictureBox& box : prediction.picture.boxes) {
    if (box.parts.empty())
      rows.push_back({Cell(id_of(box)), Cell(product_of(box)),
                      Cell(QString::fromStdString(box.subtitle)), Cell(QString()), Cell(QString()),
                      Cell(QString())});
    for (const PicturePart& part : box.parts) {
      const report::PartLoad load = report::part_load(prediction, part);
      if (load.limit) limit = label_of(part);
      rows.push_back({Cell(id_of(box)), Cell(product_of(box)), Cell(label_of(part)),
                      load.known ? figure_cell(load.mean, "ratio") : Cell(QString()),
                      load.known ? figure_cell(load.in_use, "ratio") : Cell(QString()),
                      Cell(load.limit ? tr("yes") : QString())});
    }
  }
  twin_.set(std::move(rows));
  limit_ = limit;
  at_ = std::min(at_, std::max<std::size_t>(prediction.picture.boxes.size(), 1) - 1);
  say();
  updateGeometry();
}

void PictureChart::say() {
  if (!shown_) return;
  QString text = QString::fromStdString(shown_->system);
  if (!limit_.isEmpty()) text = tr("%1; limited by %2").arg(text, limit_);
  if (hasFocus() && at_ < shown_->picture.boxes.size())
    text += tr("; at %1").arg(QString::fromStdString(shown_->picture.boxes[at_].title));
  describe(text);
}

void PictureChart::step(int by) {
  const std::size_t count = shown_ ? shown_->picture.boxes.size() : 0;
  if (by < 0 ? at_ > 0 : at_ + 1 < count) at_ += static_cast<std::size_t>(by);
  say();
  if (at_ >= count) return;
  // Into sight, where it is scrolled.
  const PictureBox& box = picture().boxes[at_];
  const double scale = scale_of(rect());
  const QPoint middle =
      (origin_in(rect(), scale) + scale * QRectF(box.x, box.y, box.width, box.height).center())
          .toPoint();
  for (QWidget* around = parentWidget(); around != nullptr; around = around->parentWidget())
    if (auto* area = qobject_cast<QScrollArea*>(around); area != nullptr)
      return area->ensureVisible(mapTo(area->widget(), middle).x(),
                                 mapTo(area->widget(), middle).y(), 0,
                                 static_cast<int>(scale * box.height / 2.0) + 8);
}

void PictureChart::keyPressEvent(QKeyEvent* event) {
  const std::size_t count = shown_ ? shown_->picture.boxes.size() : 0;
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Up:
      return step(-1);
    case Qt::Key_Right:
    case Qt::Key_Down:
      return step(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (at_ < count) emit chosen(QString::fromStdString(shown_->picture.boxes[at_].path));
      return;
    default:
      Chart::keyPressEvent(event);
  }
}

double PictureChart::asked_width() const {
  if (std::abs(width() - asked_width_) > 1.5 * style()->pixelMetric(QStyle::PM_ScrollBarExtent))
    asked_width_ = width();
  return asked_width_;
}

const Picture& PictureChart::picture() const {
  const Picture& wide = shown_->picture;
  return asked_width() < kReadable * kLargest * line() * wide.width ? stacked_ : wide;
}

double PictureChart::scale_of(const QRectF& area) const {
  return std::min(
      {area.width() / picture().width, area.height() / picture().height, kLargest * line()});
}

QPointF PictureChart::origin_in(const QRectF& area, double scale) const {
  return area.center() - scale / 2.0 * QPointF(picture().width, picture().height);
}

double PictureChart::lines() const {
  const double height = shown_ && !shown_->picture.empty() ? picture().height : 0.0;
  return std::clamp(height * kLargest, 10.0, 24.0);
}

// What it is in scrolls by this where its layout has lines that wrap.
QSize PictureChart::sizeHint() const { return in_lines(40, 0).expandedTo(minimumSizeHint()); }

QSize PictureChart::minimumSizeHint() const {
  const QSize least = in_lines(24, 8);
  if (!shown_ || shown_->picture.empty()) return least;
  if (&picture() == &stacked_) return in_lines(20, stacked_.height * kLargest * kLeastStacked);
  const double scale = std::min(kLargest * kLeast * line(), asked_width() / picture().width);
  return {least.width(), std::max(least.height(), static_cast<int>(picture().height * scale))};
}

void PictureChart::resizeEvent(QResizeEvent* event) {
  Chart::resizeEvent(event);
  updateGeometry();
}

void PictureChart::paint_box(QPainter& painter, const PictureBox& box, const Theme& theme) const {
  const bool limit = report::is_limit(*shown_, box);
  painter.setPen(QPen(limit ? theme.bad : theme.grid, limit ? 2.0 : 1.0));
  painter.setBrush(theme.palette.color(QPalette::Base));
  painter.drawRoundedRect(QRectF(box.x, box.y, box.width, box.height), kRound, kRound);
  QFont font = painter.font();
  const double inner = box.width - 2.0 * kInner;
  const auto text = [&](double y, const QColor& colour, bool bold, const QString& content,
                        Qt::Alignment side, double room) {
    font.setBold(bold);
    painter.setFont(font);
    painter.setPen(colour);
    const QFontMetricsF metrics(font);
    painter.drawText(QRectF(box.x + kInner, y, inner, metrics.height()), side,
                     metrics.elidedText(content, Qt::ElideRight, room));
    return metrics.horizontalAdvance(content);
  };
  text(box.y + 8.0, theme.text, true, QString::fromStdString(box.title), Qt::AlignLeft, inner);
  text(box.y + 24.0, theme.faint, false, QString::fromStdString(box.subtitle), Qt::AlignLeft,
       inner);
  double y = box.y + kPictureHead;
  for (const PicturePart& part : box.parts) {
    const report::PartLoad load = report::part_load(*shown_, part);
    const QColor strong = load.limit ? theme.bad : theme.text;
    const double taken = text(y + 2.0, load.limit ? theme.bad : theme.faint, load.limit,
                              QString::fromStdString(load.text), Qt::AlignRight, inner);
    text(y + 2.0, strong, load.limit, label_of(part), Qt::AlignLeft, inner - taken - kInner);
    if (load.known) {
      const QRectF bar(box.x + kInner, y + 20.0, inner, kBar);
      QColor full = load.limit ? theme.bad : theme.accent;
      painter.fillRect(bar, theme.grid);
      full.setAlphaF(0.4F);
      painter.fillRect(QRectF(bar.left(), bar.top(), inner * load.in_use, kBar), full);
      full.setAlphaF(1.0F);
      painter.fillRect(QRectF(bar.left(), bar.top(), inner * load.mean, kBar), full);
    }
    y += kPictureRow;
  }
}

void PictureChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) {
  if (!shown_ || shown_->picture.empty()) return;
  painter.save();
  const double scale = scale_of(area);
  painter.translate(origin_in(area, scale));
  painter.scale(scale, scale);
  QFont font = painter.font();
  font.setPixelSize(static_cast<int>(kLetters));
  painter.setFont(font);
  for (const PictureWire& wire : picture().wires) paint_wire(painter, *shown_, wire, theme);
  for (const PictureBox& box : picture().boxes) paint_box(painter, box, theme);
  if (hasFocus() && at_ < picture().boxes.size()) {
    const PictureBox& box = picture().boxes[at_];
    painter.setPen(QPen(theme.accent, 2.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(box.x, box.y, box.width, box.height).adjusted(-4, -4, 4, 4),
                            kRound, kRound);
  }
  painter.restore();
}

const PictureBox* PictureChart::box_at(QPointF point) const {
  if (!shown_ || shown_->picture.empty()) return nullptr;
  const double scale = scale_of(rect());
  const QPointF inside = (point - origin_in(rect(), scale)) / scale;
  for (const PictureBox& box : picture().boxes)
    if (QRectF(box.x, box.y, box.width, box.height).contains(inside)) return &box;
  return nullptr;
}

void PictureChart::mousePressEvent(QMouseEvent* event) {
  const PictureBox* box = box_at(event->position());
  if (box == nullptr) return;
  at_ = static_cast<std::size_t>(box - picture().boxes.data());
  setFocus(Qt::MouseFocusReason);
  say();
  emit chosen(QString::fromStdString(box->path));
}

bool PictureChart::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = dynamic_cast<QHelpEvent*>(event);
    const PictureBox* box = help == nullptr ? nullptr : box_at(help->pos());
    QString tip = box == nullptr ? QString() : QString::fromStdString(box->path);
    if (box != nullptr)
      for (const PicturePart& part : box->parts)
        if (const std::string said = report::part_load(*shown_, part).tip; !said.empty())
          tip += u'\n' + QString::fromStdString(said);
    if (!tip.isEmpty()) QToolTip::showText(help->globalPos(), tip, this);
    return true;
  }
  return Chart::event(event);
}

}  // namespace stallcast::desktop
