#include "ui/desktop/timeline_screen.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/gantt.hpp"
#include "ui/desktop/heat_chart.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/quantity_edit.hpp"
#include "ui/desktop/recorded.hpp"
#include "ui/desktop/step_chart.hpp"
#include "ui/desktop/time_strip.hpp"

namespace stallcast::desktop {

TimelineScreen::TimelineScreen(Workspace& workspace, QWidget* parent)
    : Screen(workspace, QStringLiteral("timeline"), tr("Timeline"), parent),
      engine_(workspace.settings()) {
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(record_row());
  status_ = note({}, this);
  layout->addWidget(status_);
  range_row_ = range_row();
  layout->addWidget(range_row_);
  strip_ = new TimeStrip(this);
  strip_->setObjectName(QStringLiteral("strip"));
  strip_->setAccessibleName(tr("All that was recorded"));
  layout->addWidget(strip_);
  range_row_->hide();
  strip_->hide();
  stack_ = new PageStack(this);
  shares_ = new StepChart(stack_);
  auto* known = new ChartPane(tr("The whole run by cause"), "run", shares_, stack_);
  stack_->addWidget(known);
  stack_->addWidget(charts());
  layout->addWidget(stack_, 1);
  connect(record_, &QPushButton::clicked, this, &TimelineScreen::record_chosen);
  connect(strip_, &TimeStrip::moved, this,
          [this](double from, double to) { gantt_->show_range(from, to); });
  connect(all_, &QPushButton::clicked, gantt_, &TimeChart::show_all);
  connect(add_, &QPushButton::clicked, this, &TimelineScreen::add_bookmark);
  connect(name_, &QLineEdit::returnPressed, this, &TimelineScreen::add_bookmark);
  connect(bookmarks_, &QComboBox::activated, this,
          [this] { go_to(bookmarks_->currentData().toString()); });
  connect(forget_, &QPushButton::clicked, this,
          [this] { forget(bookmarks_->currentData().toString()); });
  connect(&workspace, &Workspace::marks_changed, this, &TimelineScreen::show_marks);
  refresh_on(&Workspace::predicted);
  connect(&workspace.document(), &Document::opened, this, [this] {
    stack_->setCurrentIndex(0);  // what was recorded is of another scenario
    range_row_->hide();
    strip_->hide();
    recorded_text_.clear();
    engine_.cancel();
  });
  show_marks();
}

QHBoxLayout* TimelineScreen::record_row() {
  auto* head = new QHBoxLayout;
  const auto moment = [&](const char* name, const QString& label, double value) {
    auto* edit = new QuantityEdit(Dimension::time, this);
    edit->setObjectName(QLatin1String(name));
    edit->setAccessibleName(label);
    edit->set_range(0.0, 1e9, 0.0);
    edit->set_value(value);
    head->addWidget(new QLabel(label, this));
    head->addWidget(edit);
    return edit;
  };
  from_ = moment("from", tr("From"), 0.0);
  to_ = moment("to", tr("to"), TimelineRequest{}.end_s);
  record_ = push_button(tr("&Record"), "record", tr("Record what happens in this window"), this);
  head->addWidget(record_);
  head->addStretch(1);
  return head;
}

QWidget* TimelineScreen::range_row() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  range_ = new QLabel(row);
  range_->setObjectName(QStringLiteral("range"));
  layout->addWidget(range_);
  all_ = push_button(tr("Show &all"), "show_all", tr("Show all that was recorded"), row);
  layout->addWidget(all_);
  layout->addStretch(1);
  name_ = new QLineEdit(row);
  name_->setObjectName(QStringLiteral("bookmark_name"));
  name_->setAccessibleName(tr("Name for the range on screen"));
  name_->setPlaceholderText(tr("name of this range"));
  name_->setToolTip(name_->placeholderText());
  layout->addWidget(name_);
  add_ =
      push_button(tr("&Bookmark"), "bookmark", tr("Keep the range on screen under this name"), row);
  layout->addWidget(add_);
  bookmarks_ = choice(QStringLiteral("bookmarks"), tr("Bookmarks"), row);
  layout->addWidget(bookmarks_);
  forget_ = push_button(tr("&Forget"), "forget", tr("Forget this bookmark"), row);
  layout->addWidget(forget_);
  return row;
}

