#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace stallcast::desktop {

/// A range of simulated time with a name.
struct Bookmark {
  QString name;
  double from = 0.0, to = 0.0;
  bool operator==(const Bookmark&) const = default;
};

/// What somebody marked on the timeline of one scenario: kept with the session, in project files.
struct Marks {
  std::vector<Bookmark> bookmarks;  ///< each name once
  QStringList tracks;               ///< names of lanes that stay on top
  bool operator==(const Marks&) const = default;
};

}  // namespace stallcast::desktop
