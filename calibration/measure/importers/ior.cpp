#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "calibration/measure/importers/tool_json.hpp"
#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"
#include "engine/base/text.hpp"

/// IOR 3 and 4, text and JSON (-O summaryFormat=JSON).
/// - Rates are MiB/s, of the bytes that were really moved, over open + transfer + close. IOPS and
///   latency are of the transfers alone: a run that opens for long contradicts itself.
/// - One record per iteration; the summary repeats them and is left out. Its "Stonewall(MiB)" is
/// the
///   rate of one task.
/// - "xfersize" is printed as "1 MiB" or "262144 bytes".
/// - IOR 3.0 and 3.1 print "Summary:" and "clients = 8 (4 per node)" in place of "Options:".
/// - Without -e a write ends in the page cache; without -C a read finds what its task has written.
namespace stallcast::calibration::ior {
namespace {

/// First words of lines that say nothing of their own.
constexpr std::array<std::string_view, 3> kKnown{"TestID", "StartTime", "Path"};

struct Run {
  std::string command;
  std::map<std::string, std::string> options;
  bool wrote = false;

  [[nodiscard]] std::string option(const char* key) const {
    const auto it = options.find(key);
    return it == options.end() ? "" : it->second;
  }
};

bool odirect(const Run& run) {
  return contains(run.command, "odirect") || contains(run.command, "useO_DIRECT=1") ||
         has_option(run.command, "-B");
}

/// Fills in what is the same for all iterations of a run.
void describe(Run& run, Measurement& m) {
  const std::string order = run.option("ordering in a file");
  m.pattern = contains(order, "random") ? "random" : "sequential";
  const auto tasks = tool_count(run.option("tasks"));
  m.processes = tasks.value_or(0);
  const std::string api = run.option("api");
  if (!contains(api, "AIO")) m.depth = static_cast<double>(m.processes);
  m.direct = odirect(run);
  m.read_share = m.operation == "read" ? 1.0 : 0.0;
  for (const char* key :
       {"api", "test filename", "access", "nodes", "tasks", "clients per node", "blocksize",
        "segments", "GPUDirect", "stonewallingTime", "stoneWallingWearOut"})
    if (const std::string value = run.option(key); !value.empty()) m.options[key] = value;
  const bool flushed = has_option(run.command, "-e") || contains(run.command, "fsync=1");
  const bool moved = has_option(run.command, "-C") || has_option(run.command, "-Z") ||
                     contains(run.command, "reorderTasks=1");
  if (m.operation == "write") run.wrote = true;
  if (!*m.direct && m.operation == "write" && !flushed) flag(m, "cache-possible");
  if (!*m.direct && m.operation == "read" && (!moved || run.option("nodes") == "1"))
    flag(m, "cache-possible");
}

/// "tasks : 8", "clients = 8 (4 per node)".
void take_option(std::string_view line, Run& run) {
  const std::size_t at = line.find_first_of(":=");
  const std::string key(base::trim(line.substr(0, at)));
  run.options[key] = base::trim(line.substr(at + 1));
  if (key != "clients") return;
  const std::vector<std::string_view> words = words_of(line.substr(at + 1));
  if (words.empty()) return;
  run.options["tasks"] = words[0];
  if (words.size() < 2 || !words[1].starts_with('(')) return;
  const auto all = tool_count(words[0]), each = tool_count(words[1].substr(1));
  run.options["clients per node"] = words[1].substr(1);
  if (all && each && *each > 0) run.options["nodes"] = std::to_string((*all + *each - 1) / *each);
}

/// "write  2401.91  2402.60  0.000832  131072  1024.00  0.000039  0.106551 ...", by the names of
/// its header; older versions have fewer columns.
void read_row(TextReader& reader, const Line& line, const std::vector<std::string>& header,
              Run& run, double actual, MeasurementSet& set) {
  const std::vector<std::string_view> words = words_of(line.text);
  if (!reader.complete(line, words, header.size(), "IOR")) return;
  std::map<std::string, double, std::less<>> values;
  for (std::size_t i = 1; i < header.size(); ++i) {
    if (words[i] == "-" || words[i] == "NA") continue;
    const auto value = reader.number(line, words[i], header[i]);
    if (!value) return;
    values[header[i]] = *value;
  }
  const auto figure = [&](const char* name) {
    const auto it = values.find(name);
    return it == values.end() ? std::optional<double>() : std::optional(it->second);
  };
  Measurement m;
  m.operation = words.front();
  m.origin = "line " + std::to_string(line.number);
  m.rate = Rate::from(figure("bw(MiB/s)").value_or(0.0), unit::MiBps);
  m.ops = OpRate::from(figure("IOPS").value_or(0.0), unit::per_s);
  if (const auto kib = figure("xfer(KiB)")) m.size = Bytes::from(*kib, unit::KiB);
  if (const auto exact = tool_size(run.option("xfersize"))) m.size = *exact;
  if (const auto s = figure("Latency(s)"))
    if (const auto mean = precise(*s, 1e-6)) m.latency = Seconds::from(*mean, unit::s);
  if (const auto s = figure("total(s)")) m.duration = Seconds::from(*s, unit::s);
  const auto aggregate = tool_size(run.option("aggregate filesize"));
  const Bytes moved = actual > 0.0 ? Bytes::from(actual, unit::B) : aggregate.value_or(Bytes{});
  if (m.size > Bytes{}) m.count = static_cast<std::uint64_t>(whole(moved / m.size));
  describe(run, m);
  if (actual > 0.0) flag(m, "stonewalled");
  set.measurements.push_back(std::move(m));
}

void read_text(const ToolFile& file, MeasurementSet& set) {
  TextReader reader(file);
  Run run;
  std::vector<std::string> header;
  bool options = false, summary = false;
  double actual = 0.0;
  const Line* began = nullptr;  // the run that has not ended
  for (const Line& line : reader.lines()) {
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.empty()) continue;
    const std::size_t colon = line.text.find(':');
    const auto value = [&] { return std::string(base::trim(line.text.substr(colon + 1))); };
    if (line.text.starts_with("IOR-")) {
      began = &line;
      run = {};
      header.clear();
      summary = false;
      set.tool_version = std::string(line.text.substr(4, line.text.find(':') - 4));
    } else if (line.text.starts_with("Command line") && colon != line.text.npos) {
      run.command = value();
      set.environment["command"] = run.command;
    } else if (line.text.starts_with("Began") && colon != line.text.npos) {
      set.date = std::max(set.date, iso_date(value()));
    } else if (line.text.starts_with("Machine") && colon != line.text.npos) {
      set.environment["machine"] = value();
    } else if (line.text.starts_with("FS ") && colon != line.text.npos) {
      set.environment["file system"] = value();
    } else if (words.front().starts_with("Finished") || line.text.starts_with("Run finished")) {
      began = nullptr;
    } else if (std::find(kKnown.begin(), kKnown.end(), words.front()) != kKnown.end()) {
      continue;
    } else if (line.text.starts_with("Options:") || line.text.starts_with("Summary:")) {
      options = true;
      run.options.clear();  // of the test before
    } else if (line.text.starts_with("Results:")) {
      options = false;
    } else if (words.front() == "access" && contains(line.text, "bw(MiB/s)")) {
      header.assign(words.begin(), words.end());
      options = summary = false;
    } else if (options && line.text.find_first_of(":=") != line.text.npos) {
      take_option(line.text, run);
    } else if (line.text.starts_with("Summary of all tests")) {
      summary = true;
    } else if (contains(line.text, "actual aggregate bytes moved")) {
      actual = tool_number(line.text.substr(line.text.rfind('=') + 1)).value_or(0.0);
    } else if ((words.front() == "write" || words.front() == "read") && !summary &&
               !header.empty()) {
      read_row(reader, line, header, run, actual, set);
      actual = 0.0;
    } else if (!summary) {
      reader.unread(line);
    }
  }
  if (began != nullptr)
    reader.warn(*began, began->text, "truncated",
                "the text ends before IOR was done: \"Finished\" is missing",
                "IOR was stopped, or the text is cut: rows may be missing");
  set.ignored = reader.ignored();
  if (contains(reader.text(), "Summary of all tests"))
    set.ignored.emplace_back("\"Summary of all tests\": the same runs again");
}

void read_json(const ToolFile& file, MeasurementSet& set) {
  ToolJson json(file);
  for (const ToolNode& root : json.roots()) {
    set.tool_version = root.text("Version");
    set.date = std::max(set.date, iso_date(root.text("Began")));
    set.environment["machine"] = root.text("Machine");
    set.environment["command"] = root.text("Command line");
    for (const ToolNode& test : root.list("tests")) {
      Run run{root.text("Command line"), test.texts("Options"), false};
      const ToolNode parameters = test.at("Parameters");
      const auto transfer = parameters.number("transferSize");
      const double stonewall = parameters.number("deadlineForStonewall").value_or(0.0);
      if (parameters.number("fsync").value_or(0.0) > 0.0) run.command += " -e";
      if (parameters.number("reorderTasks").value_or(0.0) > 0.0) run.command += " -C";
      for (const ToolNode& result : test.list("Results")) {
        Measurement m;
        m.operation = result.text("access");
        if (m.operation != "read" && m.operation != "write") continue;
        m.origin = result.place();
        m.rate = Rate::from(result.number("bwMiB").value_or(0.0), unit::MiBps);
        m.ops = OpRate::from(result.number("iops").value_or(0.0), unit::per_s);
        const auto kib = result.number("xferKiB");
        if (transfer) {
          m.size = Bytes::from(*transfer, unit::B);
        } else if (kib) {
          m.size = Bytes::from(*kib, unit::KiB);
        }
        if (const auto s = result.number("totalTime")) m.duration = Seconds::from(*s, unit::s);
        // Four decimals: 0.5 ms may be 0.45 or 0.55.
        if (const auto s = precise(result.number("latency").value_or(0.0), 1e-4))
          m.latency = Seconds::from(*s, unit::s);
        const auto aggregate = tool_size(run.option("aggregate filesize"));
        if (stonewall > 0.0) {
          flag(m, "stonewalled");
        } else if (aggregate && m.size > Bytes{}) {
          m.count = static_cast<std::uint64_t>(whole(*aggregate / m.size));
        }
        describe(run, m);
        set.measurements.push_back(std::move(m));
      }
    }
    root.pass("summary");
  }
  set.ignored = json.unread();
  set.ignored.emplace_back("summary: the same runs again");
}

}  // namespace

bool recognises(std::string_view text) {
  return contains(text, "MPI Coordinated Test of Parallel I/O") ||
         (contains(text, "\"bwMiB\"") && contains(text, "\"TestID\""));
}

void read(const ToolFile& file, MeasurementSet& set) {
  contains(file.text, "\"bwMiB\"") ? read_json(file, set) : read_text(file, set);
}

}  // namespace stallcast::calibration::ior
