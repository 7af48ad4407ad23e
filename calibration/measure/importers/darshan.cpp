#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"
#include "engine/base/text.hpp"

/// Text of darshan-parser (counters) and darshan-dxt-parser (every operation), Darshan 3.
/// - Times of DXT have four decimals: what takes under 0.1 ms has no duration.
/// - Buffered operations run at the speed of the page cache.
/// - Counters of -1 were not watched.
/// A log shows what an application asked for: records are a workload, and no fit reads them.
namespace stallcast::calibration::darshan {
namespace {

struct Header {
  std::int64_t processes = 0;
  double run_time = 0.0;
};

Measurement base_record(const Header& header, const std::string& operation) {
  Measurement m;
  m.operation = operation;
  m.processes = header.processes;
  flag(m, "workload");
  if (operation == "read" || operation == "write") flag(m, "cache-possible");
  return m;
}

/// Reads "# key: value" lines; false when the line is none of them.
bool take_header(TextReader& reader, const Line& line, Header& header, MeasurementSet& set) {
  const auto value = [&](std::string_view key) -> std::string_view {
    const std::string start = "# " + std::string(key) + ":";
    return line.text.starts_with(start) ? base::trim(line.text.substr(start.size()))
                                        : std::string_view();
  };
  if (const auto v = value("darshan log version"); !v.empty()) {
    set.environment["log version"] = std::string(v);
  } else if (const auto lib = value("metadata"); lib.starts_with("lib_ver")) {
    set.tool_version = std::string(base::trim(lib.substr(lib.find('=') + 1)));
  } else if (const auto exe = value("exe"); !exe.empty()) {
    set.environment["exe"] = std::string(exe);
  } else if (const auto procs = value("nprocs"); !procs.empty()) {
    header.processes = whole(reader.number(line, procs, "nprocs"));
  } else if (const auto time = value("run time"); !time.empty()) {
    header.run_time = reader.number(line, words_of(time).front(), "run time").value_or(0.0);
  } else if (const auto start = value("start_time"); !start.empty()) {
    set.date = iso_date(tool_number(start).value_or(0.0));
  } else {
    return false;
  }
  return true;
}

/// Sums of the POSIX counters over all records.
struct Counters {
  std::map<std::string, double, std::less<>> sums;
  std::map<std::string, double, std::less<>> first, last;
  std::map<std::string, int> modules_left_out;

  void take(std::string_view name, double value) {
    if (value < 0.0) return;  // not watched
    const std::string key(name);
    if (name.ends_with("START_TIMESTAMP")) {
      if (value > 0.0 && (first.count(key) == 0 || value < first[key])) first[key] = value;
    } else if (name.ends_with("END_TIMESTAMP")) {
      last[key] = std::max(last[key], value);
    } else {
      sums[key] += value;
    }
  }
  [[nodiscard]] double sum(std::string_view name) const {
    const auto it = sums.find(name);
    return it == sums.end() ? 0.0 : it->second;
  }
};

void add_counters(const Counters& counters, const Header& header, MeasurementSet& set) {
  const std::array<std::array<const char*, 4>, 2> kIo{
      {{"read", "READ", "POSIX_READS", "POSIX_BYTES_READ"},
       {"write", "WRITE", "POSIX_WRITES", "POSIX_BYTES_WRITTEN"}}};
  for (const auto& [operation, upper, count_key, bytes_key] : kIo) {
    const double count = counters.sum(count_key);
    if (count <= 0.0) continue;
    Measurement m = base_record(header, operation);
    m.origin = count_key;
    m.count = static_cast<std::uint64_t>(whole(count));
    const double bytes = counters.sum(bytes_key);
    m.size = Bytes::from(bytes / count, unit::B);
    const std::string prefix = std::string("POSIX_F_") + upper;
    const auto begin = counters.first.find(prefix + "_START_TIMESTAMP");
    const auto end = counters.last.find(prefix + "_END_TIMESTAMP");
    if (begin != counters.first.end() && end != counters.last.end() &&
        end->second > begin->second) {
      m.duration = Seconds::from(end->second - begin->second, unit::s);
      m.rate = Bytes::from(bytes, unit::B) / *m.duration;
      m.ops = Ops::from(count, unit::ops) / *m.duration;
    }
    if (const double busy = counters.sum(prefix + "_TIME"); busy > 0.0)
      m.latency = Seconds::from(busy / count, unit::s);
    const double sequential = counters.sum(std::string("POSIX_SEQ_") + upper + "S");
    m.pattern = sequential > 0.5 * count ? "sequential" : "random";
    set.measurements.push_back(std::move(m));
  }
  for (const auto& [key, operation] :
       {std::pair{"POSIX_OPENS", "open"}, std::pair{"POSIX_STATS", "stat"},
        std::pair{"POSIX_FSYNCS", "fsync"}}) {
    const double count = counters.sum(key);
    if (count <= 0.0) continue;
    Measurement m = base_record(header, operation);
    m.subject = Subject::metadata;
    m.origin = key;
    m.count = static_cast<std::uint64_t>(whole(count));
    set.measurements.push_back(std::move(m));
  }
}

/// One operation and size of a DXT trace.
struct Traced {
  double count = 0.0, bytes = 0.0, busy = 0.0;
  double begin = 0.0, end = 0.0;
  double instant = 0.0;  ///< operations without a duration
  double follows = 0.0;  ///< operations that begin where the one before ended
};

/// Sizes of one operation kept apart; more of them make one record with their mean.
constexpr std::size_t kMostSizes = 32;
/// Share of operations without a duration above which their mean says nothing.
constexpr double kInstantShare = 0.1;

class Trace {
 public:
  void take(const std::string& operation, const std::string& rank, double offset, double length,
            double start, double end) {
    Traced& t = traced_[operation][length];
    t.begin = t.count == 0.0 ? start : std::min(t.begin, start);
    t.end = std::max(t.end, end);
    ++t.count;
    t.bytes += length;
    t.busy += end - start;
    if (end <= start) ++t.instant;
    const auto [at, fresh] = position_.try_emplace(operation + rank, offset);
    if (fresh || at->second == offset) ++t.follows;
    at->second = offset + length;
  }
  void next_file() { position_.clear(); }

