#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "calibration/measure/importers/fio_job.hpp"
#include "calibration/measure/importers/tool_json.hpp"
#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"
#include "engine/base/quantity_text.hpp"

/// fio 3.x, --output-format=json or json+.
/// - `bw` is KiB/s; `bw_bytes` is read. `clat` leaves out the submission; `lat` is read.
/// - One entry per process, all with the options of their job: those of one job become one record,
///   of all hosts where it ran on several (--client).
/// - With group_reporting the entry of a group has the name of its first job, the options of any.
/// - fio 2 tells `io_bytes` in KiB, and times as `lat` and `clat` in microseconds.
/// - With --status-interval the whole run is printed again and again.
namespace stallcast::calibration::fio {
namespace {

constexpr std::array kDirections{"read", "write", "trim"};
/// Of both directions together, where that is all that was asked for (unified_rw_reporting).
constexpr const char* kBoth = "mixed";
/// Of processes of one job that ran at one time: the longest over the shortest.
constexpr double kUneven = 1.25;

/// Was the entry merged from different jobs? Then its size is not the option's, it moves data in a
/// direction that the option does not have, or more processes ran than the option says.
bool merged(const Job& job, double processes) {
  if (job.options.empty()) return false;  // nobody says what was asked for
  const std::string rw = kind_of(job.options);
  const bool both = reads_and_writes(job.options);
  double longest = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    const ToolNode side = job.node.at(kDirections[i]);
    const double ops = side.number("total_ios").value_or(0.0);
    if (ops <= 0.0) continue;
    longest = std::max(longest, side.number("runtime").value_or(0.0));
    if (!both && !contains(rw, kDirections[i])) return true;
    const auto size = block_size(job.options, i);
    const double bytes = job.moved(side);
    if (size && bytes > 0.0 && std::abs(bytes / ops / size->in(unit::B)-1.0) > 0.05) return true;
  }
  const double total = job.node.number("job_runtime").value_or(0.0);
  return longest > 0.0 && total > (processes + 0.6) * longest;
}

/// 99.9 % is 0.999, not 0.9990000000000001.
constexpr int kShareDigits = 12;

void read_quantiles(const Job& job, const ToolNode& side, Measurement& m) {
  ToolNode from = job.times(side, "lat").at("percentile");
  if (!from) {
    from = job.times(side, "clat").at("percentile");
    if (from) m.options["quantiles"] = "of completion, without submission";
  }
  for (const auto& [key, value] : from.members()) {
    const auto percent = tool_number(key);
    const auto ticks = value.number();
    if (percent && ticks && *percent > 0.0 && *percent < 100.0)
      m.quantiles[base::rounded_to(*percent / 100.0, kShareDigits)] = job.tick() * *ticks;
  }
  for (const char* of : {"lat", "clat"}) job.times(side, of).pass("bins");
}

/// One direction of one entry; without options.
std::optional<Measurement> read_side(const Job& job, const char* name) {
  const ToolNode side = job.node.at(name);
  const double ops = side.number("total_ios").value_or(0.0);
  if (ops <= 0.0) return std::nullopt;
  Measurement m;
  m.operation = name;
  m.count = static_cast<std::uint64_t>(whole(ops));
  if (const auto rate = side.number("bw_bytes")) {
    m.rate = Rate::from(*rate, unit::Bps);
  } else if (const auto kib = side.number("bw")) {
    m.rate = Rate::from(*kib, unit::KiBps);
  }
  m.ops = OpRate::from(side.number("iops").value_or(0.0), unit::per_s);
  m.size = Bytes::from(job.moved(side) / ops, unit::B);
  if (const auto ms = side.number("runtime")) m.duration = Seconds::from(*ms, unit::ms);
  const auto mean = job.times(side, "lat").number("mean");
  if (mean && *mean > 0.0) m.latency = job.tick() * *mean;
  side.pass("bw");
  read_quantiles(job, side, m);
  m.origin = side.place();
  return m;
}

/// Adds another process of the same job.
void add(Measurement& to, const Measurement& m) {
  const auto weight = static_cast<double>(m.count);
  const double all = static_cast<double>(to.count) + weight;
  if (to.latency && m.latency) *to.latency += (*m.latency - *to.latency) * (weight / all);
  to.count += m.count;
  to.rate += m.rate;
  to.ops += m.ops;
  if (m.duration > to.duration) to.duration = m.duration;
  to.quantiles.clear();  // quantiles of two processes do not add up
  to.options.erase("quantiles");
}

/// Of an engine that creates, looks up or deletes files: `bs` and the bytes made of it say nothing.
void describe_files(Measurement& m, const std::string& operation) {
  m.subject = Subject::metadata;
  m.operation = operation;
  m.size = {};
  m.rate = {};
  if (operation.starts_with("stat")) flag(m, "cache-possible");
}

/// `processes` ran the job of `m`.
void describe(Measurement& m, const Job& job, double processes, std::size_t direction) {
  const Options& o = job.options;
  const std::string engine = engine_of(o);
  m.processes = whole(processes);
  const double depth = number_option(o, "iodepth", 1.0);
  m.depth = processes * (is_synchronous(engine) ? 1.0 : depth);
  if (is_without_storage(o)) flag(m, "no-storage");
  if (is_paced(o)) {
    flag(m, "rate-limited");
    m.depth = 0.0;
  }
  if (o.empty()) m.depth = 0.0;  // nobody says it
  for (const auto& [key, value] : o) m.options.emplace(key, value);
  m.options.emplace("ioengine", engine);
  if (const std::string operation = file_operation(engine); !operation.empty())
    return describe_files(m, operation);
  m.pattern = pattern_of(o);
  // The option's where it is what was moved: an operation at the end of a file may be short.
  if (const auto size = block_size(o, direction); size && std::abs(m.size / *size - 1.0) < 0.01)
    m.size = *size;
  m.direct = is_set(o, {"direct"}) || (o.count("buffered") != 0 && !is_set(o, {"buffered"}));
  m.options.emplace("mem", "malloc");  // fio's default: pages of 4 KiB
  if (*m.direct == false) flag(m, "cache-possible");
}

/// The io_uring engine makes rings of a power of two and fills them further than iodepth: with fio
/// 3.33, 6 asked for hold 7.9 operations, 12 hold 15.8. What was outstanding is taken from Little's
/// law then, n = X R over both directions; without latencies it is not known.
///                                                        [docs/reference/importers.md, fio]
void correct_depth(const Options& options, std::vector<Measurement>& sides) {
  if (!engine_of(options).starts_with("io_uring")) return;
  const std::int64_t asked = whole(number_option(options, "iodepth", 1.0));
  if ((asked & (asked - 1)) == 0) return;
  double held = 0.0;
  bool known = true;
  for (const Measurement& m : sides) {
    if (m.depth <= 0.0) return;
    known = known && m.latency;
    held += m.latency ? m.ops.in(unit::per_s)*m.latency->in(unit::s) : 0.0;
  }
  for (Measurement& m : sides) {
    m.depth = known ? std::max(1.0, std::round(held)) : 0.0;
    flag(m, "depth-rounded");
  }
}

/// Says that jobs were told as one, of which nothing can be known.
void tell_merged(const std::vector<Job>& entries) {
  const Job& job = entries.front();
  if (reads_back(job.options))
    return job.node.warn("merged-jobs",
                         "\"" + job.name + "\" reads back what it has written (verify)",
                         "its writes and reads are one job with figures of both: measure without "
                         "verify");
  if (unevenness(entries) > kUneven)
    return job.node.warn("merged-jobs",
                         "processes of \"" + job.name +
                             "\" stopped at different times: the longest "
                             "ran " +
                             base::print_quantity(unevenness(entries), Dimension::number) +
                             " times as long as the shortest",
                         "how many were in flight at one time is not known: run them for a time "
                         "(time_based, runtime)");
  job.node.warn("merged-jobs",
                "\"" + job.name + "\" is the sum of different jobs (group_reporting)",
                "depth and options of the jobs are lost: run them without group_reporting");
}

/// Of a job that tells its reads and writes as one: by its options, where both are of one size.
void tell_unified(const Options& options, Measurement& m) {
  if (contains(kind_of(options), "trim")) {
    m.operation = "trim";
    return;
  }
  m.read_share = share_of_reads(options);
  if (!reads_and_writes(options)) m.operation = m.read_share > 0.0 ? "read" : "write";
  if (m.is_mix() && block_size(options, 0) != block_size(options, 1)) flag(m, "merged-jobs");
}

/// Of a job that waits for the storage after its writes (fsync, fdatasync): the time of a write and
/// its flush is n / X. Latencies of fio are those of the writes alone.
void tell_synced(const Job& job, double syncs, std::vector<Measurement>& sides) {
  constexpr double kSome = 0.01;  // of the writes; one at the end of the job says nothing
  for (Measurement& m : sides) {
    if (m.operation != "write" || syncs < 2.0 || syncs < kSome * static_cast<double>(m.count))
      continue;
    if (m.latency) m.figures["write_alone_s"] = m.latency->in(unit::s);
    if (const auto mean = job.times(job.node.at("sync"), "lat").number("mean"))
      m.figures["sync_s"] = (job.tick() * *mean).in(unit::s);
    m.latency.reset();
    m.quantiles.clear();
    job.node.warn(
        "synced",
        "\"" + job.name + "\" flushes its writes (fsync): latencies of fio leave that out",
        "the time of a write and its flush is taken from the throughput");
  }
}

/// Of a job that moved nothing, and has no record to say so.
void tell_failed(const Job& job, double error) {
  const int number = static_cast<int>(error);
  job.node.warn("failed",
                "\"" + job.name + "\" failed with error " + std::to_string(number) + " (" +
                    std::generic_category().message(number) + ") and moved nothing",
                "nothing of it is imported: mend its options, file or device, and run it again");
}

/// What `entries`, all processes of one job, measured.
void read_job(const std::vector<Job>& entries, bool alone, MeasurementSet& set) {
  const Job& first = entries.front();
  std::set<std::string> hosts;
  for (const Job& job : entries) hosts.insert(job.host);
  // An entry is of one process, or of all of a host (group_reporting).
  const double each = entries.size() == hosts.size() ? asked_of(first) : 1.0;
  const double processes = each * static_cast<double>(entries.size());
  const bool unknown = unevenness(entries) > kUneven ||
                       std::any_of(entries.begin(), entries.end(),
                                   [&](const Job& job) { return merged(job, each); });
  double cpu = 0.0, error = 0.0;
  for (const Job& job : entries) {
    cpu += job.node.number("usr_cpu").value_or(0.0) + job.node.number("sys_cpu").value_or(0.0);
    if (error == 0.0) error = job.node.number("error").value_or(0.0);
  }
  std::vector<Measurement> sides;
  const auto read_all = [&](const char* name, std::size_t direction) {
    std::optional<Measurement> sum;
    for (const Job& job : entries)
      if (const auto one = read_side(job, name)) sum ? add(*sum, *one) : void(sum = one);
    if (!sum) return;
    sum->cores = cpu / 100.0 * each;
    sum->options["job"] = first.name;
    if (!first.host.empty()) sum->options["hosts"] = std::to_string(hosts.size());
    if (unknown) {
      flag(*sum, "merged-jobs");
    } else {
      describe(*sum, first, processes, direction);
    }
    if (!alone) flag(*sum, "concurrent-jobs");
    if (error != 0.0) flag(*sum, "failed");
    sides.push_back(std::move(*sum));
  };
  for (std::size_t d = 0; d < kDirections.size(); ++d) read_all(kDirections[d], d);
  if (sides.empty()) read_all(kBoth, 0);
  if (sides.empty() && error != 0.0) tell_failed(first, error);
  double syncs = 0.0;
  for (const Job& job : entries) syncs += job.node.at("sync").number("total_ios").value_or(0.0);
  if (!unknown) tell_synced(first, syncs, sides);
  correct_depth(first.options, sides);
  double all = 0.0, reads = 0.0;
  for (const Measurement& m : sides) all += static_cast<double>(m.count);
  for (const Measurement& m : sides)
    if (m.operation == "read") reads = static_cast<double>(m.count);
  for (Measurement& m : sides) {
    if (m.operation == "read" || m.operation == "write") m.read_share = reads / all;
    if (m.operation == kBoth) tell_unified(first.options, m);
    set.measurements.push_back(std::move(m));
  }
  if (unknown) tell_merged(entries);
  if (first.options.empty())
    first.node.warn("depth-unknown", "the options of \"" + first.name + "\" are not in the file",
                    "early versions of fio do not write them: measure with fio 3");
}

void read_run(const ToolNode& root, MeasurementSet& set) {
  const std::string version = root.text("fio version");
  set.tool_version = version.starts_with("fio-") ? version.substr(4) : version;
  const std::string date = iso_date(root.number("timestamp").value_or(0.0));
  set.date = std::max(set.date, date);
  for (const char* same : {"timestamp_ms", "time"}) root.pass(same);
  const Options global = root.texts("global options");
  std::string disks;
  for (const ToolNode& disk : root.list("disk_util")) {
    disks += (disks.empty() ? "" : ", ") + disk.text("name");
  }
  if (!disks.empty()) set.environment["disks"] = disks;

  std::vector<ToolNode> entries = root.list("jobs");
  for (const ToolNode& client : root.list("client_stats")) entries.push_back(client);
  std::vector<std::vector<Job>> jobs;  // processes of one job side by side
  for (const ToolNode& entry : entries) {
    Job job{entry,
            entry.text("jobname"),
            global,
            entry.text("hostname"),
            entry.number("groupid").value_or(0.0),
            set.tool_version.starts_with("2.")};
    if (const std::string port = entry.text("port"); !port.empty()) job.host += ":" + port;
    if (job.name == "All clients") continue;  // the sum of the others
    for (auto& [key, value] : entry.texts("job options")) job.options[key] = value;
    const auto same = [&](const std::vector<Job>& other) {
      const Job& o = other.front();
      const auto here = std::count_if(other.begin(), other.end(),
                                      [&](const Job& one) { return one.host == job.host; });
      return o.name == job.name && o.group == job.group && o.options == job.options &&
             static_cast<double>(here) < asked_of(o);
    };
    const auto into = std::find_if(jobs.begin(), jobs.end(), same);
    if (into != jobs.end()) {
      into->push_back(std::move(job));
    } else {
      jobs.push_back({std::move(job)});
    }
  }
  const std::vector<bool> by_itself = alone(jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) read_job(jobs[i], by_itself[i], set);
  // Directions that no job has used are there, full of zeros.
  for (const char* direction : kDirections)
    if (std::none_of(set.measurements.begin(), set.measurements.end(),
                     [&](const Measurement& m) { return m.operation == direction; }))
      for (const ToolNode& entry : entries) entry.pass(direction);
  for (const ToolNode& entry : entries)
    for (const char* rest : {kBoth, "sync"}) entry.pass(rest);
}

/// "3;fio-3.33;NAME;...": the version of the format first; version 2 has a line like it.
bool is_terse(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != text.npos && text.substr(begin + 1).starts_with(";fio-");
}

}  // namespace

bool recognises(std::string_view text) {
  return contains(text, "\"fio version\"") || is_terse(text) ||
         (contains(text, "\nfio-") && contains(text, "issued rwts"));
}

void read(const ToolFile& file, MeasurementSet& set) {
  constexpr const char* kHow = "run fio with --output-format=json+";
  const bool terse = is_terse(file.text);
  if (terse || (!contains(file.text, "\"fio version\"") && contains(file.text, "issued rwts"))) {
    file.diagnostics.add(
        {Severity::error, "format", "", Position{file.name, 1, 1},
         terse ? "this is the terse output of fio, which does not say what was asked for"
               : "this is the text that fio prints for people; its figures are rounded",
         kHow});
    return;
  }
  ToolJson json(file, kHow);
  const std::vector<ToolNode> roots = json.roots();
  std::size_t states = 0;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const bool last = i + 1 == roots.size() || !goes_on(roots[i], roots[i + 1]);
    last ? read_run(roots[i], set) : void(++states);
  }
  set.ignored = json.unread();
  if (states > 0)
    set.ignored.push_back(std::to_string(states) +
                          " earlier states of runs (--status-interval): their last one counts");
}

}  // namespace stallcast::calibration::fio
