#include "calibration/observe/replay/step_sorter.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <queue>
#include <tuple>

namespace stallcast::calibration {
namespace {

/// Operations of a run that are read at a time.
constexpr std::size_t kPiece = 2048;

bool comes_first(const KeptOperation& a, const KeptOperation& b) {
  return std::tie(a.thread, a.start, a.turn, a.number) <
         std::tie(b.thread, b.start, b.turn, b.number);
}

/// A file that is gone when it is closed.
std::FILE* scratch_file(const std::string& folder) {
  std::string name = folder + "/stallcast-replay-XXXXXX";
  const int handle = ::mkstemp(name.data());
  if (handle < 0) return nullptr;
  (void)::unlink(name.c_str());
  std::FILE* file = ::fdopen(handle, "w+b");
  if (file == nullptr) (void)::close(handle);
  return file;
}

/// One sorted file.
struct Run {
  std::FILE* file = nullptr;
  std::vector<KeptOperation> piece;
  std::size_t at = 0;

  /// False at its end.
  bool next() {
    if (++at < piece.size()) return true;
    piece.resize(kPiece);
    piece.resize(std::fread(piece.data(), sizeof(KeptOperation), kPiece, file));
    at = 0;
    return !piece.empty();
  }
};

}  // namespace

bool StepSorter::add(const KeptOperation& operation) {
  kept_.push_back(operation);
  kept_.back().number = number_++;
  return kept_.size() < most_ || spill();
}

void StepSorter::sort() { std::sort(kept_.begin(), kept_.end(), comes_first); }

bool StepSorter::spill() {
  sort();
  std::unique_ptr<std::FILE, Close> file(scratch_file(folder_));
  if (!file) return false;
  if (std::fwrite(kept_.data(), sizeof(KeptOperation), kept_.size(), file.get()) != kept_.size() ||
      std::fflush(file.get()) != 0)
    return false;
  std::rewind(file.get());
  runs_.push_back(std::move(file));
  kept_.clear();
  return true;
}

bool StepSorter::drain(const std::function<bool(const KeptOperation&)>& each) {
  if (runs_.empty()) {
    sort();
    return std::all_of(kept_.begin(), kept_.end(), each);
  }
  if (!kept_.empty() && !spill()) return false;
  kept_ = {};
  std::vector<Run> runs;
  for (const auto& file : runs_) runs.push_back({file.get(), {}, 0});
  const auto later = [&runs](std::size_t a, std::size_t b) {
    return comes_first(runs[b].piece[runs[b].at], runs[a].piece[runs[a].at]);
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> first(later);
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (runs[r].next()) first.push(r);
  std::uint64_t given = 0;
  while (!first.empty()) {
    const std::size_t run = first.top();
    first.pop();
    if (!each(runs[run].piece[runs[run].at])) return false;
    ++given;
    if (runs[run].next()) first.push(run);
  }
  return given == number_;
}

}  // namespace stallcast::calibration
