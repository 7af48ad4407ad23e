#include "ui/desktop/checks_screen.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/base/assertion.hpp"
#include "engine/base/quantity_text.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/rows_model.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/summary.hpp"
#include "ui/report/sureness.hpp"

namespace stallcast::desktop {

namespace {

/// In how many cases `a` holds; a dash where nothing was drawn.
Cell cases_cell(const AssertionOutcome& a) {
  if (!a.probability) return {QStringLiteral("\u2013"), -1.0};
  return {QString::fromStdString(report::cases_phrase(a)), *a.probability};
}

/// Of three digits, on the side on which it holds now: ">= 96.9 %" of 96.97 %.
QString limit_that_holds(const std::string& name, const Metric& metric, bool up) {
  constexpr double kStep = 0.001;
  for (int k = 0; k < 10; ++k) {
    const double near = base::rounded_to(metric.value * (1.0 + (up ? -k : k) * kStep), 3);
    const std::string text = report::print_limit(near, metric.unit);
    const Result<base::Assertion> asked = base::parse_assertion(name + " >= " + text);
    if (!asked.ok()) continue;
    const Result<double> limit = base::limit_in(*asked, metric.unit);
    if (limit.ok() && (up ? *limit <= metric.value : *limit >= metric.value))
      return QString::fromStdString(text);
  }
  return metric_text(metric);
}

}  // namespace

ChecksScreen::ChecksScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("checks"), tr("Checks"), parent) {
  auto* layout = new QVBoxLayout(this);
  verdict_ = heading({}, this);
  layout->addWidget(verdict_);
  model_ = new RowsModel({tr("status"), tr("id"), tr("expected"), tr("predicted"), tr("holds in"),
                          tr("limited by"), tr("why")},
                         this);
  layout->addWidget(table_of(*model_, tr("What is expected"), this, "expect"), 1);
  layout->addWidget(heading(tr("Expect more"), this));
  auto* row = new QHBoxLayout;
  metric_ = choice(QStringLiteral("assert_metric"), tr("Metric"), this);
  operator_ = choice(QStringLiteral("assert_operator"), tr("Comparison"), this);
  operator_->setMinimumContentsLength(3);
  operator_->addItems(
      {QStringLiteral("<="), QStringLiteral(">="), QStringLiteral("<"), QStringLiteral(">")});
  limit_ = new QLineEdit(this);
  limit_->setObjectName(QStringLiteral("assert_limit"));
  limit_->setAccessibleName(tr("Limit"));
  auto* add_button = push_button(tr("&Add"), "assert_add", tr("Add to what is expected"), this);
  row->addWidget(metric_, 3);
  row->addWidget(operator_);
  row->addWidget(limit_, 1);
  row->addWidget(add_button);
  layout->addLayout(row);
  fault_ = note(
      tr("In CI: stallcast check SCENARIO; \"stallcast ci init github\" writes a workflow."), this);
  layout->addWidget(fault_);
  const auto add_line = [this] {
    add(chosen_path(*metric_) + u' ' + operator_->currentText() + u' ' + limit_->text());
  };
  connect(add_button, &QPushButton::clicked, this, add_line);
  connect(limit_, &QLineEdit::returnPressed, this, add_line);
  connect(metric_, &QComboBox::currentTextChanged, this, &ChecksScreen::suggest_limit);
  // Of another scenario another limit is proposed.
  connect(&workspace.document(), &Document::opened, limit_, &QLineEdit::clear);
  refresh_on(&Workspace::predicted);
  refresh_on(&Workspace::refined);
}

void ChecksScreen::refresh() {
  const Workspace& w = workspace();
  const auto& shown = w.freshness() == Freshness::estimated ? w.estimate() : w.simulated();
  const bool stale = w.freshness() == Freshness::last_good || w.freshness() == Freshness::failed;
  std::vector<Row> rows;
  int failed = 0, open = 0;
  if (shown)
    for (const AssertionOutcome& a : shown->assertions) {
      failed += a.status == "fail" ? 1 : 0;
      open += a.status == "inconclusive" ? 1 : 0;
      const QString id = QString::fromStdString(a.id + (a.level == "warn" ? " (warning)" : ""));
      rows.push_back({Cell(status_sign(a.status)), Cell(id),
                      Cell(report::target_phrase(a, shown->breakdown.size() > 1)),
                      Cell(QString::fromStdString(report::print_predicted(a)), a.value),
                      cases_cell(a), Cell(report::limited_cell(a)), Cell(a.why)});
    }
  const auto count = static_cast<int>(rows.size());
  model_->set(std::move(rows));
  QString text = count == 0 ? tr("Nothing is expected of this design yet")
                            : tr("%1 of %2 hold").arg(count - failed - open).arg(count);
  if (w.freshness() == Freshness::estimated && count > 0)
    text = tr("~ By bounds alone: %1, %2 open").arg(text).arg(open);
  if (w.freshness() == Freshness::none && w.has_errors())
    text = tr("This scenario has errors: see Problems (F8)");
  verdict_->setText(stale ? tr("%1 (of the design before)").arg(text) : text);
  offer_metrics(*metric_, w);
  if (limit_->text().isEmpty()) suggest_limit();
}

void ChecksScreen::suggest_limit() {
  if (!workspace().simulated()) return;
  const QString path = chosen_path(*metric_);
  const auto metric = find_metric(*workspace().simulated(), path);
  if (!metric) return;
  const bool up = metric::better(path.toStdString()) == metric::Better::higher;
  operator_->setCurrentText(up ? QStringLiteral(">=") : QStringLiteral("<="));
  limit_->setText(limit_that_holds(path.toStdString(), *metric, up));
}

void ChecksScreen::propose(const QString& metric) {
  refresh();
  choose_path(*metric_, metric);
  suggest_limit();
  limit_->setFocus();
  limit_->selectAll();
}

bool ChecksScreen::add(const QString& that) {
  Document& document = workspace().document();
  const QString literal = QStringLiteral("{ \"that\": %1 }").arg(quoted(that));
  if (!document.append(QStringLiteral("expect"), literal)) {
    fault_->setText(tr("The text is not valid JSON: fix it first (F8)"));
    return false;
  }
  if (!workspace().has_errors()) {
    fault_->setText(tr("Added; undo takes it back"));
    return true;
  }
  // What cannot be read never stays in the scenario.
  const Diagnostic& d = workspace().diagnostics().items().front();
  fault_->setText(QStringLiteral("\u2717 %1. %2")
                      .arg(QString::fromStdString(d.message), QString::fromStdString(d.hint)));
  document.undo_stack().undo();
  return false;
}

bool ChecksScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("assert")) return add(argument);
  if (action == QLatin1String("propose")) {
    propose(argument);
    return true;
  }
  return false;
}

}  // namespace stallcast::desktop
