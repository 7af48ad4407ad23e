#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/observe/formats/formats.hpp"
#include "engine/base/text.hpp"

// Text of darshan-dxt-parser (darshan-dxt-logutils.c): for each file and rank a few comments, then
// a row per operation, all writes before all reads. Seconds since the job began, of 0.1 ms: short
// operations seem to take no time. X_MPIIO repeats the bytes of X_POSIX below it.
namespace stallcast::calibration::darshan_dxt {
namespace {

constexpr std::size_t kRowWords =
    8;  // module, rank, direction, segment, offset, length, start, end
constexpr std::size_t kKnownTables = 2'000'000;

std::optional<std::int64_t> integer_of(std::string_view word) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
  return value;
}

/// What stands behind `name` in `line`, up to the next comma that `rest` does not want.
std::string_view behind(std::string_view line, std::string_view name, bool rest = false) {
  const std::size_t at = line.find(name);
  if (at == line.npos) return {};
  line.remove_prefix(at + name.size());
  return base::trim(rest ? line : line.substr(0, line.find(',')));
}

class DxtStream final : public OperationStream {
 public:
  DxtStream(TraceFile& trace, std::int64_t /*index*/) : trace_(trace) {}

  bool next(Operation& out) override {
    std::string_view line;
    while (!over_ && trace_.line(line)) {
      if (trace_.open_ended()) {
        trace_.cut("line " + std::to_string(trace_.line_number()) + ": the line is not complete");
        break;
      }
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == line.npos) continue;
      if (line[first] == '#') {
        comment(line.substr(first + 1));
        continue;
      }
      if (line.compare(first, 2, "X_") != 0) continue;  // what a launcher printed
      if (row(line, out)) return true;
      if (trace_.failed()) break;
    }
    if (!over_) end_table();
    over_ = true;
    return false;
  }
  [[nodiscard]] const TracedFile* file(std::uint64_t id) const override {
    return id == 0 ? nullptr : &file_;
  }
  [[nodiscard]] std::optional<Seconds> began() const override { return began_; }
  [[nodiscard]] bool in_order() const override { return false; }
  [[nodiscard]] Seconds resolution() const override { return Seconds::from(0.1, unit::ms); }

  void finish(ObservationBuilder& builder);
  std::map<std::int64_t, std::string> hosts;  ///< of ranks

 private:
  void comment(std::string_view text);
  void table(std::string_view text);
  void stripes(std::string_view text);
  void end_table();
  void end_layout();
  bool row(std::string_view line, Operation& out);

  TraceFile& trace_;
  bool over_ = false;
  TracedFile file_;
  std::uint64_t id_ = 0;
  std::int64_t rank_ = 0;
  std::optional<Seconds> began_, run_time_;
  std::optional<std::int64_t> ranks_;
  std::string version_;
  std::uint64_t promised_ = 0, seen_rows_ = 0, repeated_ = 0, conflicts_ = 0;
  bool threads_ = false;
  bool second_ = false, judged_ = false;  ///< the table is X_MPIIO of a file with X_POSIX
  std::unordered_set<std::uint64_t> posix_, above_;
  std::vector<StripeComponent> layout_;
  std::map<std::string, ObservedLayout> layouts_;
  std::set<std::pair<std::uint64_t, std::string>> laid_out_;  ///< file and layout, counted
  std::set<std::int64_t> osts_;
  std::vector<ObservedHostMount> mounts_;
};

void DxtStream::stripes(std::string_view text) {
  StripeComponent part;
  if (const auto extent = behind(text, "stripe_ext:"); !extent.empty()) {
    const std::size_t dash = extent.find('-');
    const auto from = integer_of(base::trim(extent.substr(0, dash)));
    const auto to =
        dash == extent.npos ? std::nullopt : integer_of(base::trim(extent.substr(dash + 1)));
    part.start = Bytes::from(static_cast<double>(from.value_or(0)), unit::B);
    if (to) part.end = Bytes::from(static_cast<double>(*to), unit::B);
  }
  const auto size = integer_of(behind(text, "stripe_size:"));
  const auto count = integer_of(behind(text, "stripe_count:"));
  if (size && count && *size >= 0 && *count >= 0) {
    part.stripe_size = Bytes::from(static_cast<double>(*size), unit::B);
    part.stripe_count = *count;
    layout_.push_back(part);
  }
  for (const std::string_view name : {"OSTs:", "obdidx:"})
    for (const std::string_view word : words_of(behind(text, name, true)))
      if (const auto ost = integer_of(word)) osts_.insert(*ost);
}

