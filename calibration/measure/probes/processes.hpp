#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <type_traits>

#include "stallcast/result.hpp"

/// Work in forked processes: what a probe measures runs there, so that neither a crash nor a hung
/// device takes the probe with it, and every run starts with a fresh address space.
namespace stallcast::calibration::probing {

/// `count` zeroed objects that forked processes share with this one.
template <class T>
class Shared {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Shared(std::size_t count = 1) : bytes_(count * sizeof(T)) {
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    first_ = static_cast<T*>(at);
  }
  ~Shared() { munmap(first_, bytes_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T& operator[](std::size_t i) const { return first_[i]; }
  T* operator->() const { return first_; }
  T& operator*() const { return *first_; }

 private:
  T* first_ = nullptr;
  std::size_t bytes_;
};

/// What the waiting process does meanwhile.
struct Watch {
  std::function<bool()> interrupted;  ///< true ends the work
  std::function<void()> tick;         ///< called about 20 times a second; may be empty
  /// Work that uses no core time for so long waits for a device that has hung. One that waits for a
  /// core gets a little now and then.
  double limit_s = 600.0;
  double longest_s = std::numeric_limits<double>::infinity();  ///< whatever it does
};

/// What went wrong in a process, if anything.
using Work = std::function<std::optional<Failure>(std::size_t)>;

/// Runs work(0) ... work(count - 1), each in a process of its own that dies with this one, and
/// waits for all. The first failure ends the others: a failure of the work, `inconclusive` when
/// interrupted or over the limit, `internal` when a process crashed. No process is left.
[[nodiscard]] std::optional<Failure> in_processes(std::size_t count, const Work& work,
                                                  const Watch& watch);

/// What a clock of the system shows, in seconds.
[[nodiscard]] double seconds_of(clockid_t clock);
/// CLOCK_MONOTONIC, which all processes share, in seconds.
[[nodiscard]] inline double clock_s() { return seconds_of(CLOCK_MONOTONIC); }
/// Core time of the calling thread, in seconds.
[[nodiscard]] inline double thread_cpu_s() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
/// Core time of `who` as getrusage has it (RUSAGE_SELF, RUSAGE_CHILDREN), in seconds.
[[nodiscard]] double cpu_s(int who);

/// Puts `text` into shared memory, cut to what fits.
template <std::size_t N>
void keep(std::array<char, N>& into, const std::string& text) {
  const std::size_t n = std::min(text.size(), N - 1);
  std::copy_n(text.begin(), n, into.begin());
  into[n] = '\0';
}

/// "cannot WHAT: the system's reason" as a failure with exit bad_input.
[[nodiscard]] Failure system_failure(const std::string& what, int error, std::string hint = {});

}  // namespace stallcast::calibration::probing
