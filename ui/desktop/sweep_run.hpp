#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/sweep.hpp"
#include "ui/app/sweep_file.hpp"
#include "ui/desktop/range_model.hpp"

namespace stallcast::desktop {

/// What `stallcast sweep --vary` says of these ranges, one an input.
[[nodiscard]] std::vector<std::string> vary_options(const std::vector<InputRange>& inputs);
/// How many points the product of these ranges has.
[[nodiscard]] std::size_t points_of(const std::vector<InputRange>& inputs);

/// The text on screen with the values of `row`; nullopt, and why, when it has no place for one.
[[nodiscard]] std::optional<QString> text_of(const Workspace& workspace, const SweepReport& sweep,
                                             const SweepRow& row, QString& why_not);

/// A sweep of the design on screen, in the background: its results come while it runs, and what is
/// missing when it was cancelled is simulated by resuming it. In a file that `stallcast sweep`
/// reads too, or in memory.
class SweepRun : public QObject {
  Q_OBJECT
 public:
  static constexpr std::size_t kMostPoints = 4096;

  SweepRun(Workspace& workspace, QObject* parent);
  ~SweepRun() override;

  /// All points of `inputs` into `file` ("": memory). The same sweep again is taken up where it
  /// was.
  /// Each with so many draws of its inputs.
  void start(const std::vector<InputRange>& inputs, const QString& file, std::size_t draws);
  /// The sweep in a file, as far as it is; simulates nothing.
  void open(const QString& file);
  /// What is missing of the sweep that is shown.
  void resume();
  /// Ends and forgets a sweep in memory, as it is of another scenario from now on.
  void forget();

  [[nodiscard]] bool running() const { return running_; }
  /// Of the sweep that is shown; empty before there is one.
  [[nodiscard]] const SweepReport& report() const { return report_; }
  [[nodiscard]] QString file() const { return file_; }

 signals:
  /// More results, or another sweep.
  void changed();
  /// It ended, or could not begin: "" or the reason.
  void ended(const QString& why);

 private:
  /// What the two threads share.
  struct Shared;
  void run(std::shared_ptr<Shared> shared);
  void take(const Shared* of, SweepReport report);
  void end(std::uint64_t number, const QString& why);

  Workspace& workspace_;
  std::shared_ptr<Shared> shared_;
  SweepReport report_;
  QString file_;
  std::uint64_t number_ = 0;  // of the newest run
  bool running_ = false;
};

}  // namespace stallcast::desktop
