#include <algorithm>
#include <array>

#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"

/// gdsio: one result per "IoType: ...", which terminals wrap.
/// - KiB and GiB are binary; other units are refused. IOSize may be a range "a-b-c(KiB)".
/// - "XferType: GPUD" says what was asked for, not that data went past host memory.
/// - The mean latency is 0 after one operation; of batches it is the time per operation, not from
///   submitting to completion.
namespace stallcast::calibration::gdsio {
namespace {

constexpr std::array<std::string_view, 9> kKeys{
    "IoType:", "XferType:",   "Threads:",     "IoDepth:", "DataSetSize:",
    "IOSize:", "Throughput:", "Avg_Latency:", "ops:"};

struct Word {
  std::string_view text;
  const Line* line;
};

struct Field {
  std::vector<Word> words;
  explicit operator bool() const { return !words.empty(); }
};

class Result {
 public:
  Result(TextReader& reader, std::span<const Word> words) : reader_(reader), words_(words) {}

  [[nodiscard]] Field field(std::string_view key) const {
    Field out;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i].text != key) continue;
      for (std::size_t j = i + 1; j < words_.size() && !is_key(words_[j].text); ++j)
        out.words.push_back(words_[j]);
      return out;
    }
    return out;
  }
  [[nodiscard]] std::string text(std::string_view key) const {
    const Field f = field(key);
    return f ? std::string(f.words.front().text) : "";
  }
  /// The number before `stop` in the first word after `key`.
  std::optional<double> number(std::string_view key, std::string_view stop = "") {
    const Field f = field(key);
    if (!f) {
      const Word& at = words_.front();
      reader_.error(*at.line, at.text, "truncated",
                    "this result has no \"" + std::string(key) + "\"",
                    "the line is cut; gdsio writes all figures of a result on one line");
      return std::nullopt;
    }
    std::string_view word = f.words.front().text;
    if (!stop.empty()) word = word.substr(0, word.find_first_of(stop));
    return reader_.number(*f.words.front().line, word, key);
  }
  /// Whether what follows `key` is in `unit`; an error where not.
  bool in(std::string_view key, std::string_view unit) {
    const Field f = field(key);
    if (!f) return false;
    // "4(KiB)" and "0.52 GiB/sec,".
    const bool attached = f.words.front().text.ends_with(')');
    const Word& word = attached || f.words.size() < 2 ? f.words.front() : f.words[1];
    std::string_view text = word.text;
    if (attached) text.remove_prefix(std::min(text.find('('), text.size()));
    if (text.ends_with(',')) text.remove_suffix(1);
    if (text == unit) return true;
    reader_.error(*word.line, word.text, "unit",
                  std::string(key) + " is not in " + std::string(unit) + ": \"" +
                      std::string(word.text) + "\"",
                  "gdsio writes GiB/sec, usecs, secs and (KiB)");
    return false;
  }

 private:
  static bool is_key(std::string_view word) {
    return word == "total_time" || std::find(kKeys.begin(), kKeys.end(), word) != kKeys.end();
  }
  TextReader& reader_;
  std::span<const Word> words_;
};

void read_result(TextReader& reader, std::span<const Word> words, MeasurementSet& set) {
  Result result(reader, words);
  Measurement m;
  m.subject = Subject::gds;
  m.origin = "line " + std::to_string(words.front().line->number);
  const std::string type = lower_case(result.text("IoType:"));
  m.operation = contains(type, "write") ? "write" : "read";
  m.pattern = type.starts_with("rand") ? "random" : "sequential";
  const std::string transfer = result.text("XferType:");
  m.path = lower_case(transfer);
  std::replace(m.path.begin(), m.path.end(), '_', '-');
  m.options["XferType"] = transfer;
  if (transfer.starts_with("GPU")) flag(m, "path-unproven");
  if (contains(transfer, "CACHED")) flag(m, "cached");

  const auto threads = result.number("Threads:");
  const double depth = result.field("IoDepth:") ? result.number("IoDepth:").value_or(1.0) : 1.0;
  const auto done = result.number("DataSetSize:", "/(");
  const auto size = result.field("IOSize:");
  const auto rate = result.number("Throughput:");
  const auto latency = result.number("Avg_Latency:");
  const auto ops = result.number("ops:");
  const auto time = result.number("total_time");
  if (!threads || !done || !rate || !latency || !ops || !time || !size) return;
  for (const auto& [key, unit] : {std::pair{"DataSetSize:", "(KiB)"},
                                  {"IOSize:", "(KiB)"},
                                  {"Throughput:", "GiB/sec"},
                                  {"Avg_Latency:", "usecs"},
                                  {"total_time", "secs"}})
    if (!result.in(key, unit)) return;
  m.processes = whole(threads);
  m.depth = *threads * depth;
  m.rate = Rate::from(*rate, unit::GiBps);
  m.count = static_cast<std::uint64_t>(whole(ops));
  m.duration = Seconds::from(*time, unit::s);
  if (*time > 0.0) m.ops = Ops::from(*ops, unit::ops) / *m.duration;
  const std::string_view sizes = size.words.front().text;
  if (contains(sizes.substr(0, sizes.find('(')), "-")) {
    m.options["io_sizes"] = std::string(sizes);
    if (*ops > 0.0) m.size = Bytes::from(*done / *ops, unit::KiB);  // the mean
  } else if (const auto kib = reader.number(*size.words.front().line,
                                            sizes.substr(0, sizes.find('(')), "IOSize:")) {
    m.size = Bytes::from(*kib, unit::KiB);
  }
  if (contains(transfer, "BATCH")) {
    m.figures["time_per_operation_s"] = Seconds::from(*latency, unit::us).in(unit::s);
  } else if (*latency > 0.0) {
    m.latency = Seconds::from(*latency, unit::us);
  }
  set.measurements.push_back(std::move(m));
}

}  // namespace

bool recognises(std::string_view text) {
  return contains(text, "IoType:") && contains(text, "XferType:");
}

void read(const ToolFile& file, MeasurementSet& set) {
  TextReader reader(file);
  std::vector<Word> words;
  const auto finish = [&] {
    if (!words.empty()) read_result(reader, words, set);
    words.clear();
  };
  for (const Line& line : reader.lines()) {
    bool used = false;
    for (const std::string_view word : words_of(line.text)) {
      if (word == "IoType:") finish();
      // A result ends with "total_time 1.5 secs"; what follows is another line.
      const bool open = !words.empty() && words.back().text != "secs";
      if (word != "IoType:" && !open) continue;
      words.push_back({word, &line});
      used = true;
    }
    if (!used) reader.unread(line);
  }
  finish();
  set.ignored = reader.ignored();
}

}  // namespace stallcast::calibration::gdsio