QWidget* TimelineScreen::charts() {
  auto* split = split_ = splitter(Qt::Vertical, stack_);
  pinned_ = new Gantt(split);
  pinned_pane_ = new ChartPane(tr("Pinned tracks"), "pinned", pinned_, split);
  split->addWidget(pinned_pane_);
  gantt_ = new Gantt(split);
  auto* pane = new ChartPane(tr("What happens when"), "timeline", gantt_, split);
  split->addWidget(scrolled(pane, tr("What happens when"), split));
  heat_ = new HeatChart(split);
  auto* heat = new ChartPane(tr("How busy resources are"), "heat", heat_, split);
  split->addWidget(scrolled(heat, tr("How busy resources are"), split));
  split->setStretchFactor(1, 1);
  split->setStretchFactor(2, 1);
  constexpr int kFewestLines = 9;  // of letters: less cannot be read
  for (const int i : {1, 2})
    split->widget(i)->setMinimumHeight(kFewestLines * fontMetrics().height());
  linked_ = {gantt_, pinned_, heat_};
  for (TimeChart* chart : linked_) {
    chart->set_linked(linked_);
    connect(chart, &TimeChart::range_changed, this, &TimelineScreen::show_range);
    connect(chart, &TimeChart::bookmark_wanted, this, &TimelineScreen::add_bookmark);
  }
  for (Gantt* gantt : {gantt_, pinned_})
    connect(gantt, &Gantt::pin_wanted, this, &TimelineScreen::toggle_track, Qt::QueuedConnection);
  return split;
}

void TimelineScreen::refresh() {
  const auto& p = workspace().simulated();
  record_->setEnabled(workspace().design() != nullptr && !workspace().has_errors());
  const bool other = recorded_text_ != workspace().document().text();
  if (workspace().freshness() == Freshness::simulated && other) {
    const TimelineRequest what = usual_window();
    from_->set_value(what.begin_s);
    to_->set_value(what.end_s);
    record(what);
  } else if (stack_->currentIndex() == 1 && other) {
    status_->setText(tr("The design has changed: this was recorded of an earlier one"));
  }
  if (stack_->currentIndex() == 1) return;
  if (!p) {
    status_->setText(tr("Nothing is simulated yet"));
    return;
  }
  shares_->set(step_bars(*p, tr("this design"), workspace().freshness() != Freshness::simulated));
}

TimelineRequest TimelineScreen::usual_window() const {
  constexpr double kMostEventsOfRun = 3e6;
  const Prediction& p = *workspace().simulated();
  TimelineRequest out;
  // What repeats itself was counted, and would be simulated now.
  const double simulated = std::max(p.simulated_s - p.skipped_s, 1e-9);
  const double events = static_cast<double>(p.events) * p.simulated_s / simulated /
                        static_cast<double>(std::max<std::size_t>(p.seeds.size(), 1));
  const auto& known = workspace().timeline();
  const bool all = events <= kMostEventsOfRun || !known;
  if (!all) out.begin_s = std::floor(known->begin_s);
  out.end_s = std::ceil(all ? p.simulated_s : known->end_s);
  return out;
}

void TimelineScreen::record(const TimelineRequest& what) {
  status_->setText(tr("Recording..."));
  recorded_text_ = workspace().document().text();
  engine_.start([this, what, design = *workspace().design()](
                    client::Session& session, const Engine::Progress& progress) -> Engine::Then {
    Result<Timeline> recorded = session.record(design, what, {.on_progress = progress});
    return [this, recorded = std::move(recorded)] { show_recorded(recorded); };
  });
}

void TimelineScreen::record_chosen() {
  if (!workspace().design()) return;
  TimelineRequest what;
  what.begin_s = from_->value();
  what.end_s = to_->value();
  record(what);
}

void TimelineScreen::show_recorded(const Result<Timeline>& recorded) {
  if (!recorded.ok()) {
    status_->setText(QStringLiteral("\u2717 ") +
                     QString::fromStdString(recorded.failure().message));
    return;
  }
  lanes_ = lanes_of(*recorded);
  gantt_->set(lanes_);
  heat_->set(*recorded);
  strip_->set(lanes_);
  show_pinned();
  const TimeRange first = notable_range(lanes_);
  gantt_->show_range(first.first, first.second);
  show_range(gantt_->from(), gantt_->to());
  stack_->setCurrentIndex(1);
  range_row_->show();
  strip_->show();
  QString text =
      tr("Wheel or W and S zoom, A and D move, Shift and the mouse choose a range, N and P go to "
         "stalls, B bookmarks, Space pins a track, Home shows all.");
  if (recorded->spans_end_s < recorded->end_s)
    text += tr(" There are too many spans: lanes end at %1.")
                .arg(figure_text(recorded->spans_end_s, "s"));
  status_->setText(text);
}

