#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/measure/importers/without_nan.hpp"
#include "calibration/observe/formats/formats.hpp"
#include "calibration/observe/json_walk.hpp"
#include "engine/base/text.hpp"

// DLIO's output folder (statscounter.py). N_output.json has, by epoch and block, `load`: seconds
// that each step waited for its batch; `proc`: seconds until the rank has computed, waiting
// included (it counts from when loading began). Ranks then meet in a barrier, which is in `proc`
// in earlier versions and behind it since (main.py: batch_processed, barrier). per_epoch_stats.json
// has checkpoints, summary.json the run. Evaluation steps are left out: the blocks called "eval".
namespace stallcast::calibration::dlio_output {
namespace {

constexpr std::size_t kMostSteps = std::size_t{4} << 20U;  // of one epoch

bool is_count(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), base::is_digit);
}

/// Seconds since 1970 of "2023-04-04T16:33:42.959919", taken as UTC.
std::optional<double> date_of(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  double second = 0.0;
  if (std::sscanf(std::string(text).c_str(), "%d-%d-%dT%d:%d:%lf", &year, &month, &day, &hour,
                  &minute, &second) != 6)
    return std::nullopt;
  // Days from the civil date: Hinnant, chrono-compatible low-level date algorithms.
  const int y = month <= 2 ? year - 1 : year;
  const int era = (y >= 0 ? y : y - 399) / 400;
  const int of_era = y - era * 400;
  const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
  return days * 86400.0 + hour * 3600.0 + minute * 60.0 + second;
}

class DlioReader final : public JsonVisitor {
 public:
  DlioReader(TraceFile& file, std::int64_t rank, ObservationBuilder& builder)
      : file_(file), rank_(rank), builder_(builder) {}

  void enter(std::size_t) override {}
  void leave(std::size_t depth) override {
    if (depth == 1 && is_count(key(1))) epoch();
    if (depth != 2) return;
    if (saved_) builder_.save_time.add(Seconds::from(*saved_, unit::s));
    if (loaded_) builder_.load_time.add(Seconds::from(*loaded_, unit::s));
    saved_.reset();
    loaded_.reset();
  }
  void value(std::size_t depth, const JsonScalar& scalar) override {
    const bool number =
        scalar.kind == JsonScalar::Kind::integer || scalar.kind == JsonScalar::Kind::real;
    if (depth == 4 && number && is_count(key(1)) && key(3) != "eval")
      step(scalar.number);
    else if (depth == 3 && is_count(key(1)) && key(3) == "duration" && !key(2).starts_with("block"))
      checkpoint(scalar.kind == JsonScalar::Kind::text ? base::parse_number(scalar.text)
                 : number                              ? std::optional(scalar.number)
                                                       : std::nullopt);
    else if (depth == 1 || depth == 2)
      summary(depth, scalar, number);
    if (depth == 3 && is_count(key(1)) && key(2).starts_with("block")) file_.record();
  }

  void finish() {
    epoch();
    Observation& known = builder_.known;
    if (epochs_ > 0) {
      if (!known.steps) known.steps.emplace();
      known.steps->marked_by = "proc";
      known.steps->epochs = std::max<std::uint64_t>(known.steps->epochs.value_or(0), epochs_);
    }
    if (began_ && ended_ && *ended_ >= *began_) {
      known.began = Seconds::from(*began_, unit::s);
      known.wall = Seconds::from(*ended_ - *began_, unit::s);
    }
    builder_.begin(std::nullopt);
  }

 private:
  void step(double seconds) {
    if (!(seconds >= 0.0) || held_ >= kMostSteps) return;
    if (key(2) == "load" || key(2) == "proc") {
      epoch_ = key(1);
      (key(2) == "load" ? loads_ : steps_)[std::string(key(3))].push_back(seconds);
      ++held_;
      file_.record();
    }
  }

  /// "save_ckpt1" and "load_ckpt1", until 2024 "ckpt1".
  void checkpoint(std::optional<double> seconds) {
    if (seconds && !(*seconds >= 0.0)) return;
    if (key(2).starts_with("ckpt") || key(2).starts_with("save_ckpt")) saved_ = seconds;
    if (key(2).starts_with("load_ckpt")) loaded_ = seconds;
  }

