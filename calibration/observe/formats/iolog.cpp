#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/observe/formats/formats.hpp"

// fio's write_iolog (iolog.c). Version 3 begins each line with microseconds since the log began.
// Version 2 has lines "file wait N M": the manual calls N microseconds of waiting, but fio compares
// it with the milliseconds since it started, so it is the time at which the next line is due. M
// says nothing, but without it fio leaves the line out ("bad iolog2").
// Neither says how long an operation took.
namespace stallcast::calibration::iolog {
namespace {

constexpr std::string_view kHeader = "fio version ";

struct Action {
  std::string_view name;
  std::optional<OperationKind> kind;  ///< nothing: no operation
  bool placed;                        ///< has an offset and a length
};
constexpr std::array<Action, 10> kActions{{{"add", std::nullopt, false},
                                           {"close", OperationKind::close, false},
                                           {"datasync", OperationKind::data_sync, true},
                                           {"open", OperationKind::open, false},
                                           {"read", OperationKind::read, true},
                                           {"sync", OperationKind::sync, true},
                                           {"sync_file_range", OperationKind::data_sync, true},
                                           {"syncfs", OperationKind::sync, true},
                                           {"trim", OperationKind::truncate, true},
                                           {"write", OperationKind::write, true}}};

std::optional<std::uint64_t> whole_number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
  return value;
}

class IologStream final : public OperationStream {
 public:
  IologStream(TraceFile& trace, std::int64_t index) : trace_(trace), rank_(index) {}

  bool next(Operation& out) override {
    std::string_view line;
    while (!over_ && trace_.line(line)) {
      if (trace_.open_ended()) {
        trace_.cut("line " + std::to_string(trace_.line_number()) + ": the line is not complete");
        break;
      }
      if (version == 0) {
        if (!header(line)) break;
        continue;
      }
      if (line.find_first_not_of(" \t") == line.npos) continue;
      if (row(line, out)) return true;
    }
    over_ = true;
    return false;
  }
  [[nodiscard]] const TracedFile* file(std::uint64_t id) const override {
    return id == 0 ? nullptr : &file_;
  }
  [[nodiscard]] std::optional<Seconds> began() const override { return std::nullopt; }
  [[nodiscard]] bool of_one_machine() const override { return true; }
  [[nodiscard]] Seconds resolution() const override {
    return Seconds::from(1.0, version == 2 ? unit::ms : unit::us);
  }

  int version = 0;

 private:
  bool header(std::string_view line) {
    if (line == "fio version 2 iolog") version = 2;
    if (line == "fio version 3 iolog") version = 3;
    if (version == 0)
      trace_.error("header", trace_.line_number(), 1, "this is not an iolog of version 2 or 3",
                   "the first line of one is \"fio version 3 iolog\"; fio --write_iolog=FILE "
                   "makes it");
    return version != 0;
  }

  bool fault(std::string_view line, std::string_view word, std::string message) {
    trace_.error("row", trace_.line_number(),
                 static_cast<std::size_t>(word.data() - line.data()) + 1, std::move(message),
                 version == 3 ? "write \"TIME FILE ACTION [OFFSET LENGTH]\""
                              : "write \"FILE ACTION [OFFSET LENGTH]\" or \"FILE wait TIME 0\"");
    return false;
  }

  /// True when the line is an operation.
  bool row(std::string_view line, Operation& out) {
    std::vector<std::string_view> words = words_of(line);
    if (version == 3) {
      const auto time = whole_number(words[0]);
      if (!time) return fault(line, words[0], "\"" + std::string(words[0]) + "\" is no time");
      now_ = Seconds::from(static_cast<double>(*time), unit::us);
      words.erase(words.begin());
    }
    if (words.size() < 2) return fault(line, line, "the line has no action");
    if (words[1] == "wait") return wait(line, words);
    const Action* action = nullptr;
    for (const Action& a : kActions)
      if (a.name == words[1]) action = &a;
    if (action == nullptr)
      return fault(line, words[1], "\"" + std::string(words[1]) + "\" is no action of an iolog");
    out = {};
    if (action->placed) {
      const auto offset = words.size() == 4 ? whole_number(words[2]) : std::nullopt;
      const auto length = words.size() == 4 ? whole_number(words[3]) : std::nullopt;
      if (!offset || !length)
        return fault(line, words[1],
                     "\"" + std::string(words[1]) + "\" takes an offset and a length in bytes");
      out.offset = *offset;
      out.bytes = Bytes::from(static_cast<double>(*length), unit::B);
    }
    trace_.record();
    if (!action->kind) return false;
    out.kind = *action->kind;
    out.rank = rank_;
    out.start = now_;
    if (out.kind == OperationKind::sync || out.kind == OperationKind::data_sync) out.bytes = {};
    if (words[0] != file_.name) {
      file_.name = words[0];
      id_ = file_id(words[0]);
    }
    out.file = id_;
    return true;
  }

  bool wait(std::string_view line, const std::vector<std::string_view>& words) {
    // Version 3 has times of its own, and fio refuses to wait there.
    if (version == 3) return trace_.record(), false;
    const auto until = words.size() == 4 ? whole_number(words[2]) : std::nullopt;
    if (!until || !whole_number(words[3]))
      return fault(line, words[1], "\"wait\" takes a time and a length, as fio reads it");
    trace_.record();
    now_ = std::max(now_, Seconds::from(static_cast<double>(*until), unit::ms));
    return false;
  }

  TraceFile& trace_;
  std::int64_t rank_;
  Seconds now_;
  TracedFile file_;
  std::uint64_t id_ = 0;
  bool over_ = false;
};

}  // namespace

bool recognises(std::string_view head) { return head.starts_with(kHeader); }

std::unique_ptr<OperationStream> operations(TraceFile& file, std::int64_t index) {
  return std::make_unique<IologStream>(file, index);
}

void read(TraceFile& file, std::int64_t index, ObservationBuilder& builder) {
  IologStream stream(file, index);
  builder.begin(std::nullopt);
  Operation op;
  while (stream.next(op)) builder.operation(op, stream.file(op.file));
  if (stream.version != 0) builder.known.source.dialect = "v" + std::to_string(stream.version);
}

}  // namespace stallcast::calibration::iolog