void TimelineScreen::show_range(double from, double to) {
  for (TimeChart* chart : linked_) {
    const QSignalBlocker quiet(chart);  // it follows, and need not say so
    if (chart->from() != from || chart->to() != to) chart->show_range(from, to);
  }
  strip_->show_window(from, to);
  range_->setText(tr("%1 to %2%3")
                      .arg(figure_text(from, "s"), figure_text(to, "s"),
                           gantt_->shows_all() ? tr(", all that was recorded")
                                               : tr(" of %1 to %2")
                                                     .arg(figure_text(lanes_.begin, "s"),
                                                          figure_text(lanes_.end, "s"))));
  all_->setEnabled(!gantt_->shows_all());
}

void TimelineScreen::show_marks() {
  const QString before = bookmarks_->currentData().toString();
  bookmarks_->clear();
  for (const Bookmark& b : workspace().marks().bookmarks)
    bookmarks_->addItem(
        tr("%1 (%2 to %3)").arg(b.name, figure_text(b.from, "s"), figure_text(b.to, "s")), b.name);
  const bool any = bookmarks_->count() > 0;
  if (any)
    bookmarks_->setCurrentIndex(std::max(0, bookmarks_->findData(before)));
  else
    bookmarks_->addItem(tr("no bookmarks"));
  bookmarks_->setEnabled(any);
  forget_->setEnabled(any);
  show_pinned();
}

void TimelineScreen::show_pinned() {
  const QStringList& names = workspace().marks().tracks;
  gantt_->set_pinned(names);
  GanttData some = lanes_;
  std::erase_if(some.lanes,
                [&](const GanttData::Lane& lane) { return !names.contains(lane.name); });
  pinned_pane_->setVisible(!some.empty());
  const QSignalBlocker quiet(pinned_);
  pinned_->set(std::move(some));
  pinned_->set_pinned(names);
  pinned_->show_range(gantt_->from(), gantt_->to());
  // Pinned lanes get the room they need, the others share the rest.
  const int least = pinned_pane_->isHidden() ? 0 : pinned_pane_->minimumSizeHint().height(),
            rest = std::max(2, split_->height() - least);
  split_->setSizes({least, rest / 2, rest - rest / 2});
}

void TimelineScreen::toggle_track(const QString& name) {
  Marks marks = workspace().marks();
  if (marks.tracks.removeAll(name) == 0) marks.tracks << name;
  workspace().set_marks(std::move(marks));
}

void TimelineScreen::add_bookmark() {
  Marks marks = workspace().marks();
  const auto named = [&](const QString& name) {
    return std::find_if(marks.bookmarks.begin(), marks.bookmarks.end(),
                        [&](const Bookmark& b) { return b.name == name; });
  };
  QString name = name_->text().simplified();
  for (int i = 1; name.isEmpty(); ++i)
    if (named(tr("range %1").arg(i)) == marks.bookmarks.end()) name = tr("range %1").arg(i);
  const Bookmark added{name, gantt_->from(), gantt_->to()};
  if (const auto known = named(name); known != marks.bookmarks.end())
    *known = added;
  else
    marks.bookmarks.push_back(added);
  name_->clear();
  workspace().set_marks(std::move(marks));
  bookmarks_->setCurrentIndex(bookmarks_->findData(name));
}

bool TimelineScreen::go_to(const QString& name) {
  for (const Bookmark& b : workspace().marks().bookmarks) {
    if (b.name != name) continue;
    gantt_->show_range(b.from, b.to);
    return true;
  }
  return false;
}

void TimelineScreen::forget(const QString& name) {
  Marks marks = workspace().marks();
  std::erase_if(marks.bookmarks, [&](const Bookmark& b) { return b.name == name; });
  workspace().set_marks(std::move(marks));
}

bool TimelineScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("record")) {
    record_chosen();
    return true;
  }
  if (stack_->currentIndex() != 1) return false;  // nothing is recorded
  if (action == QLatin1String("go_to")) return go_to(argument);
  if (action == QLatin1String("bookmark")) {
    name_->setText(argument);
    add_bookmark();
    return true;
  }
  if (action == QLatin1String("pin_track")) {
    for (const GanttData::Lane& lane : lanes_.lanes) {
      if (lane.name != argument) continue;
      toggle_track(argument);
      return true;
    }
    return false;
  }
  if (action != QLatin1String("range")) return false;
  bool good_from = false, good_to = false;
  const double from = argument.section(QStringLiteral(".."), 0, 0).toDouble(&good_from),
               to = argument.section(QStringLiteral(".."), 1).toDouble(&good_to);
  if (good_from && good_to) gantt_->show_range(from, to);
  return good_from && good_to;
}

bool TimelineScreen::working() const { return engine_.busy(); }

}  // namespace stallcast::desktop
