#include "ui/desktop/places.hpp"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <algorithm>

#include "ui/desktop/rail.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/theme.hpp"

namespace stallcast::desktop {
namespace {

/// With fewer letters than this in a line, the rail has no words.
constexpr int kNarrowWindow = 110;

/// Layouts of hidden screens keep the sizes of other letters until they are shown. From the
/// innermost outwards each is told.
void forget_sizes_of(Screen& screen) {
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

/// A view in as much room as there is, or as it needs, with bars.
QScrollArea* page_of(Screen* screen, QWidget* parent) {
  class Page : public QScrollArea {
   public:
    using QScrollArea::QScrollArea;
    [[nodiscard]] QSize minimumSizeHint() const override {
      return {20 * fontMetrics().averageCharWidth(), 8 * fontMetrics().height()};
    }
  };
  auto* page = new Page(parent);
  page->setWidgetResizable(true);
  page->setFrameShape(QFrame::NoFrame);
  page->setFocusPolicy(Qt::NoFocus);
  page->setWidget(screen);
  return page;
}

}  // namespace

Places::Places(QWidget* parent) : QWidget(parent) {
  rail_ = new Rail(this);
  tabs_ = new QTabBar(this);
  tabs_->setObjectName(QStringLiteral("views"));
  tabs_->setAccessibleName(tr("Views of this place"));
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  stack_ = new QStackedWidget(this);
  auto* right = new QVBoxLayout;
  right->setSpacing(0);
  right->addWidget(tabs_);
  right->addWidget(stack_, 1);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(space::kInner, space::kInner, space::kInner, 0);
  layout->setSpacing(space::kThings);
  layout->addWidget(rail_);
  layout->addLayout(right, 1);
  connect(rail_, &Rail::picked, this, &Places::show_place);
  connect(tabs_, &QTabBar::currentChanged, this, [this](int tab) {
    const int place = rail_->chosen();
    if (tab < 0 || place < 0) return;
    show_screen(places_[static_cast<std::size_t>(place)].views[static_cast<std::size_t>(tab)]);
  });
}

void Places::add_screen(Screen* screen) {
  screens_.push_back(screen);
  stack_->addWidget(page_of(screen, stack_));
}

void Places::set_start(Screen* start) {
  add_screen(start);
  show_screen(start);
}

void Places::add(Place place) {
  rail_->add(place.sign, place.word, place.hint);
  for (Screen* view : place.views) add_screen(view);
  places_.push_back(std::move(place));
}

Screen* Places::current() const {
  return screens_[static_cast<std::size_t>(stack_->currentIndex())];
}

void Places::show_screen(Screen* screen) {
  int chosen = -1;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Place& place = places_[i];
    const auto view = std::find(place.views.begin(), place.views.end(), screen);
    if (view == place.views.end()) continue;
    chosen = static_cast<int>(i);
    place.at = static_cast<std::size_t>(view - place.views.begin());
    const QSignalBlocker quiet(tabs_);
    if (chosen != rail_->chosen()) {
      while (tabs_->count() > 0) tabs_->removeTab(tabs_->count() - 1);
      for (const Screen* one : place.views) tabs_->addTab(one->title());
    }
    tabs_->setCurrentIndex(static_cast<int>(place.at));
  }
  rail_->choose(chosen);
  tabs_->setVisible(chosen >= 0 && tabs_->count() > 1);
  forget_sizes_of(*screen);
  const auto at = std::find(screens_.begin(), screens_.end(), screen) - screens_.begin();
  if (at == stack_->currentIndex()) return;
  stack_->setCurrentIndex(static_cast<int>(at));
  // Read from the top, wherever one was when it was left.
  if (const auto* page = qobject_cast<QScrollArea*>(stack_->currentWidget()))
    page->verticalScrollBar()->setValue(0);
}

bool Places::show(const QString& key) {
  for (Screen* screen : screens_)
    if (screen->objectName() == key) {
      show_screen(screen);
      return true;
    }
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].key == key) {
      show_place(static_cast<int>(i));
      return true;
    }
  return false;
}

void Places::show_place(int place) {
  const Place& wanted = places_[static_cast<std::size_t>(place)];
  show_screen(wanted.views[wanted.at]);
}

void Places::next_view(int by) {
  const auto count = static_cast<int>(screens_.size());
  // The first screen is the start, which is none of the views.
  const int at = std::max(stack_->currentIndex() - 1, by > 0 ? -1 : 0);
  show_screen(screens_[static_cast<std::size_t>(1 + (at + by + count - 1) % (count - 1))]);
}

void Places::set_open(bool open) { rail_->setEnabled(open); }

void Places::forget_sizes() {
  for (Screen* screen : screens_) forget_sizes_of(*screen);
}

void Places::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  rail_->set_narrow(width() < kNarrowWindow * fontMetrics().averageCharWidth());
}

}  // namespace stallcast::desktop
