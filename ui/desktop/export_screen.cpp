#include "ui/desktop/export_screen.hpp"

#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/app/run_report.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/patch.hpp"
#include "ui/desktop/saved_file.hpp"
#include "ui/report/design_context.hpp"

namespace stallcast::desktop {

ExportScreen::ExportScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("export"), tr("Export"), parent) {
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(heading(tr("A chart, or its figures"), this));
  auto* row = new QHBoxLayout;
  chart_ = choice(QStringLiteral("export_chart"), tr("Chart"), this);
  format_ = choice(QStringLiteral("export_format"), tr("Format"), this);
  format_->setMinimumContentsLength(6);
  format_->addItems(
      {QStringLiteral("png"), QStringLiteral("svg"), QStringLiteral("pdf"), QStringLiteral("csv")});
  auto* save = push_button(tr("&Write..."), "export_write", tr("Write the chart to a file"), this);
  row->addWidget(chart_, 1);
  row->addWidget(format_);
  row->addWidget(save);
  layout->addLayout(row);
  layout->addWidget(heading(tr("A report"), this));
  auto* third = new QHBoxLayout;
  report_ = push_button(tr("Write a &page..."), "export_report",
                        tr("Write the report of this design as a page"), this);
  third->addWidget(report_);
  third->addWidget(note(tr("One HTML file that opens anywhere: targets, figures, where the time "
                           "goes, what helps, a timeline, all inputs with their sources"),
                        this),
                   1);
  layout->addLayout(third);
  layout->addWidget(heading(tr("The design"), this));
  auto* second = new QHBoxLayout;
  what_ = choice(QStringLiteral("export_what"), tr("What of the design"), this);
  what_->addItems({tr("Command line that predicts it"),
                   tr("JSON Patch since it was opened (RFC 6902)"), tr("Scenario")});
  auto* copy = push_button(tr("&Copy"), "export_copy", tr("Copy the text below"), this);
  second->addWidget(what_, 1);
  second->addWidget(copy);
  layout->addLayout(second);
  text_ = new QPlainTextEdit(this);
  text_->setObjectName(QStringLiteral("export_text"));
  text_->setAccessibleName(tr("What will be copied"));
  text_->setReadOnly(true);
  text_->setTabChangesFocus(true);
  layout->addWidget(text_, 1);
  status_ = note({}, this);
  layout->addWidget(status_);
  connect(save, &QPushButton::clicked, this, &ExportScreen::ask_and_write);
  connect(report_, &QPushButton::clicked, this, &ExportScreen::ask_and_report);
  refresh_on(&Workspace::predicted);
  connect(what_, &QComboBox::currentIndexChanged, this, &ExportScreen::show_text);
  connect(copy, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(text_->toPlainText());
    status_->setText(tr("Copied"));
  });
  connect(&workspace.document(), &Document::opened, this, [this] { take_next_ = true; });
  connect(&workspace.document(), &Document::edited, this, [this] {
    if (take_next_) opened_ = this->workspace().document().text();
    take_next_ = false;
    if (isVisible()) refresh();
  });
}

std::vector<ChartPane*> ExportScreen::panes() const {
  std::vector<ChartPane*> out;
  for (ChartPane* pane : window()->findChildren<ChartPane*>())
    if (pane->twin().rowCount() > 0) out.push_back(pane);
  return out;
}

void ExportScreen::refresh() {
  text_->setFont(mono_font());
  const QString before = chart_->currentData().toString();
  chart_->clear();
  for (const ChartPane* pane : panes()) {
    const QWidget* screen = pane;
    while (screen != nullptr && qobject_cast<const Screen*>(screen) == nullptr)
      screen = screen->parentWidget();
    const QString where = screen == nullptr
                              ? QString()
                              : static_cast<const Screen*>(screen)->title() + QStringLiteral(": ");
    chart_->addItem(where + pane->title(), pane->objectName());
  }
  if (const int i = chart_->findData(before); i >= 0) chart_->setCurrentIndex(i);
  report_->setEnabled(workspace().design() && !workspace().has_errors());
  show_text();
}

QString ExportScreen::command_line() const {
  const Document& document = workspace().document();
  // Of the file, which is what the command reads.
  const SetOptions set = set_options(value_changes(document.saved_text(), document.text()));
  ScenarioFile source;
  for (const QString& one : set.sets) source.sets.push_back(one.toStdString());
  QString out =
      QString::fromStdString(report::command_of("run", document.name().toStdString(), source, {},
                                                workspace().settings().profile)) +
      u'\n';
  for (const QString& path : set.left_out)
    out += tr("# %1 differs as well, which no option can say: save the scenario\n").arg(path);
  return out;
}

