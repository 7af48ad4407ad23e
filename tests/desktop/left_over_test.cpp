#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QTest>
#include <QTextBlock>
#include <QTextLayout>
#include <catch2/catch.hpp>
#include <set>

#include "stallcast/label.hpp"
#include "tests/desktop/support.hpp"
#include "ui/desktop/advice_pane.hpp"
#include "ui/desktop/gantt.hpp"
#include "ui/desktop/picture_chart.hpp"
#include "ui/desktop/response_chart.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/report/advice.hpp"

/// What was on screen before goes: another file, another design, another look.
namespace left_over_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

/// Curves are there, and what was taken off is gone.
void settle(MainWindow& window) {
  QApplication::processEvents();
  REQUIRE(QTest::qWaitFor([&] { return !window.current()->working(); }, kPatience));
  QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
}

}  // namespace

TEST_CASE("a file with errors is not shown with the figures of the file before") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kMissed));
  Workspace& w = window.workspace();
  REQUIRE(w.document().set(QStringLiteral("run.duration"), QStringLiteral("\"25 min\"")));
  REQUIRE(w.diagnostics().items().size() == 1);  // too short for its saves
  REQUIRE(wait_advised(window));
  REQUIRE_FALSE(w.sliders().empty());
  QString broken = w.document().text();
  w.document().open(broken.replace(QStringLiteral("\"sync\""), QStringLiteral("\"asink\"")),
                    QStringLiteral("broken.json"));
  REQUIRE(w.has_errors());
  settle(window);
  CHECK(w.freshness() == Freshness::none);
  // Warnings, of which the list does not open by itself, do not keep it closed.
  CHECK(window.findChild<QDockWidget*>(QStringLiteral("problems"))->isVisible());
  CHECK(w.sliders().empty());
  CHECK(w.form().parts.empty());
  QWidget* screen = window.current();
  CHECK(screen->findChild<PictureChart*>()->twin().rowCount() == 0);
  CHECK(screen->findChild<Gantt*>()->twin().rowCount() == 0);
  CHECK(screen->findChildren<ResponseChart*>().isEmpty());
  CHECK(screen->findChild<QComboBox*>(QStringLiteral("knob_metric"))->count() == 0);
  const auto* line = screen->findChild<QLabel*>(QStringLiteral("verdict_line"));
  CHECK(line->text().contains(QStringLiteral("has errors")));
  CHECK(line->palette().color(QPalette::WindowText) == Theme::of(window).bad);
  CHECK_FALSE(window.findChild<QLabel*>(QStringLiteral("message"))
                  ->text()
                  .contains(QStringLiteral("simulated")));
  for (const char* place : {"whatif", "bottleneck", "checks"}) {
    window.show_screen(QLatin1String(place));
    settle(window);
    INFO(place);
    for (auto* chart : window.current()->findChildren<Chart*>())
      CHECK(chart->twin().rowCount() == 0);
    CHECK(window.current()->findChildren<QSlider*>().isEmpty());
  }
}

