#include "ui/desktop/scenario_screen.hpp"

#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/desktop/json_editor.hpp"
#include "ui/desktop/part_form.hpp"

namespace stallcast::desktop {
namespace {

constexpr int kPathRole = Qt::UserRole;

/// "jobs[train].step" hangs below "jobs[train]".
QTreeWidgetItem* parent_of(QTreeWidget& tree, const QString& path) {
  const qsizetype dot = path.lastIndexOf(u'.');
  if (dot < 0) return nullptr;
  for (QTreeWidgetItemIterator it(&tree); *it != nullptr; ++it)
    if ((*it)->data(0, kPathRole).toString() == path.left(dot)) return *it;
  return nullptr;
}

}  // namespace

ScenarioScreen::ScenarioScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("scenario"), tr("Scenario"), parent) {
  auto* split = splitter(Qt::Horizontal, this);
  tree_ = new QTreeWidget(split);
  tree_->setObjectName(QStringLiteral("parts"));
  tree_->setAccessibleName(tr("Components"));
  tree_->setHeaderLabels({tr("component"), tr("kind")});
  for (const int column : {0, 1})
    tree_->headerItem()->setToolTip(column, tree_->headerItem()->text(column));
  form_ = new PartForm(workspace, split);
  editor_ = new JsonEditor(workspace, split);
  split->addWidget(tree_);
  split->addWidget(form_);
  split->addWidget(editor_);
  stretch(*split, {2, 4, 5});
  const int letter = fontMetrics().averageCharWidth();
  split->setSizes({36 * letter, 58 * letter, 62 * letter});
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(split);
  connect(tree_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (item == nullptr) return;
    const QString path = item->data(0, kPathRole).toString();
    form_->show_part(path);
    editor_->go_to_path(path);
  });
  refresh_on(&Workspace::read);
}

void ScenarioScreen::refresh() {
  QStringList wanted, shown;
  for (const client::FormPart& part : workspace().form().parts)
    wanted << QString::fromStdString(part.path + " " + part.kind);
  for (QTreeWidgetItemIterator it(tree_); *it != nullptr; ++it)
    shown << (*it)->data(0, kPathRole).toString() + u' ' + (*it)->text(1);
  if (wanted != shown) {
    const QString before = form_->path();
    const QSignalBlocker quiet(tree_);
    tree_->clear();
    for (const client::FormPart& part : workspace().form().parts) {
      const QString path = QString::fromStdString(part.path);
      QTreeWidgetItem* above = parent_of(*tree_, path);
      auto* item = above != nullptr ? new QTreeWidgetItem(above) : new QTreeWidgetItem(tree_);
      item->setText(0, above != nullptr ? path.section(u'.', -1) : path);
      item->setText(1, QString::fromStdString(part.kind));
      item->setData(0, kPathRole, path);
      item->setToolTip(0, path + QStringLiteral(": ") + QString::fromStdString(part.summary));
      item->setToolTip(1, item->text(1));
      if (path == before) tree_->setCurrentItem(item);
    }
    tree_->expandAll();
    if (tree_->currentItem() == nullptr && tree_->topLevelItemCount() > 0) {
      tree_->setCurrentItem(tree_->topLevelItem(0));
      form_->show_part(tree_->currentItem()->data(0, kPathRole).toString());
    }
  }
  tree_->resizeColumnToContents(0);
  editor_->update_look();
  form_->refresh();
}

bool ScenarioScreen::act(const QString& action, const QString& argument) {
  if (action != QLatin1String("part")) return false;
  for (QTreeWidgetItemIterator it(tree_); *it != nullptr; ++it)
    if ((*it)->data(0, kPathRole).toString() == argument) {
      tree_->setCurrentItem(*it);
      return true;
    }
  return false;
}

void ScenarioScreen::go_to(const Position& position) {
  editor_->setFocus();
  editor_->go_to(position);
}

}  // namespace stallcast::desktop
