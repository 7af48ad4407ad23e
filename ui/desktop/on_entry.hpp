#pragma once

#include <QObject>
#include <functional>
#include <string>

#include "ui/desktop/workspace.hpp"

namespace stallcast::desktop {

/// Results that a place shows without being asked to: once for each design, when the place is in
/// front, the design is simulated, and no other work is under way. Large designs wait for a click.
class OnEntry : public QObject {
  Q_OBJECT
 public:
  /// `start` begins the work; `too_large` says why it does not.
  OnEntry(QWidget& place, Workspace& workspace, std::function<void()> start,
          std::function<void()> too_large);

  /// Begins where it is time to.
  void look();
  /// The user asked for something: nothing begins by itself until the design changes.
  void taken();
  /// Another question: what is shown is no answer to it.
  void forget() { done_.clear(); }

 private:
  QWidget& place_;
  Workspace& workspace_;
  std::function<void()> start_, too_large_;
  std::string done_;  ///< hash of the design that has its results, or does not get them
};

}  // namespace stallcast::desktop
