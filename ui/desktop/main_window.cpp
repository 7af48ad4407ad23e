#include "ui/desktop/main_window.hpp"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QStatusBar>
#include <QToolButton>

#include "ui/desktop/bottleneck_screen.hpp"
#include "ui/desktop/checks_screen.hpp"
#include "ui/desktop/compare_screen.hpp"
#include "ui/desktop/export_screen.hpp"
#include "ui/desktop/overview_screen.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/plain_text.hpp"
#include "ui/desktop/problems_dock.hpp"
#include "ui/desktop/project_file.hpp"
#include "ui/desktop/saved_file.hpp"
#include "ui/desktop/scenario_screen.hpp"
#include "ui/desktop/sensitivity_screen.hpp"
#include "ui/desktop/start_screen.hpp"
#include "ui/desktop/sweep_screen.hpp"
#include "ui/desktop/timeline_screen.hpp"
#include "ui/desktop/variant.hpp"
#include "ui/desktop/whatif_screen.hpp"

namespace stallcast::desktop {
MainWindow::MainWindow(const client::Settings& settings, const QString& recovery_folder)
    : workspace_(settings), recovery_(workspace_, recovery_folder) {
  setObjectName(QStringLiteral("window"));
  new PlainText(this);
  places_ = new Places(this);
  setCentralWidget(places_);
  add_screens();
  add_status();
  add_menus();
  connect(&workspace_.document().undo_stack(), &QUndoStack::cleanChanged, this,
          &MainWindow::update_title);
  connect(&workspace_.document(), &Document::renamed, this, &MainWindow::update_title);
  update_title();
  set_look(look_now(), look_percent());
  qApp->installEventFilter(this);
}

// Fields and editors have undo stacks of their own, and would take the keys for them: here one
// stack undoes everything.
bool MainWindow::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = dynamic_cast<QKeyEvent*>(event);
    if (key != nullptr && (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo))) {
      event->ignore();
      return true;
    }
  }
  return QMainWindow::eventFilter(object, event);
}

bool MainWindow::focusNextPrevChild(bool next) { return focus_as_read(*this, next); }

MainWindow::~MainWindow() {
  qApp->removeEventFilter(this);
  // Screens are told of the workspace's end by nothing: they go first.
  delete takeCentralWidget();
}

void MainWindow::add_screens() {
  auto* start = new StartScreen(workspace_, recovery_, places_);
  connect(start, &StartScreen::open_requested, this, &MainWindow::open_dialog);
  connect(start, &StartScreen::file_chosen, this, &MainWindow::open_file);
  connect(start, &StartScreen::text_opened, this, [this](const QString& key) { show_screen(key); });
  auto* scenario = new ScenarioScreen(workspace_, places_);
  const auto show_part = [this, scenario](const QString& path) {
    show_screen(scenario->objectName());
    scenario->act(QStringLiteral("part"), path);
  };
  overview_ = new OverviewScreen(workspace_, places_);
  connect(overview_, &OverviewScreen::part_wanted, this, show_part);
  auto* what_if = new WhatIfScreen(workspace_, places_);
  auto* checks = new ChecksScreen(workspace_, places_);
  connect(what_if, &WhatIfScreen::assert_wanted, this, [this, checks](const QString& metric) {
    show_screen(checks->objectName());
    checks->propose(metric);
  });
  auto* bottleneck = new BottleneckScreen(workspace_, places_);
  connect(bottleneck, &BottleneckScreen::part_wanted, this, show_part);
  auto* compare = new CompareScreen(workspace_, places_);
  connect(compare, &CompareScreen::file_chosen, this, &MainWindow::open_file);
  export_ = new ExportScreen(workspace_, places_);
  places_->set_start(start);
  places_->add({Sign::design,
                QStringLiteral("design"),
                tr("Design"),
                tr("What is simulated: components, their fields, the text"),
                {scenario}});
  places_->add({Sign::result,
                QStringLiteral("result"),
                tr("Result"),
                tr("What becomes of it: the system, figures, when what happens, checks"),
                {overview_, what_if, new TimelineScreen(workspace_, places_), checks}});
  places_->add({Sign::why,
                QStringLiteral("why"),
                tr("Why"),
                tr("What limits it, and which inputs matter"),
                {bottleneck, new SensitivityScreen(workspace_, places_)}});
  places_->add({Sign::explore,
                QStringLiteral("explore"),
                tr("Explore"),
                tr("Many designs: sweeps, and architectures side by side"),
                {new SweepScreen(workspace_, places_), compare}});
  places_->add({Sign::share,
                QStringLiteral("share"),
                tr("Share"),
                tr("Report, slide, charts, files, the command line"),
                {export_}});
  places_->set_open(false);
  connect(&workspace_.document(), &Document::renamed, this,
          [this] { places_->set_open(!workspace_.document().text().isEmpty()); });
  auto* problems = new ProblemsDock(workspace_, this);
  addDockWidget(Qt::BottomDockWidgetArea, problems);
  connect(problems, &ProblemsDock::chosen, this, [this, scenario](const Position& position) {
    show_screen(QStringLiteral("scenario"));
    scenario->go_to(position);
  });
}

