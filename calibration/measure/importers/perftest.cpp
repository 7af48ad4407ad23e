#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"
#include "engine/base/text.hpp"

/// perftest (ib_write_bw, ib_send_lat, ...), text.
/// - "MB/sec" is MiB/s, "Gb/sec" decimal.
/// - ib_write_lat and ib_send_lat print half a round trip, ib_read_lat and ib_atomic_lat a whole
/// one.
/// - "BW peak" is 0.00 where it was not taken (duration, many iterations); columns may run together
///   ("2465.901216.65"); warnings on the CPU's frequency stand inside the table.
/// - A bidirectional test prints the sum of both directions.
namespace stallcast::calibration::perftest {
namespace {

constexpr std::array<std::string_view, 16> kColumns{
    "#bytes",   "#iterations", "#sl",         "BW peak[",   "BW average[", "MsgRate[",
    "CPU_Util", "t_min[",      "t_max[",      "t_typical[", "t_avg[",      "t_stdev[",
    "99% perc", "99.9% perc",  "tps average", "BW Port1["};

struct Test {
  std::string title;
  std::map<std::string, std::string> options;
  double qps = 1.0;
  double depth = 0.0;
  std::vector<std::string_view> columns;
  bool bits = false;
};

/// The columns of a table, in the order of its header.
std::vector<std::string_view> columns_of(std::string_view header) {
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const std::string_view name : kColumns)
    if (const std::size_t at = header.find(name); at != header.npos) found.emplace_back(at, name);
  std::sort(found.begin(), found.end());
  std::vector<std::string_view> out;
  for (const auto& [at, name] : found) out.push_back(name);
  return out;
}

/// Words of a row; figures that run together are parted after two decimals.
std::vector<std::string_view> cells_of(std::string_view row) {
  std::vector<std::string_view> out;
  for (std::string_view word : words_of(row)) {
    while (std::count(word.begin(), word.end(), '.') > 1) {
      const std::size_t end = word.find('.') + 3;
      if (end >= word.size()) break;
      out.push_back(word.substr(0, end));
      word.remove_prefix(end);
    }
    out.push_back(word);
  }
  return out;
}

/// "TX depth        : 1" within a line of several settings.
std::string setting(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == line.npos) return "";
  const std::size_t colon = line.find(':', at + name.size());
  if (colon == line.npos) return "";
  const std::vector<std::string_view> words = words_of(line.substr(colon + 1));
  return words.empty() ? "" : std::string(words.front());
}

std::string operation_of(const std::string& title) {
  const std::string lower = lower_case(title);
  for (const char* name : {"write", "read", "atomic", "send"})
    if (contains(lower, name)) return name;
  return "";
}

void read_row(TextReader& reader, const Line& line, const Test& test, MeasurementSet& set) {
  const std::vector<std::string_view> cells = cells_of(line.text);
  std::map<std::string_view, double> values;
  for (std::size_t i = 0; i < cells.size() && i < test.columns.size(); ++i) {
    const auto value = reader.number(line, cells[i], test.columns[i]);
    if (!value) return;
    values[test.columns[i]] = *value;
  }
  if (!reader.complete(line, cells, test.columns.size(), "the test")) return;
  Measurement m;
  m.subject = Subject::network;
  m.operation = operation_of(test.title);
  m.origin = "line " + std::to_string(line.number);
  m.size = Bytes::from(values["#bytes"], unit::B);
  m.count = static_cast<std::uint64_t>(whole(values["#iterations"]));
  m.processes = 1;
  m.options = test.options;
  m.options["test"] = test.title;
  if (contains(test.title, "Bidirectional")) m.path = "bidirectional";
  if (values.count("BW average[") != 0) {
    m.rate = Rate::from(values["BW average["], test.bits ? unit::Gbps : unit::MiBps);
    if (const double peak = values["BW peak["]; peak > 0.0)
      m.figures["peak_Bps"] = Rate::from(peak, test.bits ? unit::Gbps : unit::MiBps).in(unit::Bps);
    if (const auto rate = precise(values["MsgRate["], 1e-6))
      m.ops = OpRate::from(*rate, unit::mega_per_s);
    if (test.depth > 0.0) m.depth = test.depth * test.qps;
    if (!precise(values["BW average["], 0.01)) m.rate = m.ops * m.size;
  } else {
    const bool whole_trip = m.operation == "read" || m.operation == "atomic";
    m.options["latency"] = whole_trip ? "a whole round trip" : "half a round trip";
    m.latency = Seconds::from(values["t_avg["], unit::us);
    if (*m.latency <= Seconds{}) m.latency.reset();
    m.depth = 1.0;  // one message after the other
    if (m.latency) m.ops = Ops::from(1.0, unit::ops) / *m.latency;
    const auto quantile = [&](std::string_view column, double q) {
      if (values.count(column) != 0) m.quantiles[q] = Seconds::from(values[column], unit::us);
    };
    quantile("99% perc", 0.99);
    quantile("99.9% perc", 0.999);
    if (values.count("t_typical[") != 0)
      m.figures["typical_s"] = Seconds::from(values["t_typical["], unit::us).in(unit::s);
  }
  set.measurements.push_back(std::move(m));
}

}  // namespace

bool recognises(std::string_view text) {
  return contains(text, "#bytes") && contains(text, "#iterations") &&
         (contains(text, "BW average[") || contains(text, "t_avg[usec]"));
}

void read(const ToolFile& file, MeasurementSet& set) {
  TextReader reader(file);
  Test test;
  bool table = false;
  for (const Line& line : reader.lines()) {
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.empty()) continue;
    if (line.text.ends_with("Test") || contains(line.text, " Test ")) {
      test = {};
      test.title = std::string(base::trim(line.text));
      table = false;
    } else if (words.front() == "#bytes") {
      table = true;
      test.columns = columns_of(line.text);
      test.bits = contains(line.text, "Gb/sec");
      if (test.title.empty())
        reader.warn(line, words.front(), "operation", "the table has no title",
                    "keep the lines above it: they say which operation was measured");
    } else if (line.text.starts_with("---")) {
      table = false;
    } else if (table && !words.front().empty() && words.front().front() >= '0' &&
               words.front().front() <= '9') {
      read_row(reader, line, test, set);
    } else if (contains(line.text, "Conflicting CPU frequency")) {
      test.options["cpu frequency"] = "varied during the test";
    } else if (contains(line.text, ":")) {
      for (const char* name : {"Device", "Transport type", "Connection type", "Mtu", "Link type"})
        if (const std::string value = setting(line.text, name); !value.empty())
          test.options[name] = value;
      if (const auto n = tool_number(setting(line.text, "Number of qps"))) test.qps = *n;
      if (const auto n = tool_number(setting(line.text, "TX depth"))) test.depth = *n;
    } else {
      reader.unread(line);
    }
  }
  set.ignored = reader.ignored();
}

}  // namespace stallcast::calibration::perftest
