#include <QAction>
#include <QActionGroup>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QToolBar>
#include <algorithm>

#include "ui/desktop/export_screen.hpp"
#include "ui/desktop/icon.hpp"
#include "ui/desktop/main_window.hpp"
#include "ui/desktop/overview_screen.hpp"
#include "ui/desktop/problems_dock.hpp"

/// Menus, toolbar and the list of keys of the window.
namespace stallcast::desktop {

void MainWindow::add_file_menu() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  file->addAction(tr("&New..."), QKeySequence::New, this,
                  [this] { show_screen(QStringLiteral("start")); });
  open_ = file->addAction(tr("&Open..."), QKeySequence::Open, this, &MainWindow::open_dialog);
  save_ = file->addAction(tr("&Save"), QKeySequence::Save, this, [this] { save(false); });
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
  report_ = file->addAction(tr("Write a &report..."), QKeySequence(QStringLiteral("Ctrl+E")), this,
                            [this] {
                              show_screen(export_->objectName());
                              export_->ask_and_report();
                            });
  file->addSeparator();
  file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::add_go_menu() {
  QMenu* go = menuBar()->addMenu(tr("&Go"));
  int number = 0;
  for (const Places::Place& place : places_->places()) {
    const int at = number++;
    go->addAction(place.word, QKeySequence(QStringLiteral("Ctrl+%1").arg(at + 1)), this,
                  [this, at] { places_->show_place(at); });
  }
  go->addSeparator();
  QAction* next = go->addAction(tr("Next &view"), this, [this] { places_->next_view(1); });
  next->setShortcuts(
      {QKeySequence(QStringLiteral("Alt+Right")), QKeySequence(QStringLiteral("Ctrl+Tab"))});
  QAction* before = go->addAction(tr("View &before"), this, [this] { places_->next_view(-1); });
  before->setShortcuts(
      {QKeySequence(QStringLiteral("Alt+Left")), QKeySequence(QStringLiteral("Ctrl+Shift+Tab"))});
  go->addSeparator();
  auto* problems = findChild<ProblemsDock*>();
  go->addAction(tr("Next &problem"), QKeySequence(Qt::Key_F8), problems, &ProblemsDock::next);
}

void MainWindow::add_view_menu() {
  QMenu* view = menuBar()->addMenu(tr("&View"));
  view->addAction(findChild<ProblemsDock*>()->toggleViewAction());
  view->addSeparator();
  auto* looks = new QActionGroup(this);
  const std::pair<Look, QString> all[] = {{Look::system, tr("As the &desktop")},
                                          {Look::light, tr("&Light")},
                                          {Look::dark, tr("&Dark")},
                                          {Look::high_contrast, tr("&High contrast")}};
  for (const auto& [look, name] : all) {
    QAction* action =
        view->addAction(name, this, [this, look = look] { set_look(look, look_percent()); });
    action->setCheckable(true);
    looks->addAction(action);
    connect(view, &QMenu::aboutToShow, action,
            [action, look = look] { action->setChecked(look_now() == look); });
  }
  view->addAction(tr("&Next colours"), QKeySequence(QStringLiteral("Ctrl+Shift+D")), this, [this] {
    const Look now = look_now();
    set_look(now == Look::light  ? Look::dark
             : now == Look::dark ? Look::high_contrast
                                 : Look::light,
             look_percent());
  });
  view->addSeparator();
  view->addAction(tr("La&rger letters"), QKeySequence::ZoomIn, this,
                  [this] { set_look(look_now(), std::min(300, look_percent() + 25)); });
  view->addAction(tr("&Smaller letters"), QKeySequence::ZoomOut, this,
                  [this] { set_look(look_now(), std::max(75, look_percent() - 25)); });
}

void MainWindow::add_menus() {
  add_file_menu();
  QMenu* edit = menuBar()->addMenu(tr("&Edit"));
  QUndoStack& stack = workspace_.document().undo_stack();
  QAction* undo = stack.createUndoAction(this, tr("&Undo"));
  undo->setShortcut(QKeySequence::Undo);
  QAction* redo = stack.createRedoAction(this, tr("&Redo"));
  redo->setShortcut(QKeySequence::Redo);
  edit->addActions({undo, redo});
  edit->addSeparator();
  QAction* pin = edit->addAction(tr("&Pin this design"), QKeySequence(QStringLiteral("Ctrl+P")),
                                 this, [this] { workspace_.pin(workspace_.next_pin_name()); });
  edit->addSeparator();
  const auto first_card = [this](const char* action) {
    return [this, action] {
      if (!overview_->act(QLatin1String(action), QStringLiteral("1")))
        say(tr("There is no change that would help"));
    };
  };
  edit->addAction(tr("&Apply what would help first"), QKeySequence(QStringLiteral("Ctrl+Return")),
                  this, first_card("apply"));
  edit->addAction(tr("P&in what would help first"),
                  QKeySequence(QStringLiteral("Ctrl+Shift+Return")), this,
                  first_card("pin_advice"));
  add_go_menu();
  add_view_menu();
  QMenu* help = menuBar()->addMenu(tr("&Help"));
  help->addAction(tr("&Keys"), QKeySequence(Qt::Key_F1), this, &MainWindow::show_shortcuts);
  const std::pair<QAction*, std::pair<Sign, QString>> tools[] = {
      {open_, {Sign::open, tr("Open")}}, {save_, {Sign::save, tr("Save")}},
      {undo, {Sign::undo, tr("Undo")}},  {redo, {Sign::redo, tr("Redo")}},
      {pin, {Sign::pin, tr("Pin")}},     {report_, {Sign::report, tr("Report")}}};
  for (const auto& [action, look] : tools) {
    action->setIcon(icon_of(look.first));
    action->setIconVisibleInMenu(false);
    action->setIconText(look.second);
  }
  add_toolbar({open_, save_, nullptr, undo, redo, nullptr, pin, report_});
}

/// nullptr is a line between two of them.
void MainWindow::add_toolbar(std::initializer_list<QAction*> actions) {
  auto* bar = addToolBar(tr("Tools"));
  bar->setObjectName(QStringLiteral("tools"));
  bar->setAccessibleName(tr("Tools"));
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  for (QAction* action : actions) {
    if (action == nullptr)
      bar->addSeparator();
    else
      bar->addAction(action);
  }
  for (QWidget* button : bar->findChildren<QWidget*>()) {
    button->setFocusPolicy(Qt::NoFocus);  // the menu and its keys say the same
    if (button->accessibleName().isEmpty()) button->setAccessibleName(button->toolTip());
  }
}

void MainWindow::show_shortcuts() {
  QString text;
  for (const QAction* menu : menuBar()->actions())
    for (const QAction* action : menu->menu()->actions())
      if (!action->shortcut().isEmpty())
        text += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
                    .arg(QKeySequence::listToString(action->shortcuts())
                             .replace(QLatin1String("; "), QLatin1String(", ")),
                         action->text().remove(u'&').toHtmlEscaped());
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
  box->setTextFormat(Qt::RichText);
  box->setText(QStringLiteral("<table>%1</table>").arg(text));
  box->show();
}

}  // namespace stallcast::desktop
