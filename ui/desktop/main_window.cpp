#include "ui/desktop/main_window.hpp"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QProgressBar>
#include <QSaveFile>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/desktop/bottleneck_screen.hpp"
#include "ui/desktop/checks_screen.hpp"
#include "ui/desktop/compare_screen.hpp"
#include "ui/desktop/export_screen.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/problems_dock.hpp"
#include "ui/desktop/project_file.hpp"
#include "ui/desktop/scenario_screen.hpp"
#include "ui/desktop/sensitivity_screen.hpp"
#include "ui/desktop/start_screen.hpp"
#include "ui/desktop/sweep_screen.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/desktop/timeline_screen.hpp"
#include "ui/desktop/variant.hpp"
#include "ui/desktop/whatif_screen.hpp"

namespace stallcast::desktop {
namespace {

/// Layouts of hidden screens keep the sizes of other letters until they are shown, which is too
/// late: the window would have grown for them. From the innermost outwards each is told.
void forget_sizes(Screen& screen) {
  QList<QWidget*> all = screen.findChildren<QWidget*>();
  all.prepend(&screen);
  for (auto widget = all.rbegin(); widget != all.rend(); ++widget) {
    if (QLayout* layout = (*widget)->layout()) {
      layout->invalidate();
      layout->activate();  // the only way to reach layouts within layouts
    }
    if (qobject_cast<QSplitter*>(*widget) != nullptr) {
      QEvent changed(QEvent::LayoutRequest);
      QApplication::sendEvent(*widget, &changed);
    }
    (*widget)->updateGeometry();
  }
}

}  // namespace

MainWindow::MainWindow(const client::Settings& settings, const QString& recovery_folder)
    : workspace_(settings), recovery_(workspace_, recovery_folder) {
  setObjectName(QStringLiteral("window"));
  auto* middle = new QWidget(this);
  auto* layout = new QHBoxLayout(middle);
  layout->setContentsMargins(4, 4, 4, 0);
  list_ = new QListWidget(middle);
  list_->setObjectName(QStringLiteral("screens"));
  list_->setAccessibleName(tr("Screens"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  stack_ = new PageStack(middle);
  layout->addWidget(list_);
  layout->addWidget(stack_, 1);
  setCentralWidget(middle);
  add_screens();
  connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row >= 0) forget_sizes(*screens_[static_cast<std::size_t>(row)]);
    stack_->setCurrentIndex(row);
  });
  list_->setCurrentRow(0);
  add_status();
  add_menus();
  connect(&workspace_.document().undo_stack(), &QUndoStack::cleanChanged, this,
          &MainWindow::update_title);
  connect(&workspace_.document(), &Document::renamed, this, &MainWindow::update_title);
  update_title();
  set_look(is_dark(), look_percent());
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

MainWindow::~MainWindow() {
  qApp->removeEventFilter(this);
  // Screens are told of the workspace's end by nothing: they go first.
  delete takeCentralWidget();
}

Screen* MainWindow::current() const {
  return screens_[static_cast<std::size_t>(stack_->currentIndex())];
}

void MainWindow::add_screen(Screen* screen) {
  screens_.push_back(screen);
  stack_->addWidget(screen);
  list_->addItem(screen->title());
}

void MainWindow::add_screens() {
  auto* start = new StartScreen(workspace_, recovery_, stack_);
  connect(start, &StartScreen::open_requested, this, &MainWindow::open_dialog);
  connect(start, &StartScreen::file_chosen, this, &MainWindow::open_file);
  connect(start, &StartScreen::text_opened, this, [this](const QString& key) { show_screen(key); });
  auto* scenario = new ScenarioScreen(workspace_, stack_);
  add_screen(start);
  add_screen(scenario);
  auto* what_if = new WhatIfScreen(workspace_, stack_);
  auto* checks = new ChecksScreen(workspace_, stack_);
  connect(what_if, &WhatIfScreen::assert_wanted, this, [this, checks](const QString& metric) {
    show_screen(checks->objectName());
    checks->propose(metric);
  });
  add_screen(what_if);
  add_screen(new TimelineScreen(workspace_, stack_));
  auto* bottleneck = new BottleneckScreen(workspace_, stack_);
  connect(bottleneck, &BottleneckScreen::part_wanted, this, [this, scenario](const QString& path) {
    show_screen(scenario->objectName());
    scenario->act(QStringLiteral("part"), path);
  });
  add_screen(bottleneck);
  add_screen(new SensitivityScreen(workspace_, stack_));
  add_screen(new SweepScreen(workspace_, stack_));
  auto* compare = new CompareScreen(workspace_, stack_);
  connect(compare, &CompareScreen::file_chosen, this, &MainWindow::open_file);
  add_screen(compare);
  add_screen(checks);
  export_ = new ExportScreen(workspace_, stack_);
  add_screen(export_);
  auto* problems = new ProblemsDock(workspace_, this);
  addDockWidget(Qt::BottomDockWidgetArea, problems);
  connect(problems, &ProblemsDock::chosen, this, [this, scenario](const Position& position) {
    show_screen(QStringLiteral("scenario"));
    scenario->go_to(position);
  });
}

void MainWindow::add_menus() {
  Document& document = workspace_.document();
  QMenu* file = menuBar()->addMenu(tr("&File"));
  file->addAction(tr("&Open..."), QKeySequence::Open, this, &MainWindow::open_dialog);
  file->addAction(tr("&Save"), QKeySequence::Save, this, [this] { save(false); });
  file->addAction(tr("Save &as..."), QKeySequence::SaveAs, this, [this] { save(true); });
  file->addAction(tr("Save as &variant..."), QKeySequence(QStringLiteral("Ctrl+Alt+V")), this,
                  [this] {
                    const QString name = QFileDialog::getSaveFileName(
                        this, tr("Save the changes as a variant"), {}, tr("Scenarios (*.json)"));
                    if (!name.isEmpty()) save_variant(name);
                  });
  file->addAction(tr("Save &project..."), QKeySequence(QStringLiteral("Ctrl+Alt+S")), this, [this] {
    const QString name = QFileDialog::getSaveFileName(this, tr("Save the session as a project"), {},
                                                      tr("Projects (*.stallcast)"));
    if (!name.isEmpty()) save_project(name);
  });
  file->addSeparator();
  file->addAction(tr("Write a &report..."), QKeySequence(QStringLiteral("Ctrl+E")), this, [this] {
    show_screen(export_->objectName());
    export_->ask_and_report();
  });
  file->addSeparator();
  file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
  QMenu* edit = menuBar()->addMenu(tr("&Edit"));
  QAction* undo = document.undo_stack().createUndoAction(this, tr("&Undo"));
  undo->setShortcut(QKeySequence::Undo);
  QAction* redo = document.undo_stack().createRedoAction(this, tr("&Redo"));
  redo->setShortcut(QKeySequence::Redo);
  edit->addActions({undo, redo});
  edit->addSeparator();
  edit->addAction(tr("&Pin this design"), QKeySequence(QStringLiteral("Ctrl+P")), this,
                  [this] { workspace_.pin(workspace_.next_pin_name()); });
  QMenu* go = menuBar()->addMenu(tr("&Go"));
  for (std::size_t i = 0; i < screens_.size(); ++i)
    go->addAction(screens_[i]->title(), QKeySequence(QStringLiteral("Ctrl+%1").arg((i + 1) % 10)),
                  this, [this, i] { list_->setCurrentRow(static_cast<int>(i)); });
  go->addSeparator();
  auto* problems = findChild<ProblemsDock*>();
  go->addAction(tr("&Next problem"), QKeySequence(Qt::Key_F8), problems, &ProblemsDock::next);
  QMenu* view = menuBar()->addMenu(tr("&View"));
  view->addAction(problems->toggleViewAction());
  view->addAction(tr("&Dark"), QKeySequence(QStringLiteral("Ctrl+Shift+D")), this,
                  [this] { set_look(!is_dark(), look_percent()); });
  view->addAction(tr("&Larger letters"), QKeySequence::ZoomIn, this,
                  [this] { set_look(is_dark(), std::min(300, look_percent() + 25)); });
  view->addAction(tr("&Smaller letters"), QKeySequence::ZoomOut, this,
                  [this] { set_look(is_dark(), std::max(75, look_percent() - 25)); });
  QMenu* help = menuBar()->addMenu(tr("&Help"));
  help->addAction(tr("&Keys"), QKeySequence(Qt::Key_F1), this, &MainWindow::show_shortcuts);
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
  QString text = QString::fromUtf8(bytes);
  text.replace(QLatin1String("\r\n"), QLatin1String("\n"));
  workspace_.document().open(text, file);
  StartScreen::remember(QFileInfo(file).absoluteFilePath());
  show_screen(QStringLiteral("whatif"));
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
  show_screen(QStringLiteral("whatif"));
  return true;
}

bool MainWindow::save_project(const QString& file) {
  QSaveFile out(file);
  const QByteArray text = write_project(project_of(workspace_), file);
  const bool saved =
      out.open(QIODevice::WriteOnly) && out.write(text) == text.size() && out.commit();
  say(saved ? tr("Saved %1").arg(file) : tr("%1: %2").arg(file, out.errorString()));
  return saved;
}

bool MainWindow::save_variant(const QString& file) {
  QString said;
  const Document& document = workspace_.document();
  const bool saved = desktop::save_variant(document.text(), document.file(), file, said);
  say(said);
  return saved;
}

bool MainWindow::show_screen(const QString& key) {
  for (std::size_t i = 0; i < screens_.size(); ++i)
    if (screens_[i]->objectName() == key) {
      list_->setCurrentRow(static_cast<int>(i));
      return true;
    }
  return false;
}

void MainWindow::set_look(bool dark, int percent) {
  apply_look(dark, percent);
  const QFontMetrics metrics(QApplication::font());
  const int wide =
      metrics.horizontalAdvance(QStringLiteral("Sweep and Pareto")) + 2 * metrics.height();
  list_->setFixedWidth(wide);
  for (Screen* screen : screens_) forget_sizes(*screen);
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
    file =
        QFileDialog::getSaveFileName(this, tr("Save the scenario"), file, tr("Scenarios (*.json)"));
  if (file.isEmpty()) return false;
  QString why_not;
  const bool saved = workspace_.document().save(file, why_not);
  say(saved ? tr("Saved %1").arg(file) : tr("%1: %2").arg(file, why_not));
  return saved;
}

void MainWindow::show_shortcuts() {
  QString text;
  for (const QAction* menu : menuBar()->actions())
    for (const QAction* action : menu->menu()->actions())
      if (!action->shortcut().isEmpty())
        text +=
            QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
                .arg(action->shortcut().toString(), action->text().remove(u'&').toHtmlEscaped());
  const std::pair<QString, QString> charts[] = {
      {tr("W, S, A, D, Home"), tr("Timeline: nearer, farther, earlier, later, all")},
      {tr("N, P, B"), tr("Timeline: next stall, last stall, bookmark")},
      {tr("Up, Down, Space"), tr("Timeline: choose a track, pin it")},
      {tr("Up, Down, Enter"), tr("Bars of inputs: choose one, show its response")},
      {tr("Arrows, Enter"), tr("Two inputs: choose a design, load it")},
      {tr("F2, Space"), tr("Ranges: edit, switch on or off")},
      {tr("Left, Right"), tr("Figures of designs: choose an axis")},
      {tr("Up, Down, Shift"), tr("Figures of designs: keep less or more of it")},
      {tr("Delete, Escape"), tr("Figures of designs: free the axis, free all")}};
  for (const auto& [keys, what] : charts)
    text += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>").arg(keys, what);
  auto* box = new QMessageBox(this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setModal(false);
  box->setWindowTitle(tr("Keys"));
  box->setText(QStringLiteral("<table>%1</table>").arg(text));
  box->show();
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
