#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"

/// nccl-tests (all_reduce_perf, ...), text; one file may hold several collectives.
/// - time is us, algbw decimal GB/s = size / time. busbw is algbw times a factor of the collective
///   and the number of ranks: it is not read, nor is "Avg bus bandwidth", which averages sizes.
/// - Each row holds two measurements: out of place and in place.
/// - "agg iters" above 1 launches several operations at once: a time is their mean.
/// - "#wrong" above 0 is a failed check, "N/A" one that was not made.
namespace stallcast::calibration::nccl_tests {
namespace {

struct Table {
  std::string collective;
  std::int64_t ranks = 0;
  std::set<std::string> hosts;  ///< that the ranks run on
  std::vector<std::string> columns;
  std::map<std::string, std::string> options;
};

/// "all_reduce_perf" or "alltoall_perf" in any line before the table: "allreduce", "alltoall".
std::string collective_in(std::string_view line) {
  const std::size_t end = line.find("_perf");
  if (end == line.npos) return "";
  std::size_t begin = end;
  const auto letter = [&](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  while (begin > 0 && letter(line[begin - 1])) --begin;
  std::string out;
  for (const char c : line.substr(begin, end - begin))
    if (c != '_') out += c;
  return out;
}

std::map<std::string, std::string_view> half(const Table& table,
                                             const std::vector<std::string_view>& cells,
                                             int which) {
  std::map<std::string, std::string_view> out;
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < table.columns.size() && i < cells.size(); ++i) {
    const std::string& name = table.columns[i];
    const int nth = seen[name]++;
    const bool once =
        name == "size" || name == "count" || name == "type" || name == "redop" || name == "root";
    if (once || nth == which) out[name] = cells[i];
  }
  return out;
}

void read_row(TextReader& reader, const Line& line, const Table& table, MeasurementSet& set) {
  const std::vector<std::string_view> cells = words_of(line.text);
  if (!reader.complete(line, cells, table.columns.size(), "the test")) return;
  for (int which = 0; which < 2; ++which) {
    auto values = half(table, cells, which);
    if (values.count("time") == 0 || values.count("size") == 0) continue;
    const auto size = reader.number(line, values["size"], "size");
    if (values["time"] == "N/A") continue;
    const auto us = reader.number(line, values["time"], "time");
    if (!size || !us) return;
    if (*us <= 0.0) continue;
    Measurement m;
    m.subject = Subject::collective;
    m.operation = table.collective.empty() ? "collective" : table.collective;
    m.path = which == 0 ? "out-of-place" : "in-place";
    m.origin = "line " + std::to_string(line.number) + " " + m.path;
    m.size = Bytes::from(*size, unit::B);
    m.latency = Seconds::from(*us, unit::us);
    m.processes = table.ranks;
    m.depth = 1.0;  // one collective after the other
    m.ops = Ops::from(1.0, unit::ops) / *m.latency;
    if (values.count("algbw") != 0) {
      const auto algbw = reader.number(line, values["algbw"], "algbw");
      if (!algbw) return;
      // Two decimals: a small collective prints 0.00 or 0.01.
      if (const auto rate = precise(*algbw, 0.01)) m.rate = Rate::from(*rate, unit::GBps);
    }
    m.options = table.options;
    if (const auto agg = m.options.find("agg_iters"); agg != m.options.end() && agg->second != "1")
      flag(m, "aggregated");
    for (const char* name : {"type", "redop"})
      if (values.count(name) != 0) m.options[name] = std::string(values[name]);
    if (values.count("#wrong") != 0 && values["#wrong"] != "N/A" &&
        tool_number(values["#wrong"]).value_or(1.0) != 0.0)
      flag(m, "failed");
    set.measurements.push_back(std::move(m));
  }
}

}  // namespace

bool recognises(std::string_view text) {
  return contains(text, "algbw") && contains(text, "busbw") && contains(text, "redop");
}

void read(const ToolFile& file, MeasurementSet& set) {
  TextReader reader(file);
  Table table;
  bool done = false;
  for (const Line& line : reader.lines()) {
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.empty()) continue;
    const std::string named = collective_in(line.text);
    const bool ends = contains(line.text, "concluded");
    if (!named.empty() && !ends && (named != table.collective || done)) {
      table = {};
      table.collective = named;
      done = false;
    }
    if (words.size() > 2 && words[0] == "#" && words[1] == "nThread") {
      if (done || table.ranks > 0)
        table = {named.empty() && !done ? table.collective : "", 0, {}, {}, {}};
      done = false;
      for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        if (words[i] == "agg" && words[i + 1] == "iters:" && i + 2 < words.size())
          table.options["agg_iters"] = std::string(words[i + 2]);
        if (words[i] == "nGpus" || words[i] == "graph" || words[i] == "graph:")
          table.options[std::string(words[i].substr(0, words[i].find(':')))] =
              std::string(words[i + 1]);
      }
    } else if (words.size() > 2 && words[0] == "#" && words[1] == "Rank") {
      ++table.ranks;
      if (const auto on = std::find(words.begin(), words.end(), "on");
          words.end() - on > 1 && table.hosts.emplace(on[1]).second)
        table.options["hosts"] = std::to_string(table.hosts.size());
    } else if (contains(line.text, "nccl-tests version")) {
      set.environment["versions"] =
          std::string(line.text.substr(line.text.find_first_not_of("# ")));
    } else if (words.size() > 4 && words[0] == "#" && words[1] == "size") {
      table.columns.assign(words.begin() + 1, words.end());
      if (table.collective.empty())
        reader.warn(line, words[1], "operation", "no line names the collective of this table",
                    "keep the command or the \"Collective test starting\" line above it");
    } else if (words[0][0] >= '0' && words[0][0] <= '9' && !table.columns.empty()) {
      read_row(reader, line, table, set);
    } else if (contains(line.text, "Out of bounds values")) {
      if (!contains(line.text, "OK"))
        reader.warn(line, line.text, "failed", "results of this table were wrong",
                    "rows with \"#wrong\" above 0 are flagged \"failed\"");
    } else if (contains(line.text, "Avg bus bandwidth")) {
      done = true;
    } else if (words[0][0] != '#') {
      reader.unread(line);
    }
  }
  set.ignored = reader.ignored();
  set.ignored.emplace_back("busbw, \"Avg bus bandwidth\": derived from algbw by a factor");
}

}  // namespace stallcast::calibration::nccl_tests
