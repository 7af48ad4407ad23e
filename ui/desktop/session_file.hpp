#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>
#include <vector>

namespace stallcast::desktop {

class Workspace;

/// What is left of a session that did not end well.
struct Recovered {
  QString path;  ///< of the recovery file
  QString file;  ///< of the scenario; "" when it was never saved
  QString text;
};

/// Writes unsaved changes to a file of its own shortly after each, so that a crash loses nothing;
/// removes it when the session ends well.
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
  static void forget(const Recovered& recovered);

 private:
  [[nodiscard]] QString own_path() const;

  Workspace& workspace_;
  QString folder_;
  QTimer timer_;
};

}  // namespace stallcast::desktop
