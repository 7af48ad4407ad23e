#include "calibration/measure/importers/fio_job.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "calibration/measure/importers/tool_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::fio {
namespace {

/// [fio HOWTO, I/O engine]
constexpr std::array<std::string_view, 14> kSync{
    "psync",     "sync",    "pvsync",  "pvsync2", "vsync",     "mmap",       "splice",
    "ftruncate", "libpmem", "dev-dax", "http",    "ime_psync", "ime_psyncv", "libcufile"};
/// Engines that move nothing, or over a network; and paths that are memory or nothing.
constexpr std::array kNoStorage{"null", "cpuio", "net", "netsplice", "rdma"};
constexpr std::array<std::string_view, 4> kNoDevices{"/dev/shm", "/dev/null", "/dev/zero",
                                                     "/dev/full"};
/// Engines that act on files and move no data, one file an operation. [fio HOWTO, I/O engine]
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOfFiles{
    {{"filecreate", "create"},
     {"filestat", "stat"},
     {"filedelete", "unlink"},
     {"dircreate", "mkdir"},
     {"dirstat", "stat-directory"},
     {"dirdelete", "rmdir"}}};
constexpr std::array kPacing{"rate", "rate_iops", "rate_process", "thinktime", "latency_target"};
/// What an entry may tell of: each direction, or all of them together.
constexpr std::array kSides{"read", "write", "trim", "mixed"};
/// Groups that ran longer together than fio did, beyond rounding.
constexpr double kRounding = 1.01;

bool truth(const std::string& text) { return text == "1" || text == "true" || text.empty(); }

double runtime_of(const ToolNode& entry) {
  double out = 0.0;
  for (const char* side : kSides)
    out = std::max(out, entry.at(side).number("runtime").value_or(0.0));
  return out;
}

double longest_of(const std::vector<Job>& entries) {
  double out = 0.0;
  for (const Job& entry : entries) out = std::max(out, runtime_of(entry.node));
  return out;
}

double done(const ToolNode& entry) {
  double out = 0.0;
  for (const char* side : kSides) out += entry.at(side).number("total_ios").value_or(0.0);
  return out;
}

}  // namespace

std::string option(const Options& options, std::initializer_list<const char*> names,
                   const char* otherwise) {
  for (const char* name : names)
    if (const auto it = options.find(name); it != options.end()) return it->second;
  return otherwise;
}

double number_option(const Options& options, const char* name, double otherwise) {
  const auto it = options.find(name);
  if (it == options.end()) return otherwise;
  const auto number = tool_size(it->second);  // integers of fio have prefixes as sizes do
  return number ? number->in(unit::B) : otherwise;
}

bool is_set(const Options& options, std::initializer_list<const char*> names) {
  return truth(option(options, names, "0"));
}

std::string engine_of(const Options& options) { return option(options, {"ioengine"}, "psync"); }

bool is_synchronous(const std::string& engine) {
  return std::find(kSync.begin(), kSync.end(), engine) != kSync.end() ||
         !file_operation(engine).empty();
}

std::string file_operation(const std::string& engine) {
  for (const auto& [name, operation] : kOfFiles)
    if (engine == name) return std::string(operation);
  return "";
}

bool is_without_storage(const Options& options) {
  const std::string engine = engine_of(options);
  if (std::find(kNoStorage.begin(), kNoStorage.end(), engine) != kNoStorage.end()) return true;
  const std::string path = option(options, {"filename", "directory"}, "");
  return std::any_of(kNoDevices.begin(), kNoDevices.end(), [&](std::string_view none) {
    return path == none || path.starts_with(std::string(none) + "/");
  });
}

bool is_paced(const Options& options) {
  // "0" and "0,0" are no pace.
  return std::any_of(kPacing.begin(), kPacing.end(), [&](const char* name) {
    return option(options, {name}, "0").find_first_not_of("0., ") != std::string::npos;
  });
}

/// "4k", "4k,8k" (read,write). With kb_base=1000 k is 1000 and ki 1024; by default it is the other
/// way round.                                                          [fio HOWTO, blocksize]
std::optional<Bytes> block_size(const Options& options, std::size_t direction) {
  if (options.count("bsrange") + options.count("bssplit") + options.count("blocksize_range") > 0)
    return std::nullopt;
  const std::vector<std::string> sizes =
      base::split(option(options, {"bs", "blocksize"}, "4k"), ',');
  std::string text = lower_case(sizes[std::min(direction, sizes.size() - 1)]);
  if (option(options, {"kb_base"}, "1024") == "1000" && !contains(text, "i")) {
    constexpr std::string_view kPrefixes = "kmgtp";
    const std::size_t at = text.find_first_of(kPrefixes);
    const auto number = tool_number(text.substr(0, std::min(at, text.size())));
    if (!number) return std::nullopt;
    const double power =
        at == std::string::npos ? 0.0 : 1.0 + static_cast<double>(kPrefixes.find(text[at]));
    return Bytes::from(*number * std::pow(1000.0, power), unit::B);
  }
  return tool_size(text);
}

