#include "ui/desktop/engine.hpp"

#include <QMetaObject>
#include <optional>
#include <utility>

namespace stallcast::desktop {

/// The session lives and dies in the thread; `host` is the object whose events run there.
struct Engine::Thread {
  QThread thread;
  QObject host;
  std::optional<client::Session> session;
  std::atomic<client::Session*> running = nullptr;  // set while the session may be cancelled
};

Engine::Engine(const client::Settings& settings, QObject* parent)
    : QObject(parent), thread_(std::make_unique<Thread>()) {
  thread_->host.moveToThread(&thread_->thread);
  thread_->thread.start();
  QMetaObject::invokeMethod(&thread_->host, [this, settings] {
    thread_->session.emplace(settings);
    thread_->running = &*thread_->session;
    thread_->session->warm_up();
  });
}

Engine::~Engine() {
  cancel();
  // The host's last event; then the thread has nothing to do.
  QMetaObject::invokeMethod(
      &thread_->host,
      [this] {
        thread_->running = nullptr;
        thread_->session.reset();
      },
      Qt::BlockingQueuedConnection);
  thread_->thread.quit();
  thread_->thread.wait();
}

void Engine::start(Work work) {
  cancel();
  const std::uint64_t ticket = ticket_;
  busy_ = true;
  emit busy_changed(true);
  QMetaObject::invokeMethod(&thread_->host, [this, ticket, work = std::move(work)] {
    Then then;
    if (ticket_ == ticket) {
      const Progress progress = [this, ticket](double fraction) {
        // A cancel between the check above and the call would be lost otherwise.
        if (ticket_ != ticket)
          thread_->session->cancel();
        else
          emit progressed(fraction);
      };
      then = work(*thread_->session, progress);
    }
    QMetaObject::invokeMethod(this, [this, ticket, then] { finished(ticket, then); });
  });
}

void Engine::cancel() {
  ++ticket_;
  if (client::Session* session = thread_->running; session != nullptr) session->cancel();
  if (!busy_) return;
  busy_ = false;
  emit busy_changed(false);
}

void Engine::finished(std::uint64_t ticket, const Then& then) {
  if (ticket != ticket_) return;
  busy_ = false;
  emit busy_changed(false);
  if (then) then();
}

}  // namespace stallcast::desktop
