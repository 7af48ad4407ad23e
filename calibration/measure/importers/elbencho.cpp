#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "calibration/measure/importers/tool_json.hpp"
#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"

/// elbencho 2 and 3: --csvfile and --jsonfile.
/// - CSV rates are MiB/s and times ms, rounded to whole numbers; JSON holds every value as text.
/// - [first] is when the first thread was done, [last] when all were: records take [last].
/// - `threads` is per host: hosts x threads x IO depth operations are outstanding.
/// - With rwmix the main columns are the writes; columns of their own hold the reads.
namespace stallcast::calibration::elbencho {
namespace {

/// Names of the figures in one phase, the same for both formats.
using Values = std::map<std::string, std::string, std::less<>>;

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kMetadata{
    {{"MKDIRS", "mkdir"},
     {"STAT", "stat"},
     {"RMFILES", "unlink"},
     {"RMDIRS", "rmdir"},
     {"MKBUCKETS", "mkdir"},
     {"RMOBJECTS", "unlink"},
     {"HEADOBJ", "stat"}}};

struct Phase {
  Values values;
  std::string origin;

  [[nodiscard]] std::string text(std::string_view key) const {
    const auto it = values.find(key);
    return it == values.end() ? "" : it->second;
  }
  [[nodiscard]] double number(std::string_view key) const {
    return tool_number(text(key)).value_or(0.0);
  }
  [[nodiscard]] bool yes(std::string_view key) const {
    return text(key) == "1" || text(key) == "true";
  }
};

/// The figures under `prefix`, "" or "rwmix read ".
Measurement base_record(const Phase& phase, const std::string& prefix) {
  Measurement m;
  m.origin = phase.origin;
  m.processes = whole(std::max(1.0, phase.number("hosts")) * phase.number("threads"));
  m.duration = Seconds::from(phase.number("time ms [last]"), unit::ms);
  if (*m.duration <= Seconds{}) m.duration.reset();  // phases under a millisecond print 0
  for (const char* key :
       {"label", "path type", "paths", "hosts", "dirs", "files", "file size", "shared paths"})
    if (const std::string value = phase.text(key); !value.empty()) m.options[key] = value;
  m.options["phase"] = prefix + phase.text("operation");
  const double first = phase.number(prefix + "IOPS [first]");
  const double last = phase.number(prefix + "IOPS [last]");
  if (first > 0.0 && last > 0.0 && std::abs(first / last - 1.0) > 0.05) {
    flag(m, "stragglers");
    m.figures["ops_when_first_done_per_s"] = first;
  }
  return m;
}

void read_quantiles(const Phase& phase, Measurement& m) {
  for (const auto& [key, value] : phase.values)
    if (key.starts_with("quantile "))
      if (const auto q = tool_number(key.substr(9)))
        m.quantiles[*q] = Seconds::from(tool_number(value).value_or(0.0), unit::us);
  if (!m.quantiles.empty()) m.options["quantiles"] = "upper edges of buckets 2^(k/4) us";
}

Measurement io_record(const Phase& phase, const std::string& prefix, const char* operation) {
  Measurement m = base_record(phase, prefix);
  m.operation = operation;
  m.pattern = phase.yes("random") ? "random" : "sequential";
  m.direct = phase.yes("direct IO");
  if (!*m.direct) flag(m, "cache-possible");
  m.size = Bytes::from(phase.number("block size"), unit::B);
  m.depth = static_cast<double>(m.processes) * std::max(1.0, phase.number("IO depth"));
  m.ops = OpRate::from(phase.number(prefix + "IOPS [last]"), unit::per_s);
  if (const double bytes = phase.number(prefix + "bytes/s [last]"); bytes > 0.0) {
    m.rate = Rate::from(bytes, unit::Bps);
  } else if (const auto mib = precise(phase.number(prefix + "MiB/s [last]"), 1.0)) {
    m.rate = Rate::from(*mib, unit::MiBps);
  }
  if (const auto us = precise(phase.number(prefix + "IO lat us [avg]"), 1.0))
    m.latency = Seconds::from(*us, unit::us);
  const double bytes = std::max(phase.number(prefix + "bytes [last]"),
                                phase.number(prefix + "MiB [last]") * 1048576.0);
  if (m.size > Bytes{}) m.count = static_cast<std::uint64_t>(whole(bytes / m.size.in(unit::B)));
  if (const double entries = phase.number(prefix + "entries/s [last]"); entries > 0.0)
    m.figures["files_per_s"] = entries;
  if (prefix.empty()) read_quantiles(phase, m);
  return m;
}

Measurement entry_record(const Phase& phase, const std::string& operation) {
  Measurement m = base_record(phase, "");
  m.subject = Subject::metadata;
  m.operation = operation;
  m.depth = static_cast<double>(m.processes);
  m.ops = OpRate::from(phase.number("entries/s [last]"), unit::per_s);
  m.count = static_cast<std::uint64_t>(whole(phase.number("entries [last]")));
  if (const auto us = precise(phase.number("Ent lat us [avg]"), 1.0))
    m.latency = Seconds::from(*us, unit::us);
  if (operation == "stat") flag(m, "cache-possible");
  if (m.count < 200) flag(m, "few-completions");
  return m;
}

/// False when the phase has no figure that is read (SYNC, DROPCACHES).
bool read_phase(const Phase& phase, MeasurementSet& set) {
  const std::string what = phase.text("operation");
  if (const std::string version = phase.text("version"); !version.empty())
    set.tool_version = version;
  set.date = std::max(set.date, phase.text("ISO date"));
  for (const auto& [name, operation] : kMetadata)
    if (what == name && phase.number("entries/s [last]") > 0.0) {
      set.measurements.push_back(entry_record(phase, std::string(operation)));
      return true;
    }
  const bool reads = contains(what, "READ");
  const bool writes = contains(what, "WRITE") || contains(what, "MIX");  // RWMIX30
  if ((!reads && !writes) || phase.number("IOPS [last]") <= 0.0) return false;
  Measurement main = io_record(phase, "", reads ? "read" : "write");
  main.read_share = reads ? 1.0 : 0.0;
  if (phase.number("rwmix read IOPS [last]") > 0.0) {
    Measurement mixed = io_record(phase, "rwmix read ", "read");
    const double share = mixed.ops / (mixed.ops + main.ops);
    main.operation = "write";
    mixed.read_share = main.read_share = share;
    set.measurements.push_back(std::move(mixed));
  }
  set.measurements.push_back(std::move(main));
  return true;
}

/// Cells of one CSV line; quotes hold commas, "" inside them a quote.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != ',' || quoted)) continue;
    out.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  return out;
}

void read_csv(const ToolFile& file, MeasurementSet& set) {
  TextReader reader(file);
  std::vector<std::string_view> header;
  for (const Line& line : reader.lines()) {
    if (line.text.empty()) continue;
    if (line.text.starts_with("ISO date,")) {
      header = cells_of(line.text);
      continue;
    }
    // The command, last of all, quotes its words without quoting itself.
    const std::vector<std::string_view> cells = cells_of(line.text);
    if (header.empty()) {
      reader.error(line, line.text, "format", "this is no result file of elbencho",
                   "its CSV begins with a line of names, \"ISO date,label,...\"; its JSON has "
                   "\"phase_type\"");
      return;
    }
    if (cells.size() + 1 < header.size()) {
      reader.error(line, line.text, "truncated",
                   "this line has " + std::to_string(cells.size()) + " cells, the header " +
                       std::to_string(header.size()),
                   "the line is cut, or it was written by another version than the header");
      continue;
    }
    Phase phase{{}, "line " + std::to_string(line.number)};
    bool good = true;
    for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i) {
      const bool figure = contains(header[i], "[") || header[i] == "threads" ||
                          header[i] == "hosts" || header[i] == "block size" ||
                          header[i] == "IO depth";
      if (figure && !cells[i].empty()) good = reader.number(line, cells[i], header[i]) && good;
      phase.values[std::string(header[i])] = std::string(cells[i]);
    }
    if (good && !read_phase(phase, set)) reader.unread(line);
  }
  set.ignored = reader.ignored();
}

