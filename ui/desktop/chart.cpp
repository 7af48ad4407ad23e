#include "ui/desktop/chart.hpp"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QBuffer>
#include <QFileDialog>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QMessageBox>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QStackedWidget>
#include <QSvgGenerator>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/desktop/parts.hpp"
#include "ui/desktop/saved_file.hpp"

namespace stallcast::desktop {

Chart::Chart(QWidget* parent, QStringList headers) : QWidget(parent), twin_(std::move(headers)) {
  setFocusPolicy(Qt::TabFocus);
}

void Chart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font());
  paint(painter, QRectF(rect()).adjusted(2, 2, -2, -2), Theme::of(*this));
  if (!hasFocus()) return;
  painter.setPen(QPen(Theme::of(*this).accent, 1.5, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
}

void Chart::describe(const QString& summary) {
  if (accessibleDescription() != summary) {
    setAccessibleDescription(summary);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
  }
  update();
}

double Chart::line() const { return QFontMetricsF(font()).height(); }

QSize Chart::in_lines(double width, double height) const {
  return {static_cast<int>(width * line()), static_cast<int>(height * line())};
}

double Chart::at_least_one(std::size_t count) {
  return static_cast<double>(std::max<std::size_t>(count, 1));
}

ChartPane::ChartPane(const QString& title, QWidget* chart, RowsModel& twin, QWidget* parent)
    : QWidget(parent), title_(title), chart_(chart), twin_(twin) {
  chart->setAccessibleName(title);
  if (auto* area = qobject_cast<QAbstractScrollArea*>(chart))
    area->viewport()->setAccessibleName(title);
  stack_ = new PageStack(this);
  stack_->addWidget(chart);
  stack_->addWidget(table_of(twin, tr("%1 as a table").arg(title), stack_));
  auto* label = new QLabel(title, this);
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  toggle_ = new QToolButton(this);
  toggle_->setText(tr("Table"));
  toggle_->setCheckable(true);
  toggle_->setToolTip(tr("Show the figures of this chart"));
  toggle_->setAccessibleName(tr("%1: show as table").arg(title));
  connect(toggle_, &QToolButton::toggled, this,
          [this](bool on) { stack_->setCurrentIndex(on ? 1 : 0); });
  auto* save = new QToolButton(this);
  save->setText(tr("Save..."));
  save->setObjectName(QStringLiteral("save_chart"));
  save->setToolTip(tr("Save this chart as PNG, SVG or PDF, or its figures as CSV"));
  save->setAccessibleName(tr("%1: save").arg(title));
  connect(save, &QToolButton::clicked, this, &ChartPane::ask_and_write);
  label->setWordWrap(true);
  auto* head = new QHBoxLayout;
  head->addWidget(label, 1);
  head->addWidget(toggle_);
  head->addWidget(save);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addLayout(head);
  all->addWidget(stack_, 1);
}

void ChartPane::ask_and_write() {
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Save the chart"), title_ + QStringLiteral(".png"),
                                   tr("Pictures and figures (*.png *.svg *.pdf *.csv)"));
  QString why_not;
  if (!file.isEmpty() && !write(file, why_not))
    QMessageBox::warning(this, tr("Save the chart"), why_not);
}

void ChartPane::show_table(bool table) { toggle_->setChecked(table); }

void ChartPane::paint_to(QPaintDevice& device, const QSize& size) const {
  QPainter painter(&device);
  painter.setRenderHint(QPainter::Antialiasing);
  const double scale = static_cast<double>(device.width()) / size.width();
  painter.scale(scale, scale);
  painter.setFont(chart_->font());
  const QRectF area(QPointF(0, 0), QSizeF(size));
  painter.fillRect(area, palette().color(QPalette::Base));
  if (auto* own = qobject_cast<Chart*>(chart_))
    own->paint(painter, area.adjusted(8, 8, -8, -8), Theme::of(*this));
  else
    chart_->render(&painter);
}

bool ChartPane::write(const QString& file, QString& why_not) const {
  const QSize size = chart_->size().expandedTo({640, 360});
  QByteArray bytes;
  QBuffer out(&bytes);
  out.open(QIODevice::WriteOnly);
  if (file.endsWith(QLatin1String(".csv"))) {
    out.write(twin_.csv().toUtf8());
  } else if (file.endsWith(QLatin1String(".svg"))) {
    QSvgGenerator svg;
    svg.setOutputDevice(&out);
    svg.setSize(size);
    svg.setViewBox(QRect(QPoint(0, 0), size));
    svg.setTitle(title_);
    paint_to(svg, size);
  } else if (file.endsWith(QLatin1String(".pdf"))) {
    QPdfWriter pdf(&out);
    pdf.setTitle(title_);
    pdf.setPageSize(QPageSize(QSizeF(size), QPageSize::Point));
    pdf.setPageMargins({});
    paint_to(pdf, size);
  } else if (file.endsWith(QLatin1String(".png"))) {
    QImage image(size * 2, QImage::Format_RGB32);
    paint_to(image, size);
    image.save(&out, "PNG");
  } else {
    why_not = tr("%1 ends in none of .png, .svg, .pdf, .csv").arg(file);
    return false;
  }
  return save_file(file, bytes, why_not);
}

}  // namespace stallcast::desktop
