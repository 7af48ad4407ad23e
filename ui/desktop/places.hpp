#pragma once

#include <QWidget>
#include <vector>

#include "ui/desktop/icon.hpp"

class QStackedWidget;
class QTabBar;

namespace stallcast::desktop {

class Rail;
class Screen;

/// The middle of the window: a rail of places, and the views of the place one is at as tabs. A view
/// that does not fit scrolls. The start is no place: it is what there is while nothing is open.
class Places : public QWidget {
  Q_OBJECT
 public:
  explicit Places(QWidget* parent);

  void set_start(Screen* start);
  struct Place {
    Sign sign;
    QString key, word, hint;
    std::vector<Screen*> views;
    std::size_t at = 0;  ///< the view that was shown last
  };
  /// `key` leads to the view that was shown last, as the keys of its views lead to them.
  void add(Place place);

  [[nodiscard]] const std::vector<Screen*>& screens() const { return screens_; }
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] Screen* current() const;
  /// A view, a place or "start"; false when there is none of that name.
  bool show(const QString& key);
  void show_place(int place);
  /// The next view, through all places, or the one before.
  void next_view(int by);
  /// Whether there is anything to show but the start.
  void set_open(bool open);
  /// Other letters: sizes are found anew.
  void forget_sizes();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void add_screen(Screen* screen);
  void show_screen(Screen* screen);

  Rail* rail_;
  QTabBar* tabs_;
  QStackedWidget* stack_;
  std::vector<Screen*> screens_;
  std::vector<Place> places_;
};

}  // namespace stallcast::desktop
