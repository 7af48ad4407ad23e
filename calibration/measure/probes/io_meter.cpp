#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "calibration/measure/probes/io_engine.hpp"
#include "calibration/measure/probes/processes.hpp"

namespace stallcast::calibration::probing {
std::uint64_t wanted_completions(unsigned depth) {
  return std::max<std::uint64_t>(200, 10ULL * depth);
}

Meter::Meter(const IoLoad& load, IoTally& tally)
    : load_(load), tally_(tally), start_s_(clock_s()) {}

void Meter::start() {
  const bool rests = load_.pause_s > 0.0;
  if (rests) std::this_thread::sleep_for(std::chrono::duration<double>(load_.pause_s));
  start_s_ = clock_s();
  if (!rests) return;
  counting_ = true;
  tally_.began_s = tally_.ended_s = start_s_;
  cpu_s_ = cpu_s(RUSAGE_SELF);
}

// The ramp ends when every request in flight at the start was replaced twice and a tenth of the
// time has passed.
void Meter::completed(double submitted_s, double now_s) {
  if (!counting_) {
    ++warm_;
    if (warm_ < 2ULL * load_.depth || now_s - start_s_ < 0.1 * load_.shortest_s) return;
    counting_ = true;
    tally_.began_s = tally_.ended_s = now_s;
    cpu_s_ = cpu_s(RUSAGE_SELF);
    return;
  }
  if (now_s <= tally_.began_s) return;  // came with the one that ended the ramp
  tally_.latencies.add(static_cast<std::uint64_t>(1e9 * std::max(0.0, now_s - submitted_s)));
  tally_.bytes += load_.size;
  tally_.ended_s = now_s;
  if (load_.pause_s > 0.0) mark(now_s - tally_.began_s);
  const auto second = static_cast<std::size_t>(now_s - tally_.began_s);
  if (second < IoTally::kSeconds) tally_.second[second] += static_cast<double>(load_.size);
}

// Each of the first, later ones 3 % apart: what passes at once is known that well.
void Meter::mark(double after_s) {
  constexpr double kApart = 1.03;
  const std::uint64_t n = tally_.latencies.count();
  if (tally_.marks == IoTally::kMarks) return;
  const std::uint64_t last = tally_.marks == 0 ? 0 : tally_.mark[tally_.marks - 1].requests;
  if (static_cast<double>(n) < kApart * static_cast<double>(last)) {
    // What comes after a wait is of interest, however few it are.
    const double waited = after_s - tally_.mark[tally_.marks - 1].after_s;
    if (waited < 0.1 * after_s) return;
  }
  tally_.mark[tally_.marks++] = {n, after_s};
}

bool Meter::done(double now_s) const {
  if (load_.pause_s > 0.0) return now_s - start_s_ >= load_.longest_s;
  if (now_s - start_s_ >= load_.longest_s) return true;
  return counting_ && now_s - tally_.began_s >= load_.shortest_s &&
         tally_.latencies.count() >= wanted_completions(load_.depth);
}

void Meter::finish() {
  if (counting_) tally_.cpu_s = cpu_s(RUSAGE_SELF) - cpu_s_;
}

Failure io_failure(bool reading, std::uint64_t offset, std::int64_t result) {
  const std::string what = std::string(reading ? "read" : "write") + " at byte " +
                           std::to_string(offset) + " of the probe's file";
  if (result < 0) return system_failure(what, static_cast<int>(-result));
  return {ExitCode::bad_input,
          "cannot " + what + ": it ended after " + std::to_string(result) + " bytes", ""};
}

Walk::Walk(const IoLoad& load, std::uint64_t stream)
    : state_(load.seed * 0x9E3779B97F4A7C15ULL + stream + 1),
      blocks_(std::max<std::uint64_t>(1, load.span / load.size)),
      size_(load.size),
      read_share_(load.read_share),
      random_(load.random) {
  at_ = next() % blocks_;
}

std::uint64_t Walk::next() {  // xorshift64* (Vigna, 2016)
  state_ ^= state_ >> 12U;
  state_ ^= state_ << 25U;
  state_ ^= state_ >> 27U;
  return (state_ * 0x2545F4914F6CDD1DULL) >> 11U;
}

std::uint64_t Walk::offset() {
  at_ = random_ ? next() % blocks_ : (at_ + 1) % blocks_;
  return at_ * size_;
}

bool Walk::reading() {
  if (read_share_ >= 1.0 || read_share_ <= 0.0) return read_share_ >= 1.0;
  return static_cast<double>(next() % 1'000'000) < 1e6 * read_share_;
}

}  // namespace stallcast::calibration::probing