Scenario ExportScreen::scenario_of_command() const {
  const Document& document = workspace().document();
  const SetOptions set = set_options(value_changes(document.saved_text(), document.text()));
  if (set.sets.isEmpty() || !set.left_out.isEmpty()) return *workspace().scenario();
  ScenarioFile source{.file = document.name().toStdString(),
                      .text = document.saved_text().toStdString()};
  for (const QString& one : set.sets) source.sets.push_back(one.toStdString());
  client::Reading reading = workspace().session().read(source);
  return reading.scenario ? *std::move(reading.scenario) : *workspace().scenario();
}

void ExportScreen::show_text() {
  const Document& document = workspace().document();
  text_->setPlainText(what_->currentIndex() == 0 ? command_line()
                      : what_->currentIndex() == 1
                          ? json_patch(changes_between(opened_, document.text()))
                          : document.text());
}

bool ExportScreen::write(const ChartPane& pane, const QString& file) {
  QString why_not;
  const bool done = pane.write(file, why_not);
  status_->setText(done ? tr("Wrote %1").arg(file) : why_not);
  return done;
}

void ExportScreen::ask_and_write() {
  const QString name = chart_->currentData().toString();
  for (const ChartPane* pane : panes()) {
    if (pane->objectName() != name) continue;
    const QString ending = format_->currentText();
    QString file = QFileDialog::getSaveFileName(this, tr("Write %1").arg(pane->title()),
                                                name.section(u':', 1) + u'.' + ending);
    if (file.isEmpty()) return;
    if (!file.contains(u'.')) file += u'.' + ending;
    write(*pane, file);
    return;
  }
}

void ExportScreen::ask_and_report() {
  const QString proposed =
      QFileInfo(workspace().document().name()).completeBaseName() + QStringLiteral(".html");
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Write the report"), proposed, tr("Pages (*.html)"));
  if (!file.isEmpty()) report(file);
}

bool ExportScreen::report(const QString& file) {
  Workspace& w = workspace();
  if (!w.design() || w.has_errors()) {
    status_->setText(tr("The text has errors (F8)"));
    return false;
  }
  if (writing()) {
    status_->setText(tr("%1 is still being made").arg(making_));
    return false;
  }
  const QFileInfo where(file);
  if (where.isDir() || !QFileInfo(where.absolutePath()).isWritable()) {
    status_->setText(tr("%1 cannot be written").arg(file));
    return false;
  }
  client::RunQuestion wanted;
  wanted.around = true;
  if (w.freshness() == Freshness::simulated) wanted.known = w.plain();
  const Scenario scenario = scenario_of_command();
  report::ReportContext context = report::context_of(scenario.design(), client::version());
  context.command = command_line().section(u'\n', 0, 0).toStdString();
  status_->setText(tr("Making the report..."));
  fault_.clear();
  making_ = file;
  if (!engine_) {
    engine_ = std::make_unique<Engine>(w.settings());
    connect(engine_.get(), &Engine::progressed, this, [this](double done) {
      if (writing()) status_->setText(tr("Making the report: %1 %").arg(std::lround(100.0 * done)));
    });
  }
  engine_->start([this, file, wanted, context, scenario](
                     client::Session& session,
                     const Engine::Progress& progress) mutable -> Engine::Then {
    wanted.predict.on_progress = progress;
    auto found = client::run_report(session, scenario, wanted);
    if (!found.ok())
      return
          [this, file, why = QString::fromStdString(found.failure().message)] { ended(file, why); };
    context.timeline = std::move(found->timeline);
    const QByteArray bytes = QByteArray::fromStdString(
        report::render(found->prediction, context, report::Format::html, {}));
    return [this, file, bytes] {
      QString why_not;
      (void)save_file(file, bytes, why_not);
      ended(file, why_not);
    };
  });
  return true;
}

void ExportScreen::ended(const QString& file, const QString& why_not) {
  fault_ = why_not;
  making_.clear();
  status_->setText(why_not.isEmpty() ? tr("Wrote %1").arg(file) : why_not);
}

bool ExportScreen::working() const { return writing() || workspace().background().busy(); }

bool ExportScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("report")) return report(argument);
  if (action != QLatin1String("write")) return false;
  for (const ChartPane* pane : panes())
    if (pane->objectName() == argument.section(u' ', 0, 0))
      return write(*pane, argument.section(u' ', 1));
  return false;
}

}  // namespace stallcast::desktop