/// Buckets "861-1024us" with counts as upper edges of quantiles.
void read_histogram(const ToolNode& io, Phase& phase) {
  std::vector<std::pair<double, double>> buckets;
  double all = 0.0;
  for (const ToolNode& bucket : io.at("histogram").list("buckets")) {
    const std::string range = bucket.text("range");
    const std::size_t dash = range.find('-');
    const auto edge = tool_number(
        std::string_view(range).substr(dash == std::string::npos ? 0 : dash + 1,
                                       range.find("us") - std::min(range.size(), dash + 1)));
    const auto count = bucket.number("count");
    if (!edge || !count) continue;
    buckets.emplace_back(*edge, *count);
    all += *count;
  }
  for (const double q : {0.01, 0.1, 0.5, 0.75, 0.9, 0.99, 0.999}) {
    double below = 0.0;
    for (const auto& [edge, count] : buckets) {
      below += count;
      if (below < q * all) continue;
      phase.values["quantile " + std::to_string(q)] = std::to_string(edge);
      break;
    }
  }
}

void read_done(const ToolNode& done, const std::string& prefix, const std::string& when,
               Phase& phase) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kNames{
      {{"elapsed_time_ms", "time ms"},
       {"entries/s", "entries/s"},
       {"iops", "IOPS"},
       {"bytes/s", "bytes/s"},
       {"entries", "entries"},
       {"bytes", "bytes"}}};
  for (const auto& [key, name] : kNames)
    if (const auto value = done.number(key)) phase.values[prefix + name + when] = done.text(key);
  if (const ToolNode io = done.at("latency").at("IO"); io) {
    phase.values[prefix + "IO lat us [avg]"] = io.text("avg_us");
    if (prefix.empty()) read_histogram(io, phase);
  }
  if (const ToolNode entries = done.at("latency").at("entries"); entries)
    phase.values[prefix + "Ent lat us [avg]"] = entries.text("avg_us");
}

