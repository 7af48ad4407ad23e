#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <tuple>
#include <vector>

/// What can be wrong with how a screen is put together, found by computation.
namespace stallcast::desktop::structure {

/// One thing that is wrong: which check found it, and where.
struct Finding {
  QString check;  ///< "cut", "overlap", "name", "order"
  QString what;
  bool operator<(const Finding& other) const {
    return std::tie(check, what) < std::tie(other.check, other.what);
  }
};

/// Texts of labels, buttons, tabs, headers, cells and fields that have no room, and that no tooltip
/// says in full.
[[nodiscard]] std::vector<Finding> cut_texts(const QWidget& root);
/// Visible neighbours that lie on each other, or beyond what holds them.
[[nodiscard]] std::vector<Finding> overlaps(const QWidget& root);
/// Widgets that take the focus and have neither a name nor a text for screen readers.
[[nodiscard]] std::vector<Finding> nameless(const QWidget& root);
/// Where the Tab key goes up or to the left. REQUIRES: `root` is in the active window.
[[nodiscard]] std::vector<Finding> out_of_order(QWidget& root);
/// Whether `widget` is a part of a larger one that Qt makes and names itself, or that never takes
/// the focus alone.
[[nodiscard]] bool is_inner_part(const QWidget& widget);

/// Contrast of two colours: 1 to 21. Source: WCAG 2.1, "contrast ratio".
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

}  // namespace stallcast::desktop::structure
