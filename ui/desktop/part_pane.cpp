#include "ui/desktop/part_pane.hpp"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "stallcast/metric.hpp"
#include "ui/desktop/heat_chart.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/rows_model.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/report/explain_tree.hpp"

namespace stallcast::desktop {
namespace {

/// All resources that the box of `path` draws.
std::vector<std::string> resources_of(const Prediction& prediction, const std::string& path) {
  std::vector<std::string> out;
  for (const PictureBox& box : prediction.picture.boxes)
    if (box.path == path)
      for (const PicturePart& part : box.parts)
        out.insert(out.end(), part.resources.begin(), part.resources.end());
  return out;
}

QString title_of_box(const Prediction& prediction, const std::string& path) {
  for (const PictureBox& box : prediction.picture.boxes)
    if (box.path == path)
      return QString::fromStdString(box.title) +
             (box.subtitle.empty() ? QString()
                                   : QStringLiteral(", ") + QString::fromStdString(box.subtitle));
  return QString::fromStdString(path);
}

QString text_of_trees(const Explanation& explanation) {
  QString out;
  std::set<std::string> shown;
  for (const ExplainNode& tree : explanation.trees)
    report::walk_tree(tree, report::kExplainLevels, shown, [&](const report::TreeLine& line) {
      const QString indent(2 * line.level, u' ');
      out += indent + QString::fromStdString(line.head);
      if (!line.sum.empty()) out += u' ' + QString::fromStdString(line.sum);
      if (!line.small.empty()) out += QStringLiteral("   ") + QString::fromStdString(line.small);
      out += u'\n';
    });
  return out;
}

}  // namespace

PartPane::PartPane(Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace), engine_(workspace.settings()) {
  setObjectName(QStringLiteral("part"));
  auto* all = column(this);
  all->setSpacing(space::kInner);
  auto* head = new QHBoxLayout;
  title_ = heading({}, this);
  auto* edit = push_button(tr("&Edit..."), "part_edit", tr("Edit its fields"), this);
  auto* close =
      push_button(tr("&Back to the timeline"), "part_close", tr("Back to the timeline"), this);
  head->addWidget(title_, 1);
  head->addWidget(edit);
  head->addWidget(close);
  all->addLayout(head);
  tabs_ = new QTabWidget(this);
  tabs_->setObjectName(QStringLiteral("part_tabs"));
  tabs_->setAccessibleName(tr("What of this part"));
  tabs_->setDocumentMode(true);
  load_ = new HeatChart(tabs_);
  load_->setObjectName(QStringLiteral("part_load"));
  load_->setAccessibleName(tr("How busy it is when"));
  tabs_->addTab(scrolled_on_ground(load_, tr("How busy it is when"), tabs_), tr("Load over time"));
  fields_ = new RowsModel({tr("field"), tr("value"), tr("from")}, this);
  tabs_->addTab(table_of(*fields_, tr("Fields"), tabs_, "part_fields"), tr("Fields"));
  derivation_ = new QPlainTextEdit(tabs_);
  derivation_->setObjectName(QStringLiteral("derivation"));
  derivation_->setAccessibleName(tr("How its figures come about"));
  derivation_->setReadOnly(true);
  derivation_->setTabChangesFocus(true);
  derivation_->setLineWrapMode(QPlainTextEdit::NoWrap);
  tabs_->addTab(derivation_, tr("Derivation"));
  all->addWidget(tabs_, 1);
  connect(edit, &QPushButton::clicked, this, [this] { emit edit_wanted(path_); });
  connect(close, &QPushButton::clicked, this, &PartPane::closed);
}

void PartPane::show_part(const QString& path) {
  path_ = path;
  derived_.clear();
  refresh();
  tabs_->setFocus();
}

void PartPane::refresh() {
  if (path_.isEmpty() || !workspace_.simulated()) return;
  const Prediction& p = *workspace_.simulated();
  title_->setText(title_of_box(p, path_.toStdString()));
  const std::vector<std::string> resources = resources_of(p, path_.toStdString());
  show_fields();
  show_load(resources);
  if (workspace_.freshness() == Freshness::simulated) derive(resources);
}

void PartPane::show_fields() {
  std::vector<Row> rows;
  for (const client::FormPart& part : workspace_.form().parts) {
    const QString own = QString::fromStdString(part.path);
    if (own != path_ && !own.startsWith(path_ + u'.')) continue;
    for (const client::FormField& field : part.fields)
      if (field.value)
        rows.push_back({Cell(own.mid(path_.size() + 1) + (own == path_ ? "" : ".") +
                             QString::fromStdString(field.key)),
                        Cell(QString::fromStdString(
                            field.value->text.empty()
                                ? client::print_quantity(field.value->number, field.dimension)
                                : field.value->text)),
                        Cell(QString::fromStdString(report::print_source(field.value->source)))});
  }
  fields_->set(std::move(rows));
}

void PartPane::show_load(const std::vector<std::string>& resources) {
  const Timeline* recorded = workspace_.shown_timeline();
  Timeline own = recorded == nullptr ? Timeline() : *recorded;
  std::erase_if(own.counters, [&](const Timeline::Counter& counter) {
    return std::find(resources.begin(), resources.end(), counter.resource) == resources.end();
  });
  load_->set(own);
}

void PartPane::derive(const std::vector<std::string>& resources) {
  const Prediction& p = *workspace_.simulated();
  if (derived_ == p.design_sha256) return;
  derived_ = p.design_sha256;
  std::vector<std::string> metrics;
  for (const std::string& name : resources)
    if (const std::string use = metric::of_resource(name, "utilization"); p.metrics.contains(use))
      metrics.push_back(use);
  if (metrics.empty()) return derivation_->setPlainText(tr("No capacity of it is used"));
  derivation_->setFont(mono_font());
  derivation_->setPlainText(tr("Taking its figures apart..."));
  engine_.start([this, metrics, design = *workspace_.design()](
                    client::Session& session, const Engine::Progress& progress) -> Engine::Then {
    Result<Explanation> found = session.explain(design, metrics, true, {.on_progress = progress});
    return [this, text = found.ok() ? text_of_trees(*found)
                                    : QString::fromStdString(found.failure().message)] {
      derivation_->setPlainText(text);
    };
  });
}

void PartPane::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return emit closed();
  QWidget::keyPressEvent(event);
}

}  // namespace stallcast::desktop