void DxtStream::end_layout() {
  if (layout_.empty()) return;
  std::string key;
  for (const StripeComponent& c : layout_) {
    for (const double part : {c.start.in(unit::B), c.end ? c.end->in(unit::B) : -1.0,
                              c.stripe_size.in(unit::B), static_cast<double>(c.stripe_count)})
      key += std::to_string(part) + " ";
  }
  if (laid_out_.size() < kKnownTables && laid_out_.insert({id_, key}).second) {
    ObservedLayout& layout = layouts_[key];
    layout.components = layout_;
    ++layout.files;
  }
  layout_.clear();
}

void DxtStream::end_table() {
  end_layout();
  if (seen_rows_ < promised_)
    trace_.cut("line " + std::to_string(trace_.line_number()) + ": " + std::to_string(seen_rows_) +
               " of " + std::to_string(promised_) + " rows of a file are there");
  promised_ = seen_rows_ = 0;
}

void DxtStream::table(std::string_view text) {
  if (const auto id = behind(text, "file_id:"); !id.empty()) {
    end_table();
    file_ = {};
    file_.name = behind(text, "file_name:", true);
    id_ = file_id(id);
    judged_ = false;
  } else if (const auto rank = behind(text, "rank:"); !rank.empty()) {
    rank_ = integer_of(rank).value_or(0);
    if (hosts.size() < kProcesses) hosts[rank_] = behind(text, "hostname:", true);
  } else if (text.find("write_count:") != text.npos) {
    const auto writes = integer_of(behind(text, "write_count:"));
    const auto reads = integer_of(behind(text, "read_count:"));
    promised_ = static_cast<std::uint64_t>(std::max<std::int64_t>(writes.value_or(0), 0) +
                                           std::max<std::int64_t>(reads.value_or(0), 0));
    seen_rows_ = 0;
  } else if (const auto mount = behind(text, "mnt_pt:"); !mount.empty()) {
    file_.mount = mount;
    file_.fs_type = behind(text, "fs_type:", true);
  } else {
    stripes(text);
  }
}

void DxtStream::comment(std::string_view text) {
  text = base::trim(text);
  if (text.starts_with("DXT,")) return table(text.substr(4));
  if (text.starts_with("[Component")) return stripes(text);
  if (text.starts_with("Module")) {
    threads_ = text.find("Pthread") != text.npos;
    return;
  }
  if (text.find("incomplete data") != text.npos)
    return trace_.cut("line " + std::to_string(trace_.line_number()) +
                      ": Darshan's memory was full, operations are missing");
  if (const auto start = integer_of(behind(text, "start_time:")); start && *start > 0)
    began_ = Seconds::from(static_cast<double>(*start), unit::s);
  if (const auto time = base::parse_number(behind(text, "run time:")); time && *time > 0.0)
    run_time_ = Seconds::from(*time, unit::s);
  if (const auto ranks = integer_of(behind(text, "nprocs:")); ranks && *ranks > 0) ranks_ = ranks;
  if (const auto version = behind(text, "lib_ver ="); !version.empty()) version_ = version;
  if (text.starts_with("mount entry:")) {
    const auto words = words_of(behind(text, "mount entry:", true));
    if (words.size() == 2)
      mounts_.push_back({std::string(words[0]), std::string(words[1]), "", std::nullopt});
  }
}