void read_json(const ToolFile& file, MeasurementSet& set) {
  ToolJson json(file);
  int number = 0;
  for (const ToolNode& root : json.roots()) {
    Phase phase{{}, "phase " + std::to_string(++number)};
    phase.values["operation"] = root.text("phase_type");
    phase.values["ISO date"] = root.text("iso_start_date");
    const ToolNode config = root.at("config");
    constexpr std::array<std::pair<const char*, const char*>, 12> kConfig{
        {{"path_type", "path type"},
         {"paths", "paths"},
         {"hosts", "hosts"},
         {"threads", "threads"},
         {"dirs", "dirs"},
         {"files", "files"},
         {"file_size", "file size"},
         {"block_size", "block size"},
         {"direct_io", "direct IO"},
         {"random_offsets", "random"},
         {"io_depth", "IO depth"},
         {"version", "version"}}};
    for (const auto& [key, name] : kConfig)
      if (std::string value = config.text(key); !value.empty())
        phase.values[name] = std::move(value);
    read_done(root.at("first_done"), "", " [first]", phase);
    read_done(root.at("last_done"), "", " [last]", phase);
    for (const char* name : {"rwmix_read", "rwmix read", "rwmix_reads"}) {
      read_done(root.at("first_done").at(name), "rwmix read ", " [first]", phase);
      read_done(root.at("last_done").at(name), "rwmix read ", " [last]", phase);
    }
    if (!read_phase(phase, set))
      set.ignored.push_back(phase.origin + ": " + phase.text("operation"));
  }
  for (std::string& line : json.unread()) set.ignored.push_back(std::move(line));
}

/// What it prints for people, on the screen or with --resfile.
bool is_for_people(std::string_view text) {
  return contains(text, "RESULT TYPE") && contains(text, "FIRST DONE") &&
         contains(text, "LAST DONE") && !contains(text, "ISO date,label");
}

}  // namespace

bool recognises(std::string_view text) {
  return contains(text, "ISO date,label,path type") || is_for_people(text) ||
         (contains(text, "\"phase_type\"") && contains(text, "\"last_done\""));
}

void read(const ToolFile& file, MeasurementSet& set) {
  if (is_for_people(file.text)) {
    file.diagnostics.add(
        {Severity::error, "format", "", Position{file.name, 1, 1},
         "this is the text that elbencho prints for people; its figures are rounded",
         "run elbencho with --csvfile FILE or --jsonfile FILE, and import that"});
    return;
  }
  if (contains(file.text, "\"phase_type\"") && !contains(file.text, "ISO date,label")) {
    read_json(file, set);
  } else {
    read_csv(file, set);
  }
}

}  // namespace stallcast::calibration::elbencho
