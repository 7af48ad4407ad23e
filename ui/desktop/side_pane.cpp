#include "ui/desktop/side_pane.hpp"

#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/app/compare.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/on_entry.hpp"
#include "ui/desktop/outcome_chart.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/workspace.hpp"
#include "ui/report/compare_parts.hpp"
#include "ui/report/design_context.hpp"
#include "ui/report/report.hpp"

namespace stallcast::desktop {
namespace {

/// "95 %\n84 % to 97 %", bold where it is the best of its row.
Cell cell_of(const report::ComparedCell& cell, bool target) {
  QString text = QString::fromStdString(cell.text);
  if (target && (cell.status == "fail" || cell.status == "inconclusive"))
    text += QStringLiteral(" (%1)").arg(QString::fromStdString(cell.status));
  if (!cell.interval.empty()) text += QLatin1Char('\n') + QString::fromStdString(cell.interval);
  Cell out(text);
  out.strong = cell.status == "best";
  if (out.strong)
    out.tip = SidePane::tr("best, or not to be told apart from it");
  else if (!cell.interval.empty())
    out.tip = SidePane::tr("below: what nine in ten outcomes are within");
  return out;
}

Cell strong_cell(const QString& text) {
  Cell out(text);
  out.strong = true;
  return out;
}

}  // namespace

SidePane::SidePane(Workspace& workspace, QWidget* parent) : QWidget(parent), workspace_(workspace) {
  constexpr int kMargin = 6;
  setAcceptDrops(true);
  auto* layout = column(this);
  layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  said_ = note({}, this);
  layout->addWidget(said_);
  auto* split = splitter(Qt::Horizontal, this);
  split->addWidget(list_side(split));
  split->addWidget(result_side(split));
  stretch(*split, {1, 4});
  split->setSizes({260, 800});
  layout->addWidget(split, 1);
  connect(&workspace, &Workspace::pins_changed, this, &SidePane::refresh);
  connect(&workspace, &Workspace::read, this, &SidePane::refresh);
  connect(&workspace.background(), &Engine::busy_changed, this, &SidePane::update_buttons);
  entry_ = new OnEntry(
      *this, workspace, [this] { compare(); },
      [this] {
        said_->setText(
            tr("A simulation of this design takes long: press \"Compare side by side\""));
      });
  refresh();
  show_found();
}

void SidePane::showEvent(QShowEvent*) { entry_->look(); }

QWidget* SidePane::list_side(QWidget* parent) {
  auto* side = new QWidget(parent);
  auto* layout = column(side);
  layout->addWidget(heading(tr("Designs"), side));
  list_ = new QListWidget(side);
  list_->setObjectName(QStringLiteral("alternatives"));
  list_->setAccessibleName(tr("Designs to compare"));
  layout->addWidget(list_, 1);
  auto* more = push_button(tr("&Add scenarios..."), "add_alternatives",
                           tr("Add scenario files to compare with"), side);
  open_ = push_button(tr("&Open"), "open_alternative",
                      tr("Make the selected file the design on screen"), side);
  compare_ = push_button(tr("Compare side &by side"), "compare_alternatives",
                         tr("Simulate the chosen designs"), side);
  copy_ = push_button(tr("Cop&y as Markdown"), "copy_comparison",
                      tr("Copy the comparison as Markdown"), side);
  for (QPushButton* button : {compare_, more, open_, copy_}) layout->addWidget(button);
  connect(list_, &QListWidget::itemChanged, this, &SidePane::update_buttons);
  connect(list_, &QListWidget::currentRowChanged, this, &SidePane::update_buttons);
  connect(more, &QPushButton::clicked, this, &SidePane::choose_files);
  connect(open_, &QPushButton::clicked, this, &SidePane::open_current);
  connect(compare_, &QPushButton::clicked, this, &SidePane::compare);
  connect(copy_, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(markdown()); });
  return side;
}

