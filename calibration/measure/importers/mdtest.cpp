#include <algorithm>
#include <array>
#include <utility>

#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"
#include "engine/base/text.hpp"

/// mdtest 1.9 to 4.1, text.
/// - "SUMMARY rate" holds operations per second; "SUMMARY time", which 4.1 titles "(in ops/sec)" as
///   well, holds seconds.
/// - 0.000 is an operation that was not measured.
/// - "File read" without -e opens and closes only.
/// - With -f, -l and -s a run has a summary for each number of tasks, under "4 tasks, 4000 files".
/// - Without -N every task stats and reads what it has created: its own cache answers.
namespace stallcast::calibration::mdtest {
namespace {

struct Operation {
  std::string_view row;
  std::string_view name;
};
constexpr std::array<Operation, 10> kOperations{{{"Directory creation", "mkdir"},
                                                 {"Directory stat", "stat-directory"},
                                                 {"Directory rename", "rename-directory"},
                                                 {"Directory removal", "rmdir"},
                                                 {"File creation", "create"},
                                                 {"File stat", "stat"},
                                                 {"File read", "read"},
                                                 {"File removal", "unlink"},
                                                 {"Tree creation", "create-tree"},
                                                 {"Tree removal", "remove-tree"}}};

/// Largest over smallest iteration above which a mean stands for nothing.
constexpr double kSteady = 3.0;

struct Run {
  std::string command;
  std::int64_t tasks = 0;
  std::string nodes;      ///< of the launch; "" where fewer tasks ran
  std::size_t begin = 0;  ///< its first record in the set
};

enum class Block { none, rate, time };

void describe(const Run& run, Measurement& m) {
  // With -c the first task creates and removes for all. [mdtest(1)]
  const bool by_one =
      has_option(run.command, "-c") && (m.operation == "create" || m.operation == "unlink" ||
                                        m.operation == "mkdir" || m.operation == "rmdir");
  m.processes = by_one ? 1 : run.tasks;
  m.depth = static_cast<double>(m.processes);
  for (const char* name : {"-n", "-N", "-w", "-e", "-I", "-b", "-z", "-d"})
    if (has_option(run.command, name)) m.options[name] = option_of(run.command, name);
  if (has_option(run.command, "-u")) m.options["directories"] = "one per task";
  if (!run.nodes.empty()) m.options["nodes"] = run.nodes;
  const auto bytes = [&](const char* name) {
    return tool_size(option_of(run.command, name)).value_or(Bytes{});
  };
  if (m.operation == "create") m.size = bytes("-w");
  if (m.operation == "read") m.size = bytes("-e");
  if (m.operation == "read" && m.size <= Bytes{}) m.operation = "open";
  const bool shifted = has_option(run.command, "-N") && run.nodes != "1";
  if ((m.operation.starts_with("stat") || m.operation == "read" || m.operation == "open") &&
      !shifted)
    flag(m, "cache-possible");
  if (m.operation.ends_with("-tree")) flag(m, "few-completions");
}

class Reader {
 public:
  Reader(const ToolFile& file, MeasurementSet& set) : reader_(file), set_(set) {}

  void read() {
    for (const Line& line : reader_.lines()) one(line);
    if (open_ != nullptr)
      reader_.warn(*open_, open_->text, "truncated",
                   "the text ends before this run was done: \"-- finished\" is missing",
                   "mdtest was stopped, or the text is cut: rows may be missing");
    set_.ignored = reader_.ignored();
  }

