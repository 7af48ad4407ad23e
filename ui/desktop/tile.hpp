#pragma once

#include <QWidget>
#include <vector>

#include "ui/desktop/card.hpp"
#include "ui/desktop/workspace.hpp"

class QGridLayout;
class QLabel;

namespace stallcast::desktop {

/// One figure: its value, what it may turn out to be, how it stands to each pinned design, and what
/// is expected of it.
class Tile : public Card {
 public:
  Tile(QString metric, const QString& title, QWidget* parent);

  [[nodiscard]] const QString& metric() const { return metric_; }
  void refresh(const Workspace& workspace);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void enlarge_value();

  QString metric_, title_;
  QLabel *value_, *range_, *kind_, *notes_;
};

/// Tiles in as many columns as fit. It needs no more width than one tile, whatever is in it
/// now: a window never grows for columns that were of other letters.
class TileGrid : public QWidget {
 public:
  explicit TileGrid(QWidget* parent);
  /// The tiles from now on, which are its own; those before are deleted.
  void set(std::vector<Tile*> tiles);
  [[nodiscard]] const std::vector<Tile*>& tiles() const { return tiles_; }
  /// After other figures or letters.
  void place();
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  [[nodiscard]] int widest() const;

  QGridLayout* grid_;
  std::vector<Tile*> tiles_;
  int columns_ = 0;
};

}  // namespace stallcast::desktop
