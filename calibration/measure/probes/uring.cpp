#include <liburing.h>
#include <sys/uio.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "calibration/measure/probes/buffers.hpp"
#include "calibration/measure/probes/io_engine.hpp"
#include "calibration/measure/probes/processes.hpp"

/// Requests by io_uring: one thread keeps `depth` of them in flight.
namespace stallcast::calibration::probing {
namespace {

class Ring {
 public:
  explicit Ring(unsigned depth) : error_(-io_uring_queue_init(depth, &ring_, 0)) {}
  ~Ring() {
    if (error_ == 0) io_uring_queue_exit(&ring_);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  [[nodiscard]] int error() const { return error_; }
  io_uring* get() { return &ring_; }

 private:
  io_uring ring_{};
  int error_;
};

struct Slot {
  std::byte* buffer = nullptr;
  double submitted_s = 0.0;
  std::uint64_t offset = 0;
  bool reading = true;
};

class Run {
 public:
  Run(int fd, const IoLoad& load, IoTally& tally)
      : fd_(fd),
        load_(load),
        tally_(tally),
        ring_(load.depth),
        buffers_(load.size * load.depth, load.pages),
        walk_(load),
        meter_(load, tally),
        slots_(load.depth) {}

  std::optional<Failure> run() {
    if (ring_.error() != 0) return system_failure("set up io_uring", ring_.error());
    prepare();
    meter_.start();
    for (Slot& slot : slots_) submit(slot);
    while (in_flight_ > 0) {
      const int submitted = io_uring_submit_and_wait(ring_.get(), 1);
      if (submitted < 0 && submitted != -EINTR)
        return system_failure("submit requests", -submitted);
      if (auto failure = reap()) return failure;
    }
    return std::nullopt;
  }

 private:
  // Registering saves the kernel a look-up per request; where it is refused (RLIMIT_MEMLOCK), plain
  // requests do.
  void prepare() {
    if (!load_.zeros) fill_random({buffers_.data(), buffers_.size()}, load_.seed);
    buffers_.kind().copy(tally_.buffers.data(), tally_.buffers.size() - 1);
    iovec all{buffers_.data(), buffers_.size()};
    tally_.registered_buffers = io_uring_register_buffers(ring_.get(), &all, 1) == 0;
    tally_.registered_files = io_uring_register_files(ring_.get(), &fd_, 1) == 0;
    for (std::size_t i = 0; i < slots_.size(); ++i)
      slots_[i].buffer = buffers_.data() + i * load_.size;
  }

  void submit(Slot& slot) {
    io_uring_sqe* sqe = io_uring_get_sqe(ring_.get());  // there are as many as slots
    slot.offset = walk_.offset();
    slot.reading = walk_.reading();
    const auto size = static_cast<unsigned>(load_.size);
    const int fd = tally_.registered_files ? 0 : fd_;
    if (slot.reading && tally_.registered_buffers)
      io_uring_prep_read_fixed(sqe, fd, slot.buffer, size, slot.offset, 0);
    else if (slot.reading)
      io_uring_prep_read(sqe, fd, slot.buffer, size, slot.offset);
    else if (tally_.registered_buffers)
      io_uring_prep_write_fixed(sqe, fd, slot.buffer, size, slot.offset, 0);
    else
      io_uring_prep_write(sqe, fd, slot.buffer, size, slot.offset);
    if (!slot.reading && !load_.zeros)
      stamp({slot.buffer, load_.size}, (load_.seed << 32U) + ++serial_);
    if (tally_.registered_files) sqe->flags |= IOSQE_FIXED_FILE;
    io_uring_sqe_set_data(sqe, &slot);
    slot.submitted_s = clock_s();
    ++in_flight_;
  }

  std::optional<Failure> reap() {
    const double now = clock_s();
    if (!ending_ && meter_.done(now)) {
      ending_ = true;
      meter_.finish();
    }
    io_uring_cqe* cqe = nullptr;
    while (io_uring_peek_cqe(ring_.get(), &cqe) == 0) {
      Slot& slot = *static_cast<Slot*>(io_uring_cqe_get_data(cqe));
      const std::int64_t result = cqe->res;
      io_uring_cqe_seen(ring_.get(), cqe);
      --in_flight_;
      if (result != static_cast<std::int64_t>(load_.size))
        return io_failure(slot.reading, slot.offset, result);
      if (ending_) continue;
      meter_.completed(slot.submitted_s, now);
      submit(slot);
    }
    return std::nullopt;
  }

  int fd_;
  const IoLoad& load_;
  IoTally& tally_;
  Ring ring_;
  Buffers buffers_;
  Walk walk_;
  Meter meter_;
  std::vector<Slot> slots_;
  std::uint64_t serial_ = 0;
  unsigned in_flight_ = 0;
  bool ending_ = false;
};

}  // namespace

std::optional<Failure> run_uring(int fd, const IoLoad& load, IoTally& tally) {
  return Run(fd, load, tally).run();
}

std::string uring_refusal() {
  if (const char* wish = std::getenv("STALLCAST_PROBE_IO_URING");
      wish != nullptr && std::string(wish) == "off")
    return "io_uring is switched off by STALLCAST_PROBE_IO_URING";
  const Ring ring(2);
  if (ring.error() == 0) return "";
  std::string why =
      "io_uring is refused here (" + std::generic_category().message(ring.error()) + ")";
  std::ifstream in("/proc/sys/kernel/io_uring_disabled");
  int disabled = 0;
  if (in >> disabled && disabled > 0)
    why += ", kernel.io_uring_disabled is " + std::to_string(disabled);
  else
    why += ", by a seccomp filter or an old kernel";
  return why;
}

}  // namespace stallcast::calibration::probing