bool DxtStream::row(std::string_view line, Operation& out) {
  const std::vector<std::string_view> words = words_of(line);
  const auto refuse = [&](std::size_t word, const std::string& what) {
    const std::string_view at = word < words.size() ? words[word] : words.back();
    trace_.error("row", trace_.line_number(), static_cast<std::size_t>(at.data() - line.data()) + 1,
                 what, "rows come from darshan-dxt-parser as they are");
    return false;
  };
  if (words.size() < kRowWords) return refuse(0, "the row has fewer than eight columns");
  std::array<std::int64_t, 2> whole{};  // offset, length
  for (std::size_t i = 0; i < 2; ++i) {
    const auto value = integer_of(words[4 + i]);
    if (!value) return refuse(4 + i, "\"" + std::string(words[4 + i]) + "\" is no count of bytes");
    whole[i] = *value;
  }
  const auto rank = integer_of(words[1]);
  const auto start = base::parse_number(words[6]), end = base::parse_number(words[7]);
  if (!rank) return refuse(1, "\"" + std::string(words[1]) + "\" is no rank");
  if (!start || !end) return refuse(6, "start and end take seconds");
  const bool read = words[2] == "read";
  if (!read && words[2] != "write") return refuse(2, "an operation is \"read\" or \"write\"");
  trace_.record();
  ++seen_rows_;
  if (!judged_) {
    judged_ = true;
    const bool upper = words[0] != "X_POSIX";
    second_ = upper && posix_.count(id_) > 0;
    if (!upper && above_.count(id_) > 0) ++conflicts_;
    if (posix_.size() + above_.size() < kKnownTables) (upper ? above_ : posix_).insert(id_);
  }
  if (second_) {
    ++repeated_;
    return false;
  }
  out = {};
  out.kind = read ? OperationKind::read : OperationKind::write;
  out.rank = *rank;
  out.start = Seconds::from(*start, unit::s);
  out.end = Seconds::from(std::max(*end, *start), unit::s);
  out.file = id_;
  out.offset = static_cast<std::uint64_t>(std::max<std::int64_t>(whole[0], 0));
  out.bytes = Bytes::from(static_cast<double>(std::max<std::int64_t>(whole[1], 0)), unit::B);
  out.failed = whole[1] < 0;
  bool inside = false;  // a list of OSTs: [3], [OST: 3], [ 1] [ 2]
  for (std::size_t i = kRowWords; i < words.size(); ++i) {
    const std::string_view word = words[i];
    inside = inside || word.front() == '[';
    std::string_view number = word;
    while (!number.empty() && !base::is_digit(number.front())) number.remove_prefix(1);
    while (!number.empty() && !base::is_digit(number.back())) number.remove_suffix(1);
    const auto value = integer_of(number);
    if (inside && value)
      osts_.insert(*value);
    else if (!inside && threads_ && value)
      out.thread = *value;
    if (word.back() == ']') inside = false;
  }
  return true;
}

void DxtStream::finish(ObservationBuilder& builder) {
  Observation& known = builder.known;
  known.source.tool_version = version_;
  if (ranks_) known.ranks = ranks_;
  if (run_time_) known.wall = std::max(known.wall.value_or(Seconds{}), *run_time_);
  for (const auto& [rank, host] : hosts) builder.process(rank).host = builder.names.host(host);
  if (!mounts_.empty()) {
    ObservedHost& to = known.host ? *known.host : known.host.emplace();
    for (ObservedHostMount& mount : mounts_) {
      mount.mount = builder.names.mount(mount.mount);
      if (std::find(to.mounts.begin(), to.mounts.end(), mount) == to.mounts.end())
        to.mounts.push_back(mount);
    }
  }
  if (!layouts_.empty() || !osts_.empty()) {
    ObservedLustre& to = known.lustre ? *known.lustre : known.lustre.emplace();
    for (const auto& [key, layout] : layouts_) to.layouts.push_back(layout);
    std::stable_sort(to.layouts.begin(), to.layouts.end(),
                     [](const auto& a, const auto& b) { return a.files > b.files; });
    to.osts = std::max<std::uint64_t>(to.osts, osts_.size());
  }
  if (repeated_ > 0)
    builder.note(std::to_string(repeated_) + " rows of X_MPIIO repeat those of X_POSIX");
  if (conflicts_ > 0)
    builder.note("X_MPIIO comes before X_POSIX: " + std::to_string(conflicts_) +
                 " tables count twice");
  builder.note("times are of 0.1 ms: an operation that seems to take none took less");
}

}  // namespace

bool recognises(std::string_view head) { return head.find("# DXT, file_id:") != head.npos; }

std::unique_ptr<OperationStream> operations(TraceFile& file, std::int64_t index) {
  return std::make_unique<DxtStream>(file, index);
}

void read(TraceFile& file, std::int64_t index, ObservationBuilder& builder) {
  DxtStream stream(file, index);
  count_operations(stream, builder, [](const Operation&) {});
}

}  // namespace stallcast::calibration::darshan_dxt
