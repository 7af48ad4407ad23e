#pragma once

#include <QStringList>
#include <QWidget>
#include <optional>
#include <vector>

#include "stallcast/client.hpp"
#include "stallcast/diff.hpp"
#include "stallcast/side_by_side.hpp"

class QLabel;
class QListWidget;
class QPushButton;

namespace stallcast::desktop {

class OnEntry;
class OutcomeChart;
class RowsModel;
class Workspace;

/// Architectures side by side for one job, as `stallcast compare` shows them: the design on screen,
/// its variants, pinned designs, and scenario files.
class SidePane : public QWidget {
  Q_OBJECT
 public:
  SidePane(Workspace& workspace, QWidget* parent);

  /// Offers what there is to compare now; what is chosen stays chosen.
  void refresh();
  /// Adds scenario files to choose from, chosen. Those that are there already are not doubled.
  void add(const QStringList& files);
  /// Simulates those that are chosen. False when that are fewer than two, or one has errors.
  bool compare();
  /// What was found; nullopt before, and while it is on its way.
  [[nodiscard]] const std::optional<SideBySide>& found() const { return found_; }
  /// The comparison as a report has it; "" before there is one.
  [[nodiscard]] QString markdown() const;

 signals:
  /// A file of the list is to become the design on screen.
  void file_chosen(const QString& file);

 protected:
  void showEvent(QShowEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  /// Where a design of the list comes from.
  enum class Origin { screen, variant, pin, file };
  struct Offer {
    Origin origin = Origin::screen;
    QString name;
  };
  [[nodiscard]] QWidget* list_side(QWidget* parent);
  [[nodiscard]] QWidget* result_side(QWidget* parent);
  [[nodiscard]] std::vector<Offer> offers() const;
  /// Its scenario; nullopt, and why, when its text has errors.
  [[nodiscard]] std::optional<client::DiffInput> read(const Offer& offer, QString& why_not) const;
  void choose_files();
  void open_current();
  void update_buttons();
  void take(Result<SideBySide> found);
  void show_found();

  Workspace& workspace_;
  QStringList files_;
  std::vector<Offer> offered_;  ///< one a row of `list_`
  std::optional<SideBySide> found_;
  QListWidget* list_;
  QPushButton *compare_, *open_, *copy_;
  QLabel* said_;
  RowsModel* rows_;
  OutcomeChart* chart_;
  OnEntry* entry_;
};

}  // namespace stallcast::desktop
