#include "ui/desktop/problems_dock.hpp"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QSortFilterProxyModel>
#include <QStyle>
#include <QTableView>
#include <QToolButton>
#include <utility>

#include "ui/desktop/rows_model.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/desktop/workspace.hpp"

namespace stallcast::desktop {

ProblemsDock::ProblemsDock(Workspace& workspace, QWidget* parent)
    : QDockWidget(tr("Problems"), parent), workspace_(workspace) {
  setObjectName(QStringLiteral("problems"));
  setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
  model_ = new RowsModel({tr("place"), tr("where"), tr("what is wrong"), tr("what to do")}, this);
  table_ = table_of(*model_, tr("Problems"), this);
  setWidget(table_);
  // The one that the style draws keeps its size where letters grow.
  auto* head = new QWidget(this);
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(space::kInner, 0, 0, 0);
  auto* title = new QLabel(windowTitle(), head);
  row->addWidget(title, 1);
  auto* close = new QToolButton(head);
  close->setAutoRaise(true);
  close->setIcon(style()->standardIcon(QStyle::SP_TitleBarCloseButton));
  close->setAccessibleName(tr("Close the problems"));
  close->setToolTip(close->accessibleName());
  row->addWidget(close);
  setTitleBarWidget(head);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  connect(this, &QWidget::windowTitleChanged, title, &QLabel::setText);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    choose(static_cast<const QSortFilterProxyModel*>(table_->model())->mapToSource(index).row());
  });
  connect(&workspace, &Workspace::read, this, &ProblemsDock::refresh);
  hide();
}

void ProblemsDock::refresh() {
  std::vector<Row> rows;
  for (const Diagnostic& d : workspace_.diagnostics().items()) {
    const QString file = QFileInfo(QString::fromStdString(d.position.file)).fileName();
    const QString place =
        d.position.line > 0
            ? QStringLiteral("%1:%2:%3").arg(file).arg(d.position.line).arg(d.position.column)
            : file;
    const QString sign =
        d.severity == Severity::error ? QStringLiteral("\u2717 ") : QStringLiteral("\u26a0 ");
    rows.push_back({Cell(sign + place), Cell(d.pointer), Cell(d.message), Cell(d.hint)});
  }
  const bool had = model_->rowCount() > 0;
  model_->set(std::move(rows));
  current_ = -1;
  const int count = model_->rowCount();
  setWindowTitle(count == 0 ? tr("Problems") : tr("Problems (%1)").arg(count));
  // Appears with the first error and goes with the last, so that it is never in the way.
  const bool had_errors = std::exchange(errors_, workspace_.has_errors());
  if (errors_ && !had_errors) {
    show();
    if (auto* window = qobject_cast<QMainWindow*>(parentWidget()))
      window->resizeDocks({this}, {9 * fontMetrics().height()}, Qt::Vertical);
  }
  if (count == 0 && had) hide();
}

void ProblemsDock::next() {
  const int count = model_->rowCount();
  if (count == 0) return;
  show();
  choose((current_ + 1) % count);
}

void ProblemsDock::choose(int row) {
  current_ = row;
  table_->selectRow(row);
  emit chosen(workspace_.diagnostics().items()[static_cast<std::size_t>(row)].position);
}

}  // namespace stallcast::desktop