  /// Steps of an epoch, in the order of its blocks: block1, block2, block10.
  void epoch() {
    std::vector<std::string> blocks;
    for (const auto& [block, list] : loads_) blocks.push_back(block);
    std::sort(blocks.begin(), blocks.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    bool first = true;
    for (const std::string& block : blocks) {
      const std::vector<double>& waits = loads_[block];
      const std::vector<double>& whole = steps_[block];
      for (std::size_t i = 0; i < std::min(waits.size(), whole.size()); ++i) {
        const double wait = std::min(waits[i], whole[i]);
        const Seconds ready = Seconds::from(whole[i], unit::s);
        if (!builder_.meetings.add(epoch_ + "/" + block, i, ready, Seconds::from(wait, unit::s))) {
          builder_.step.add(ready);
          builder_.note("steps beyond the bound of memory last as long as each rank says");
        }
        builder_.wait.add(Seconds::from(wait, unit::s));
        builder_.compute.add(Seconds::from(whole[i] - wait, unit::s));
        ++builder_.process(rank_).steps;
      }
      if (first && !waits.empty()) builder_.first_batch.add(Seconds::from(waits[0], unit::s));
      first = first && waits.empty();
    }
    if (held_ > 0) ++epochs_;
    held_ = 0;
    loads_.clear();
    steps_.clear();
  }

  void summary(std::size_t depth, const JsonScalar& scalar, bool number) {
    Observation& known = builder_.known;
    const auto host = [&]() -> ObservedHost& {
      return known.host ? *known.host : known.host.emplace();
    };
    constexpr std::array<std::string_view, 7> kKnown{"num_accelerators",
                                                     "num_hosts",
                                                     "host_memory_GB",
                                                     "host_cpu_count",
                                                     "start",
                                                     "end",
                                                     "metric"};
    const std::string_view name = key(1);
    const double value = scalar.number;
    if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) return;
    file_.record();
    if (depth == 1 && name == "num_accelerators" && number && value >= 0.0)
      known.ranks = static_cast<std::int64_t>(value);
    if (depth == 1 && name == "num_hosts" && number && value >= 0.0)
      host().hosts = static_cast<std::int64_t>(value);
    // A number of this host, or a list of all of them.
    if (name == "host_memory_GB" && number && value > 0.0)
      host().memory = Bytes::from(value, unit::GiB);
    if (name == "host_cpu_count" && number && value > 0.0)
      host().hardware_threads = static_cast<std::int64_t>(value);
    if (depth == 1 && name == "start") began_ = date_of(scalar.text);
    if (depth == 1 && name == "end") ended_ = date_of(scalar.text);
    if (depth == 2 && name == "metric" && number) {
      if (key(2) == "train_au_mean_percentage") {
        known.figures["au_ratio"] = std::min(value, 100.0) / 100.0;
        if (value > 100.0)
          builder_.note(file_.path() + ": an AU above 100 % is no share, and taken for 100 %");
      }
      if (key(2) == "train_throughput_mean_samples_per_second")
        known.figures["throughput_samples_per_s"] = value;
    }
  }

  TraceFile& file_;
  std::int64_t rank_;
  ObservationBuilder& builder_;
  std::map<std::string, std::vector<double>> loads_, steps_;
  std::string epoch_;  ///< of these
  std::size_t held_ = 0;
  std::uint64_t epochs_ = 0;
  std::optional<double> saved_, loaded_, began_, ended_;
};

}  // namespace

bool recognises(std::string_view head) {
  const std::size_t brace = head.find_first_not_of(" \t\r\n");
  if (brace == head.npos || head[brace] != '{') return false;
  return head.find("\"load\"") != head.npos && head.find("\"block1\"") != head.npos;
}

void read(TraceFile& file, std::int64_t index, ObservationBuilder& builder) {
  // "3_output.json" is of rank 3.
  const std::string name = std::filesystem::path(file.path()).filename().string();
  if (name == "config.yaml") return read_config(file, builder);
  const std::size_t stop = name.find("_output.json");
  std::int64_t rank = index;
  if (stop != name.npos && is_count(name.substr(0, stop)))
    std::from_chars(name.data(), name.data() + stop, rank);
  DlioReader reader(file, rank, builder);
  WithoutNan content(file.bytes());
  walk_json(file, content, reader);
  reader.finish();
}

}  // namespace stallcast::calibration::dlio_output
