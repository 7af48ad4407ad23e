#pragma once

#include <QJsonArray>
#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>

namespace stallcast::desktop {

class MainWindow;
class Screen;

/// Drives the window from a file of steps, without a hand: for tests and for the pictures of the
/// documentation. docs/guide/explorer.md lists the steps.
class Script : public QObject {
  Q_OBJECT
 public:
  /// Screenshots go to `folder`. nullptr and a reason when the file cannot be read.
  [[nodiscard]] static Script* load(MainWindow& window, const QString& file, const QString& folder,
                                    QString& why_not);

  /// Does the steps from the event loop and ends with finished().
  void start();

 signals:
  /// "" when all steps were done, else which was not, and why.
  void finished(const QString& fault);

 private:
  Script(MainWindow& window, QJsonArray steps, QString folder);
  void step();
  /// "" when it was done.
  [[nodiscard]] QString perform(const QJsonObject& step);
  [[nodiscard]] QString screenshot(const QString& name);
  [[nodiscard]] bool settled() const;
  /// Why the file that a step asked for was not written; nullopt while it is on its way.
  [[nodiscard]] std::optional<QString> fault_of_file();

  MainWindow& window_;
  QJsonArray steps_;
  const Screen* writer_ = nullptr;  // of a file that was asked for
  QString folder_;
  int at_ = 0;
  int level_ = 0;  // how many event loops are running where the steps began
  QTimer again_;
  qint64 waited_ms_ = 0;
};

}  // namespace stallcast::desktop