QWidget* SidePane::result_side(QWidget* parent) {
  auto* side = splitter(Qt::Vertical, parent);
  rows_ = new RowsModel({QString()}, this);
  QTableView* table = plain_table(*rows_, tr("Designs side by side"), side);
  table->setObjectName(QStringLiteral("side_by_side"));
  side->addWidget(table);
  chart_ = new OutcomeChart(side);
  auto* pane = new ChartPane(tr("How sure, and at what cost"), "side_by_side", chart_, side);
  side->addWidget(scrolled(pane, pane->title(), side));
  stretch(*side, {3, 2});
  return side;
}

std::vector<SidePane::Offer> SidePane::offers() const {
  std::vector<Offer> out{{Origin::screen, tr("this design")}};
  if (workspace_.scenario())
    for (const std::string& variant : workspace_.scenario()->variants())
      out.push_back({Origin::variant, QString::fromStdString(variant)});
  for (const Pin& pin : workspace_.pins()) out.push_back({Origin::pin, pin.name});
  for (const QString& file : files_) out.push_back({Origin::file, file});
  return out;
}

void SidePane::refresh() {
  std::vector<Offer> now = offers();
  const auto same = [](const Offer& a, const Offer& b) {
    return a.origin == b.origin && a.name == b.name;
  };
  if (now.size() == offered_.size() && std::equal(now.begin(), now.end(), offered_.begin(), same))
    return update_buttons();
  const QSignalBlocker quiet(list_);
  std::vector<Offer> left_out;
  for (std::size_t i = 0; i < offered_.size(); ++i)
    if (list_->item(static_cast<int>(i))->checkState() != Qt::Checked)
      left_out.push_back(offered_[i]);
  list_->clear();
  for (const Offer& offer : now) {
    QString text = offer.name;
    if (offer.origin == Origin::variant) text = tr("variant %1").arg(offer.name);
    if (offer.origin == Origin::file) text = QFileInfo(offer.name).fileName();
    auto* item = new QListWidgetItem(text, list_);
    item->setToolTip(offer.name);
    item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
    const bool out = std::any_of(left_out.begin(), left_out.end(),
                                 [&](const Offer& other) { return same(other, offer); });
    item->setCheckState(out ? Qt::Unchecked : Qt::Checked);
  }
  offered_ = std::move(now);
  update_buttons();
}

void SidePane::update_buttons() {
  int chosen = 0;
  for (int i = 0; i < list_->count(); ++i) chosen += list_->item(i)->checkState() == Qt::Checked;
  compare_->setEnabled(chosen > 1 && !workspace_.background().busy());
  const int row = list_->currentRow();
  open_->setEnabled(row >= 0 && offered_[static_cast<std::size_t>(row)].origin == Origin::file);
  copy_->setEnabled(found_.has_value());
}

void SidePane::choose_files() {
  add(QFileDialog::getOpenFileNames(this, tr("Scenarios to compare with"), {},
                                    tr("Scenarios (*.json *.yaml *.yml);;All files (*)")));
}

void SidePane::add(const QStringList& files) {
  for (const QString& file : files)
    if (!files_.contains(file)) files_ << file;
  refresh();
}

void SidePane::open_current() {
  const int row = list_->currentRow();
  if (row < 0) return;
  const QString file = offered_[static_cast<std::size_t>(row)].name;  // opening changes the list
  emit file_chosen(file);
}

std::optional<client::DiffInput> SidePane::read(const Offer& offer, QString& why_not) const {
  ScenarioFile source = workspace_.source();
  if (offer.origin == Origin::file) {
    source = {.file = offer.name.toStdString()};
  } else if (offer.origin == Origin::variant) {
    source.variant = offer.name.toStdString();
  } else if (offer.origin == Origin::pin) {
    for (const Pin& pin : workspace_.pins())
      if (pin.name == offer.name) source.text = pin.text.toStdString();
  }
  client::Reading reading = workspace_.session().read(source);
  if (reading.scenario)
    return client::DiffInput{.name = offer.name.toStdString(),
                             .scenario = std::move(reading.scenario)};
  why_not = tr("\"%1\" has errors").arg(offer.name);
  for (const Diagnostic& d : reading.diagnostics.items())
    if (d.severity == Severity::error) {
      why_not += QStringLiteral(": ") + QString::fromStdString(d.message);
      break;
    }
  return std::nullopt;
}