 private:
  void one(const Line& line) {
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.empty()) return;
    if (contains(line.text, "was launched with")) {
      run_ = {};
      run_.begin = set_.measurements.size();
      block_ = Block::none;
      const std::string_view name = words.front();
      if (name.size() > 7) set_.tool_version = std::string(name.substr(7));
      if (words.size() > 4) run_.tasks = whole(reader_.number(line, words[4], "tasks"));
      if (words.size() > 8) run_.nodes = words[8].substr(0, words[8].find('('));
    } else if (line.text.starts_with("Command line used")) {
      run_.command = std::string(line.text.substr(line.text.find(':') + 1));
      set_.environment["command"] = base::trim(run_.command);
    } else if (line.text.starts_with("FS ") && contains(line.text, ":")) {
      set_.environment["file system"] = base::trim(line.text.substr(line.text.find(':') + 1));
    } else if (words.front().starts_with("Path") || words.front().starts_with("Nodemap") ||
               line.text.starts_with("-- started")) {
      if (line.text.starts_with("-- started")) open_ = &line;
      return;  // told by other lines
    } else if (words.size() > 2 && words[1] == "tasks," && tool_count(words[0])) {
      if (whole(tool_number(words[0])) != run_.tasks) run_.nodes.clear();
      run_.tasks = whole(tool_number(words[0]));
      run_.begin = set_.measurements.size();
    } else if (line.text.starts_with("SUMMARY")) {
      const auto of = std::find(words.begin(), words.end(), "(of");
      iterations_ = words.end() - of > 1 ? std::string(of[1]) : "";
      block_ = contains(line.text, "time") ? Block::time : Block::rate;
    } else if (line.text.starts_with("-- finished")) {
      block_ = Block::none;
      open_ = nullptr;
    } else if (block_ == Block::none || !row(line)) {
      if (words.front() != "Operation") reader_.unread(line);
    }
  }

  bool row(const Line& line) {
    const std::size_t begin = line.text.find_first_not_of(" \t");
    for (const Operation& operation : kOperations) {
      if (!line.text.substr(begin).starts_with(operation.row)) continue;
      std::vector<std::string_view> words =
          words_of(line.text.substr(begin + operation.row.size()));
      if (!words.empty() && words.front() == ":") words.erase(words.begin());
      if (words.size() < 4) {
        reader_.error(
            line, line.text.substr(begin), "truncated",
            "\"" + std::string(operation.row) + "\" lacks some of Max, Min, Mean, Std Dev",
            "mdtest was stopped while it wrote, or the line is cut");
        return true;
      }
      // With -P columns per rank stand before those per iteration.
      words.erase(words.begin(), words.end() - 4);
      std::array<double, 4> values{};
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = reader_.number(line, words[i], operation.row);
        if (!value) return true;
        values[i] = *value;
      }
      if (values[2] == 0.0) {
        reader_.unread(line);
      } else if (block_ == Block::rate) {
        rate(line, operation, values);
      } else {
        time(line, operation, values[2]);
      }
      return true;
    }
    return false;
  }

  void rate(const Line& line, const Operation& operation, const std::array<double, 4>& values) {
    Measurement m;
    m.subject = Subject::metadata;
    m.operation = operation.name;
    m.origin = "line " + std::to_string(line.number);
    m.ops = OpRate::from(values[2], unit::per_s);
    m.figures["max_per_s"] = values[0];
    m.figures["min_per_s"] = values[1];
    m.options["row"] = operation.row;
    if (!iterations_.empty() && iterations_ != "1") m.options["iterations"] = iterations_;
    describe(run_, m);
    if (values[1] > 0.0 && values[0] > kSteady * values[1]) flag(m, "unsteady");
    set_.measurements.push_back(std::move(m));
  }

  /// Seconds of an operation: of the record that has its rate, or of one without.
  void time(const Line& line, const Operation& operation, double seconds) {
    for (std::size_t i = run_.begin; i < set_.measurements.size(); ++i) {
      Measurement& m = set_.measurements[i];
      if (m.options["row"] != operation.row) continue;
      m.duration = Seconds::from(seconds, unit::s);
      return;
    }
    Measurement m;
    m.subject = Subject::metadata;
    m.operation = operation.name;
    m.origin = "line " + std::to_string(line.number);
    m.duration = Seconds::from(seconds, unit::s);
    m.options["row"] = operation.row;
    describe(run_, m);
    set_.measurements.push_back(std::move(m));
  }

  TextReader reader_;
  MeasurementSet& set_;
  Run run_;
  Block block_ = Block::none;
  std::string iterations_;      ///< of a rate; "" where it does not say
  const Line* open_ = nullptr;  ///< where the run began that has not ended
};

}  // namespace

bool recognises(std::string_view text) {
  return contains(text, "mdtest-") && contains(text, "was launched with");
}

void read(const ToolFile& file, MeasurementSet& set) { Reader(file, set).read(); }

}  // namespace stallcast::calibration::mdtest