  void add(const Header& header, MeasurementSet& set) const {
    for (const auto& [operation, sizes] : traced_) {
      if (sizes.size() <= kMostSizes) {
        for (const auto& [length, t] : sizes) one(header, operation, t, set);
        continue;
      }
      Traced all;
      bool fresh = true;
      for (const auto& [length, t] : sizes) {
        all.begin = fresh ? t.begin : std::min(all.begin, t.begin);
        all.end = std::max(all.end, t.end);
        all.count += t.count;
        all.bytes += t.bytes;
        all.busy += t.busy;
        all.instant += t.instant;
        all.follows += t.follows;
        fresh = false;
      }
      one(header, operation, all, set);
      set.measurements.back().options["sizes"] = std::to_string(sizes.size()) + " different ones";
    }
  }

 private:
  static void one(const Header& header, const std::string& operation, const Traced& t,
                  MeasurementSet& set) {
    Measurement m = base_record(header, operation);
    m.origin = "DXT " + operation;
    m.count = static_cast<std::uint64_t>(whole(t.count));
    m.size = Bytes::from(t.bytes / t.count, unit::B);
    m.pattern = t.follows > 0.5 * t.count ? "sequential" : "random";
    if (t.instant > kInstantShare * t.count) {
      flag(m, "time-resolution");
    } else if (t.busy > 0.0) {
      m.latency = Seconds::from(t.busy / t.count, unit::s);
    }
    // Ten steps of the clock: what is shorter has no rate.
    if (t.end - t.begin > 1e-3) {
      m.duration = Seconds::from(t.end - t.begin, unit::s);
      m.rate = Bytes::from(t.bytes, unit::B) / *m.duration;
      m.ops = Ops::from(t.count, unit::ops) / *m.duration;
    }
    set.measurements.push_back(std::move(m));
  }

  std::map<std::string, std::map<double, Traced>> traced_;
  std::map<std::string, double> position_;
};

void read_event(TextReader& reader, const Line& line, const std::vector<std::string_view>& words,
                Trace& trace) {
  if (words.size() < 8) {
    reader.error(line, words.back(), "truncated", "this operation lacks its last columns",
                 "columns are Module Rank Wt/Rd Segment Offset Length Start End");
    return;
  }
  const auto offset = reader.number(line, words[4], "Offset");
  const auto length = reader.number(line, words[5], "Length");
  const auto start = reader.number(line, words[6], "Start");
  const auto end = reader.number(line, words[7], "End");
  if (!offset || !length || !start || !end) return;
  if (words[2] != "read" && words[2] != "write") return reader.unread(line);
  trace.take(std::string(words[2]), std::string(words[1]), *offset, *length, *start, *end);
}

}  // namespace

bool recognises(std::string_view text) { return contains(text, "# darshan log version"); }

void read(const ToolFile& file, MeasurementSet& set) {
  TextReader reader(file);
  Header header;
  Counters counters;
  Trace trace;
  for (const Line& line : reader.lines()) {
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.empty()) continue;
    if (line.text.starts_with('#')) {
      if (contains(line.text, "DXT, file_id")) trace.next_file();
      (void)take_header(reader, line, header, set);
    } else if (words.front() == "X_POSIX") {
      read_event(reader, line, words, trace);
    } else if (words.front() == "POSIX") {
      if (words.size() < 5) {
        reader.error(line, words.back(), "truncated", "this counter has no value",
                     "columns are module, rank, record id, counter, value, file, ...");
      } else if (const auto value = reader.number(line, words[4], words[3])) {
        counters.take(words[3], *value);
      }
    } else {
      ++counters.modules_left_out[std::string(words.front())];
    }
  }
  if (header.run_time > 0.0) set.environment["run time s"] = std::to_string(header.run_time);
  add_counters(counters, header, set);
  trace.add(header, set);
  std::vector<std::string> modules;
  for (const auto& [name, lines] : counters.modules_left_out) {
    if (modules.size() < 10) modules.push_back(name + " (" + std::to_string(lines) + " lines)");
  }
  if (!modules.empty()) set.ignored.push_back("modules " + base::join(modules, ", "));
}

}  // namespace stallcast::calibration::darshan