void MainWindow::add_status() {
  message_ = new QLabel(this);
  message_->setObjectName(QStringLiteral("message"));
  progress_ = new QProgressBar(this);
  progress_->setRange(0, 100);
  progress_->setMaximumWidth(200);
  progress_->setAccessibleName(tr("Progress"));
  cancel_ = new QToolButton(this);
  cancel_->setText(tr("Cancel"));
  cancel_->setAccessibleName(tr("Cancel what is under way"));
  cancel_->setObjectName(QStringLiteral("cancel"));
  statusBar()->addWidget(message_, 1);
  statusBar()->addPermanentWidget(progress_);
  statusBar()->addPermanentWidget(cancel_);
  progress_->hide();
  cancel_->hide();
  Engine& engine = workspace_.background();
  connect(cancel_, &QToolButton::clicked, this, [&engine] { engine.cancel(); });
  connect(&engine, &Engine::busy_changed, this, [this](bool busy) {
    progress_->setVisible(busy);
    cancel_->setVisible(busy);
    progress_->setValue(0);
  });
  connect(&engine, &Engine::progressed, this,
          [this](double fraction) { progress_->setValue(static_cast<int>(100 * fraction)); });
  connect(&workspace_, &Workspace::predicted, this, [this] {
    const Workspace& w = workspace_;
    if (w.freshness() == Freshness::simulated)
      say(tr("Estimate in %1 ms, simulated in %2 ms")
              .arg(w.estimate_ms(), 0, 'f', 1)
              .arg(w.simulation_ms(), 0, 'f', 0));
    else if (w.freshness() == Freshness::estimated)
      say(tr("Estimate in %1 ms").arg(w.estimate_ms(), 0, 'f', 1));
    else if (w.has_errors())
      say(tr("This text has errors: see Problems (F8)"));
  });
}

void MainWindow::say(const QString& text) { message_->setText(text); }

bool MainWindow::open_file(const QString& file) {
  QFile in(file);
  if (!in.open(QIODevice::ReadOnly)) {
    say(tr("%1: %2").arg(file, in.errorString()));
    return false;
  }
  const QByteArray bytes = in.readAll();
  if (is_project(bytes)) return open_project(bytes, file);
  workspace_.document().open(QString::fromUtf8(bytes), file);
  StartScreen::remember(QFileInfo(file).absoluteFilePath());
  show_screen(QStringLiteral("overview"));
  return true;
}

bool MainWindow::open_project(const QByteArray& text, const QString& file) {
  QString why_not;
  const std::optional<Project> project = read_project(text, file, why_not);
  if (!project || !restore(*project, workspace_, why_not)) {
    say(why_not);
    return false;
  }
  StartScreen::remember(QFileInfo(file).absoluteFilePath());
  show_screen(QStringLiteral("overview"));
  return true;
}

bool MainWindow::save_project(const QString& file) {
  QString why_not;
  const bool saved = save_file(file, write_project(project_of(workspace_), file), why_not);
  say(saved ? tr("Saved %1").arg(file) : why_not);
  return saved;
}

bool MainWindow::save_variant(const QString& file) {
  QString said;
  const Document& document = workspace_.document();
  const bool saved = desktop::save_variant(document.text(), document.file(), file, said);
  say(said);
  return saved;
}

void MainWindow::set_look(Look look, int percent) {
  apply_look(look, percent);
  places_->forget_sizes();
  current()->refresh();
}

void MainWindow::open_dialog() {
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Open a scenario"), {},
      tr("Scenarios and projects (*.json *.jsonc *.stallcast);;All files (*)"));
  if (!file.isEmpty()) open_file(file);
}

bool MainWindow::save(bool ask) {
  QString file = workspace_.document().file();
  if (ask || file.isEmpty())
    file = QFileDialog::getSaveFileName(this, tr("Save the scenario"), workspace_.document().name(),
                                        tr("Scenarios (*.json)"));
  if (file.isEmpty()) return false;
  QString why_not;
  const bool saved = workspace_.document().save(file, why_not);
  say(saved ? tr("Saved %1").arg(file) : tr("%1: %2").arg(file, why_not));
  return saved;
}

void MainWindow::update_title() {
  Document& document = workspace_.document();
  const QString name =
      document.file().isEmpty() ? tr("untitled") : QFileInfo(document.file()).fileName();
  setWindowTitle(QStringLiteral("%1%2 - Stallcast")
                     .arg(name, document.modified() ? QStringLiteral("*") : QString()));
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (workspace_.document().modified() && isVisible() && !property("discard").toBool()) {
    const auto answer =
        QMessageBox::question(this, tr("Unsaved changes"), tr("Save the changes?"),
                              QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
    if (answer == QMessageBox::Cancel || (answer == QMessageBox::Save && !save(false))) {
      event->ignore();
      return;
    }
  }
  event->accept();
}

}  // namespace stallcast::desktop
