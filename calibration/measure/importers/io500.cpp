#include <array>
#include <utility>

#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"
#include "engine/base/text.hpp"

/// IO500: result_summary.txt ("[RESULT] ior-easy-write 3.1 GiB/s : time 300.1 seconds") and
/// result.txt (ini).
/// - GiB/s is binary; kIOPS is a thousand operations per second.
/// - "timestamp" and scores are not results. "[INVALID]" breaks the rules of the list: it is
/// flagged.
/// - ior-hard moves 47008 B, mdtest-hard files hold 3901 B. [io500 rules]
namespace stallcast::calibration::io500 {
namespace {

struct Phase {
  std::string name;
  double value = 0.0;
  bool bandwidth = false;
  double seconds = 0.0;
  bool invalid = false;
  std::string command;  ///< of the ini file
  std::int64_t tasks = 0;
  int line = 0;
};

std::string operation_of(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNames{
      {{"mdtest-easy-write", "create"}, {"mdtest-hard-write", "create"}, {"find", "find"}}};
  for (const auto& [phase, operation] : kNames)
    if (name == phase) return std::string(operation);
  const std::string last = name.substr(name.rfind('-') + 1);
  return last == "delete" ? "unlink" : last;
}

void add(const Phase& phase, MeasurementSet& set) {
  if (phase.value <= 0.0) return;
  Measurement m;
  m.origin = "line " + std::to_string(phase.line);
  m.operation = operation_of(phase.name);
  m.options["phase"] = phase.name;
  if (phase.seconds > 0.0) m.duration = Seconds::from(phase.seconds, unit::s);
  const bool hard = contains(phase.name, "hard");
  if (phase.bandwidth) {
    m.rate = Rate::from(phase.value, unit::GiBps);
    m.pattern = contains(phase.name, "rnd") ? "random" : "sequential";
    m.read_share = m.operation == "read" ? 1.0 : 0.0;
    if (const auto size = tool_size(option_of(phase.command, "-t"))) {
      m.size = *size;
    } else if (hard) {
      m.size = Bytes::from(47008, unit::B);
    }
  } else {
    m.subject = Subject::metadata;
    m.ops = OpRate::from(phase.value, unit::kilo_per_s);
    if (hard && (m.operation == "create" || m.operation == "read"))
      m.size = Bytes::from(3901, unit::B);
  }
  m.processes = phase.tasks;
  m.depth = static_cast<double>(phase.tasks);
  m.options["directories"] = hard ? "one for all" : "one per task";
  if (phase.invalid) flag(m, "invalid-run");
  set.measurements.push_back(std::move(m));
}

/// "[RESULT]  ior-easy-write  3.123456 GiB/s : time 305.123 seconds [INVALID]"
void read_result(TextReader& reader, const Line& line, MeasurementSet& set) {
  const std::vector<std::string_view> words = words_of(line.text);
  if (words.size() < 7) {
    reader.error(line, words.back(), "truncated", "this result is cut",
                 "a result ends with \": time 300.1 seconds\"");
    return;
  }
  Phase phase;
  phase.line = line.number;
  phase.name = words[1];
  const auto value = reader.number(line, words[2], "the result");
  const auto seconds = reader.number(line, words[6], "the time");
  if (!value || !seconds) return;
  phase.value = *value;
  phase.seconds = *seconds;
  const std::string unit = lower_case(words[3]);
  if (unit != "gib/s" && unit != "kiops") {
    reader.error(line, words[3], "unit", "unit \"" + std::string(words[3]) + "\" is not known",
                 "IO500 prints GiB/s and kIOPS");
    return;
  }
  phase.bandwidth = unit == "gib/s";
  phase.invalid = contains(line.text, "INVALID");
  add(phase, set);
}

class Ini {
 public:
  Ini(TextReader& reader, MeasurementSet& set) : reader_(reader), set_(set) {}

  /// False when the line is neither section nor value.
  bool take(const Line& line) {
    const std::string_view text = base::trim(line.text);
    if (text.starts_with('[') && text.ends_with(']')) {
      finish();
      phase_ = {};
      phase_.name = std::string(text.substr(1, text.size() - 2));
      phase_.bandwidth = phase_.name.starts_with("ior");
      phase_.line = line.number;
      return true;
    }
    if (text.starts_with(';') || text.starts_with('#')) {
      phase_.invalid = phase_.invalid || contains(text, "INVALID");
      return true;
    }
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view key = base::trim(text.substr(0, equals));
    const std::string_view value = base::trim(text.substr(equals + 1));
    if (key == "version") set_.tool_version = std::string(value);
    if (key == "procs") tasks_ = whole(reader_.number(line, value, key));
    if (key == "config-hash" || key == "mode" || key == "result-dir")
      set_.environment[std::string(key)] = value;
    if (key == "t_start" && set_.date.empty()) set_.date = std::string(value);
    if (key == "exe") phase_.command = std::string(value);
    if (key == "valid") phase_.invalid = lower_case(value) == "false" || value == "0";
    if (key == "score" && measured()) phase_.value = reader_.number(line, value, key).value_or(0.0);
    if (key == "t_delta") phase_.seconds = reader_.number(line, value, key).value_or(0.0);
    return true;
  }
  void finish() {
    phase_.tasks = tasks_;
    if (measured()) add(phase_, set_);
    phase_ = {};
  }

 private:
  [[nodiscard]] bool measured() const {
    return phase_.name.starts_with("ior-") || phase_.name.starts_with("mdtest-") ||
           phase_.name.starts_with("find");
  }
  TextReader& reader_;
  MeasurementSet& set_;
  Phase phase_;
  std::int64_t tasks_ = 0;
};

}  // namespace

bool recognises(std::string_view text) {
  return (contains(text, "[RESULT") && (contains(text, "kIOPS") || contains(text, "GiB/s"))) ||
         (contains(text, "[ior-easy-write]") && contains(text, "score"));
}

void read(const ToolFile& file, MeasurementSet& set) {
  TextReader reader(file);
  Ini ini(reader, set);
  for (const Line& line : reader.lines()) {
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.empty()) continue;
    if (words.front() == "IO500" && words.size() > 2) {
      set.tool_version = std::string(words[2]);
    } else if (line.text.starts_with("[RESULT")) {
      read_result(reader, line, set);
    } else if (line.text.starts_with("[SCORE") || !ini.take(line)) {
      if (line.text.starts_with("[SCORE]") && words.size() == 1) {
        (void)ini.take(line);
      } else {
        reader.unread(line);
      }
    }
  }
  ini.finish();
  set.ignored = reader.ignored();
}

}  // namespace stallcast::calibration::io500
