#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>
#include <vector>

#include "ui/desktop/project_file.hpp"

namespace stallcast::desktop {

class Workspace;

/// What is left of a session that did not end well.
struct Recovered {
  QString path;     ///< of the recovery file
  Project project;  ///< without `scenario` when it was never saved
};

/// Writes unsaved changes, sliders and pins to a file of its own shortly after each change, so that
/// a crash loses nothing; removes it when the session ends well.
class SessionFile : public QObject {
  Q_OBJECT
 public:
  static constexpr int kDelayMs = 1000;

  /// In `folder`, which is made; "" = nothing is written.
  SessionFile(Workspace& workspace, const QString& folder, QObject* parent = nullptr);
  ~SessionFile() override;

  /// At once, for tests.
  void write_now();
  /// Sessions in the folder whose process is gone.
  [[nodiscard]] std::vector<Recovered> lost() const;
  /// Opens what was lost, with its sliders and pins, and forgets its file. False with a reason when
  /// its scenario cannot be read.
  bool recover(const Recovered& recovered, QString& why_not);
  static void forget(const Recovered& recovered);

 private:
  [[nodiscard]] QString own_path() const;

  Workspace& workspace_;
  QString folder_;
  QTimer timer_;
};

}  // namespace stallcast::desktop
