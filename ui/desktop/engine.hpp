#pragma once

#include <QObject>
#include <QThread>
#include <atomic>
#include <functional>
#include <memory>

#include "stallcast/client.hpp"

namespace stallcast::desktop {

/// A thread with a session of its own: simulates while the window stays alive. Work is done in the
/// order it was given; what a newer piece of work makes useless is dropped or ended early.
class Engine : public QObject {
  Q_OBJECT
 public:
  /// What is done in the thread; what it returns runs in the thread of this object, unless the work
  /// was dropped meanwhile. `progress` is for Question::on_progress.
  using Then = std::function<void()>;
  using Progress = std::function<void(double)>;
  using Work = std::function<Then(client::Session&, const Progress&)>;

  explicit Engine(const client::Settings& settings, QObject* parent = nullptr);
  ~Engine() override;

  /// Ends what is under way, forgets what waits, and does this.
  void start(Work work);
  /// Ends what is under way and forgets what waits.
  void cancel();
  [[nodiscard]] bool busy() const { return busy_; }

 signals:
  void busy_changed(bool busy);
  /// Fraction done, 0..1.
  void progressed(double fraction);

 private:
  struct Thread;
  void finished(std::uint64_t ticket, const Then& then);

  std::unique_ptr<Thread> thread_;
  bool busy_ = false;
  std::atomic<std::uint64_t> ticket_ = 0;  // of the newest work
};

}  // namespace stallcast::desktop