bool SidePane::compare() {
  std::vector<client::DiffInput> inputs;
  QString why_not;
  for (std::size_t i = 0; i < offered_.size(); ++i) {
    if (list_->item(static_cast<int>(i))->checkState() != Qt::Checked) continue;
    auto input = read(offered_[i], why_not);
    if (!input) {
      said_->setText(why_not);
      return false;
    }
    inputs.push_back(std::move(*input));
  }
  if (inputs.size() < 2) return false;
  entry_->taken();
  found_.reset();
  show_found();
  said_->setText(tr("Simulating %1 designs...").arg(inputs.size()));
  workspace_.background().start(
      [this, inputs](client::Session& session, const Engine::Progress& progress) -> Engine::Then {
        client::RunQuestion question;
        question.predict.on_progress = progress;
        question.advise = question.timeline = false;
        std::size_t failed = 0;
        Result<SideBySide> found = client::compare(session, inputs, question, failed);
        if (!found.ok()) {
          Failure why = found.failure();
          why.message = inputs[failed].name + ": " + why.message;
          found = why;
        }
        return [this, found = std::move(found)] { take(found); };
      });
  return true;
}

void SidePane::take(Result<SideBySide> found) {
  if (!found.ok()) return said_->setText(failure_text(found.failure()));
  found_ = std::move(found).value();
  show_found();
}

void SidePane::show_found() {
  if (!found_) {
    rows_->set({QString()}, {});
    chart_->set({}, {}, tr("Not compared yet"));
    said_->setText(
        tr("Choose two or more designs: variants, pinned ones (Ctrl+P), scenario files; "
           "files can be dropped here"));
    return update_buttons();
  }
  QStringList headers{QString()};
  const std::vector<std::string> names = report::compare_names(*found_);
  for (const std::string& name : names) headers << QString::fromStdString(name);
  std::vector<Row> rows;
  std::vector<OutcomeChart::Bar> bars;
  QString figure;
  std::string group;
  for (const report::CompareRow& row : report::compare_rows(*found_)) {
    if (!row.group.empty()) {
      group = row.group;
      rows.push_back({strong_cell(QString::fromStdString(group))});
    }
    Row& shown = rows.emplace_back(Row{Cell(row.label)});
    for (const report::ComparedCell& cell : row.cells)
      shown.push_back(cell_of(cell, group == "Targets"));
  }
  rows_->set(headers, std::move(rows));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Prediction& p = found_->designs[i].prediction;
    const std::vector<Headline> first = headline_tiles(p);
    if (first.empty()) continue;
    if (figure.isEmpty()) figure = first.front().title;
    const auto cost = find_metric(p, QStringLiteral("cost.capex"));
    bars.push_back({headers[static_cast<int>(i) + 1], *find_metric(p, first.front().metric),
                    cost ? metric_text(*cost) : QString()});
  }
  chart_->set(figure, std::move(bars), tr("No figure in common"));
  QStringList said{QString::fromStdString(report::compare_headline(*found_))};
  for (const std::string& one : found_->notes) said << QString::fromStdString(one);
  said_->setText(said.join(QStringLiteral(". ")));
  update_buttons();
}

QString SidePane::markdown() const {
  if (!found_) return {};
  return QString::fromStdString(report::render(*found_, report::tool_context(client::version()),
                                               report::Format::markdown, {}));
}

void SidePane::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void SidePane::dropEvent(QDropEvent* event) {
  QStringList files;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) files << url.toLocalFile();
  add(files);
}

}  // namespace stallcast::desktop