// What was simulated while another place was in front, and then an error: all panes are of the last
// design without one.
TEST_CASE("with an error all panes of the overview are of one design") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kMissed));
  REQUIRE(wait_advised(window));
  Workspace& w = window.workspace();
  const QString count = QStringLiteral("params.boxes.value");
  const auto cards = [&] {
    QStringList out;
    for (const QLabel* label :
         window.findChild<AdvicePane*>(QStringLiteral("advice"))->findChildren<QLabel*>())
      if (!label->text().isEmpty()) out << label->text();
    return out;
  };
  const auto lanes = [&] { return window.findChild<Gantt*>()->accessibleDescription(); };
  const auto curves = [&] {
    QStringList out;
    for (const auto* curve : window.findChildren<ResponseChart*>())
      out << curve->accessibleDescription();
    return out;
  };
  REQUIRE(w.document().set(count, QStringLiteral("8")));
  REQUIRE(wait_advised(window));
  settle(window);
  const QStringList other_cards = cards(), other_curves = curves();
  const QString other_lanes = lanes();
  window.show_screen(QStringLiteral("export"));
  w.document().undo_stack().undo();
  REQUIRE(wait_advised(window));
  const Timeline recorded = *w.timeline();
  REQUIRE(w.document().set(count, QStringLiteral("\"four\"")));
  REQUIRE(w.freshness() == Freshness::last_good);
  window.show_screen(QStringLiteral("overview"));
  settle(window);
  REQUIRE(w.shown_timeline() != nullptr);
  CHECK(*w.shown_timeline() == recorded);
  CHECK(cards() != other_cards);
  for (const Alternative& a : w.simulated()->alternatives)
    if (report::is_useful(a, *w.simulated()))
      CHECK(cards().contains(QString::fromStdString(label::of_change(a.change))));
  for (const QPushButton* button :
       window.findChild<AdvicePane*>(QStringLiteral("advice"))->findChildren<QPushButton*>())
    CHECK_FALSE(button->isEnabled());
  const QStringList now = curves();
  REQUIRE(now.size() == other_curves.size());
  // Of the first slider, which is what was changed, the curve is the same; of the others it is not.
  for (qsizetype i = 1; i < now.size(); ++i) CHECK(now[i] != other_curves[i]);
}

TEST_CASE("a change of the look changes the colours of what is on screen") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kMissed));
  REQUIRE(wait_advised(window));
  for (const Look look : {Look::dark, Look::high_contrast, Look::light}) {
    window.set_look(look, 100);
    QApplication::processEvents();
    const Theme& theme = look == Look::dark    ? Theme::dark()
                         : look == Look::light ? Theme::light()
                                               : Theme::high_contrast();
    window.show_screen(QStringLiteral("overview"));
    const auto* line = window.current()->findChild<QLabel*>(QStringLiteral("verdict_line"));
    CHECK(line->palette().color(QPalette::WindowText) == theme.bad);
    window.show_screen(QStringLiteral("whatif"));
    QStringList notes;
    for (const QLabel* label : window.current()->findChildren<QLabel*>())
      if (label->text().contains(QStringLiteral("span style=\"color:"))) notes << label->text();
    REQUIRE_FALSE(notes.isEmpty());
    for (const QString& note : notes)
      CHECK((note.contains(theme.good.name()) || note.contains(theme.bad.name()) ||
             note.contains(theme.warn.name())));
  }
  // In front while the look changes.
  for (const Look look : {Look::dark, Look::light}) {
    window.set_look(look, 100);
    const Theme& theme = look == Look::dark ? Theme::dark() : Theme::light();
    for (const QLabel* label : window.current()->findChildren<QLabel*>())
      if (label->text().contains(QStringLiteral("span style=\"color:")))
        CHECK((label->text().contains(theme.good.name()) ||
               label->text().contains(theme.bad.name()) ||
               label->text().contains(theme.warn.name())));
  }
  window.show_screen(QStringLiteral("scenario"));
  for (const Look look : {Look::dark, Look::light}) {
    window.set_look(look, 100);
    const Theme& theme = look == Look::dark ? Theme::dark() : Theme::light();
    const auto* editor = window.current()->findChild<QPlainTextEdit*>(QStringLiteral("editor"));
    std::set<QString> colours;
    for (QTextBlock block = editor->document()->begin(); block.isValid(); block = block.next())
      for (const QTextLayout::FormatRange& range : block.layout()->formats())
        colours.insert(range.format.foreground().color().name());
    CHECK(colours.contains(theme.accent.name()));
    CHECK(colours.contains(theme.good.name()));
    CHECK_FALSE(
        colours.contains((look == Look::dark ? Theme::light() : Theme::dark()).good.name()));
  }
  window.set_look(Look::light, 100);
}

}  // namespace left_over_test