std::string kind_of(const Options& options) { return option(options, {"rw", "readwrite"}, "read"); }

std::string pattern_of(const Options& options) {
  return kind_of(options).starts_with("rand") ? "random" : "sequential";
}

bool reads_and_writes(const Options& options) {
  const std::string rw = kind_of(options);
  return rw.starts_with("rw") || rw.starts_with("readwrite") || rw.starts_with("randrw");
}

double share_of_reads(const Options& options) {
  if (!reads_and_writes(options)) return contains(kind_of(options), "read") ? 1.0 : 0.0;
  const double writes = number_option(options, "rwmixwrite", 50.0);
  return std::clamp(0.01 * number_option(options, "rwmixread", 100.0 - writes), 0.0, 1.0);
}

double unevenness(const std::vector<Job>& entries) {
  double least = HUGE_VAL;
  for (const Job& entry : entries)
    if (const double ms = runtime_of(entry.node); ms > 0.0) least = std::min(least, ms);
  return longest_of(entries) / least;
}

bool reads_back(const Options& options) {
  const std::string how = option(options, {"verify"}, "0");
  return how != "0" && how != "none" && option(options, {"do_verify"}, "1") != "0";
}

double asked_of(const Job& job) { return number_option(job.options, "numjobs", 1.0); }

// Jobs of a group run side by side. The next group waits for it where it began with `stonewall`,
// and runs beside it where with `new_group`. fio leaves out options that are given without a value,
// so that groups also ran side by side where together they took longer than fio did.
std::vector<bool> alone(const std::vector<std::vector<Job>>& jobs) {
  std::map<double, double> batch_of;  // by group: the first of those at its time
  std::map<double, int> in_batch;
  std::map<double, double> longest;
  double batch = 0.0, elapsed = 0.0, together = 0.0;
  for (const std::vector<Job>& job : jobs) {
    const Options& o = job.front().options;
    const double group = job.front().group;
    if (batch_of.count(group) == 0) {
      const bool beside = !batch_of.empty() && is_set(o, {"new_group"}) &&
                          !is_set(o, {"stonewall", "wait_for_previous"});
      if (!beside) batch = group;
      batch_of[group] = batch;
    }
    ++in_batch[batch_of[group]];
    double& most = longest[batch_of[group]];
    most = std::max(most, longest_of(job));
    elapsed = std::max(elapsed, job.front().node.number("elapsed").value_or(0.0));
  }
  for (const auto& [first, ms] : longest) together += ms / 1000.0;
  const bool side_by_side = elapsed > 0.0 && longest.size() > 1 && together > kRounding * elapsed;
  std::vector<bool> out;
  for (const std::vector<Job>& job : jobs)
    out.push_back(!side_by_side && in_batch[batch_of[job.front().group]] == 1);
  return out;
}

// The same jobs, none of which has done less, of a fio that began in the same second; where the
// earlier state is of that second, too, a job that began before it was printed.
bool goes_on(const ToolNode& earlier, const ToolNode& later) {
  const std::vector<ToolNode> before = earlier.list("jobs"), after = later.list("jobs");
  if (before.empty() || before.size() != after.size()) return false;
  double longest = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].text("jobname") != after[i].text("jobname") || done(after[i]) < done(before[i]))
      return false;
    longest = std::max(longest, after[i].number("job_runtime").value_or(0.0));
  }
  const auto printed = [](const ToolNode& root) {
    return root.number("timestamp_ms").value_or(0.0);
  };
  const auto began = [&](const ToolNode& root, const ToolNode& entry) {
    return printed(root) - 1000.0 * entry.number("elapsed").value_or(0.0);
  };
  if (printed(earlier) <= 0.0 || printed(later) <= printed(earlier)) return false;
  const double start = began(later, after.front());
  if (std::abs(start - began(earlier, before.front())) >= 1000.0) return false;
  return start + 1000.0 <= printed(earlier) || printed(later) - longest < printed(earlier);
}

}  // namespace stallcast::calibration::fio
