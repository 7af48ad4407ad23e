#include "calibration/observe/formats/dftracer_stream.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "calibration/observe/formats/calls.hpp"
#include "calibration/observe/formats/formats.hpp"
#include "engine/base/text.hpp"

// DFTracer's .pfw: one JSON object a line, microseconds. Three dialects: (a) until 2023, all values
// are texts, names in clear, pid is the MPI rank; (b) 2024, numbers, names by hash with rows "M"
// that tell them (HH, FH, SH), pid is the kernel's; (c) later, `ph` is a number and there is a
// `type`. Processes that fork write again what their parent had not yet written: lines that are the
// same byte for byte count once.
namespace stallcast::calibration::dftracer {
namespace {

constexpr std::size_t kKnownNames = 500'000;
constexpr std::size_t kOpenDescriptors = 1'000'000;

std::string_view plain_line(std::string_view line) {
  line = base::trim(line);
  while (line.ends_with(',')) line.remove_suffix(1);
  return line;
}

}  // namespace

void DftracerStream::enter(std::size_t depth) {
  if (depth == 0) event_.clear();
}

void DftracerStream::value(std::size_t depth, const JsonScalar& scalar) {
  if (depth == 1)
    event_.add(key(1), false, scalar);
  else if (depth == 2 && key(1) == "args")
    event_.add(key(2), true, scalar);
}

bool DftracerStream::parse(std::string_view line) {
  const std::string_view text = plain_line(line);
  if (text.empty() || text == "[" || text == "]") return false;
  const std::uint64_t number = trace_.line_number();
  const auto column = static_cast<std::size_t>(text.data() - line.data()) + 1;
  const auto fault = walk_json(text, *this);
  if (fault && trace_.open_ended()) {
    trace_.cut("line " + std::to_string(number) + ": the row is not complete");
    return false;
  }
  if (fault || text.front() != '{') {
    trace_.error("syntax", number, column + (fault ? fault->column : 1) - 1,
                 "this is not a row of DFTracer: " + (fault ? fault->what : "it is no object"),
                 "each line is one JSON object");
    return false;
  }
  if (seen_.before(text)) {
    trace_.repeated();
    return false;
  }
  return true;
}

DftracerStream::Phase DftracerStream::phase() const {
  const std::string_view ph = event_.text("ph");
  if (ph == "X" || ph == "1") return Phase::event;
  if (ph == "M" || ph == "4") return Phase::metadata;
  if (ph == "A" || ph == "3") return Phase::aggregate;
  if (ph == "C" || ph == "2")  // once aggregates were written as counters
    return event_.integer("dft_cnt", true) ? Phase::aggregate : Phase::counter;
  return Phase::other;
}

bool DftracerStream::next(Operation& out) {
  std::string_view line;
  while (!over_ && trace_.line(line)) {
    if (!parse(line)) {
      if (trace_.failed()) break;
      continue;
    }
    const Phase what = phase();
    if (what == Phase::other && event_.text("name").empty()) {
      trace_.error("row", trace_.line_number(), 1, "this object is no event of DFTracer",
                   "an event has \"name\", \"ph\", \"pid\" and \"ts\"");
      break;
    }
    trace_.record();
    numbered_ = numbered_ || base::is_digit(event_.text("ph").empty() ? 'X' : event_.text("ph")[0]);
    pid_ = event_.integer("pid").value_or(0);
    tid_ = event_.integer("tid").value_or(0);
    if (what == Phase::metadata) metadata();
    if ((what == Phase::event || what == Phase::aggregate) && event(out, what == Phase::aggregate))
      return true;
  }
  if (!over_ && starts_ > ends_)
    trace_.cut(std::to_string(starts_ - ends_) + " of " + std::to_string(starts_) +
               " processes left no event \"end\"");
  over_ = true;
  return false;
}

void DftracerStream::metadata() {
  const std::string_view name = event_.text("name");
  const std::string_view value = event_.text("value", true), text = event_.text("name", true);
  if (name == "FH" || name == "HH") {
    hashed_ = true;
    if (names_.size() < kKnownNames) names_[std::string(name) + std::string(value)] = text;
  } else if (name == "PR" && text == "rank") {
    if (const auto rank = event_.integer("value", true)) ranks_[pid_] = *rank;
  }
}

void DftracerStream::lifecycle(std::string_view name) {
  if (name == "start") {
    ++starts_;
    version_ = event_.text("version", true);
  }
  if (name == "end") ++ends_;
}

void DftracerStream::name_file() {
  std::string_view name = event_.text("fname", true);
  std::string unnamed;
  if (name.empty()) {
    const std::string_view hash = event_.text("fhash", true);
    if (hash.empty()) {
      id_ = 0;
      return;
    }
    const auto it = names_.find("FH" + std::string(hash));
    if (it != names_.end()) {
      name = it->second;
    } else {
      unnamed = "hash " + std::string(hash);
      name = unnamed;
      ++nameless_;
    }
  }
  if (name != file_.name || id_ == 0) {
    file_.name = name;
    id_ = file_id(name);
  }
}

std::uint64_t DftracerStream::descriptor(std::int64_t fd) const {
  // Where pid is a rank, workers are told by their thread, and each has a table of its own.
  std::uint64_t state = static_cast<std::uint64_t>(pid_) * 0x9E3779B97F4A7C15U;
  if (texts_) state += static_cast<std::uint64_t>(tid_) * 0xBF58476D1CE4E5B9U;
  state += static_cast<std::uint64_t>(fd);
  return base::split_mix(state);
}

void DftracerStream::place(Operation& out, std::string_view name) {
  const auto fd = event_.integer("fd", true);
  const auto result = event_.integer("ret", true);
  if (out.kind == OperationKind::open) {
    if (result && *result >= 0 && positions_.size() < kOpenDescriptors)
      positions_[descriptor(*result)] = 0;
    return;
  }
  if (is_positioned(name)) {
    if (const auto offset = event_.integer("offset", true); offset && *offset >= 0)
      out.offset = static_cast<std::uint64_t>(*offset);
    return;
  }
  if (!fd) return;
  const auto at = positions_.find(descriptor(*fd));
  if (out.kind == OperationKind::close) {
    if (at != positions_.end()) positions_.erase(at);
  } else if (out.kind == OperationKind::seek) {
    if (!result || *result < 0) return;
    if (at != positions_.end())
      at->second = static_cast<std::uint64_t>(*result);
    else if (positions_.size() < kOpenDescriptors)
      positions_[descriptor(*fd)] = static_cast<std::uint64_t>(*result);
  } else if (moves_bytes(out.kind) && at != positions_.end()) {
    out.offset = at->second;
    at->second += static_cast<std::uint64_t>(out.bytes.in(unit::B));
  }
}

bool DftracerStream::posix(Operation& out, OperationKind kind, bool aggregate) {
  const std::string_view name = event_.text("name");
  out.kind = kind;
  name_file();
  out.file = id_;
  const auto result = event_.integer(aggregate ? "ret_sum" : "ret", true);
  double bytes = static_cast<double>(result.value_or(0));
  if (aggregate) {
    out.count = static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(event_.integer("dft_cnt", true).value_or(1), 1, INT32_MAX));
    if (!result)  // all of them returned the same
      bytes = event_.number("ret", true).value_or(0.0) * static_cast<double>(out.count);
    out.end.reset();
  } else if (result && *result < 0) {
    out.failed = true;
  }
  if (moves_bytes(kind) && !out.failed) {
    if (name == "fread" || name == "fwrite")  // items, not bytes
      bytes *= std::max(event_.number("size", true).value_or(1.0), 0.0);
    out.bytes = Bytes::from(std::clamp(bytes, 0.0, 1e18), unit::B);
  }
  if (kind == OperationKind::truncate)
    out.bytes = Bytes::from(std::max(event_.number("length", true).value_or(0.0), 0.0), unit::B);
  if (!aggregate && !out.failed) place(out, name);
  return true;
}

bool DftracerStream::event(Operation& out, bool aggregate) {
  const auto start = event_.microseconds("ts");
  if (!start) return false;
  const std::int64_t length = std::max<std::int64_t>(event_.microseconds("dur").value_or(0), 0);
  if (!origin_) {
    origin_ = *start;
    texts_ = event_.is_text("ts");
    if (builder != nullptr) builder->begin(began());
  }
  out = {};
  out.rank = pid_;
  out.thread = tid_;
  out.start = Seconds::from(static_cast<double>(*start - *origin_), unit::ns);
  const Seconds end = out.start + Seconds::from(static_cast<double>(length), unit::ns);
  out.end = end;
  if (hosts_.find(pid_) == hosts_.end() && hosts_.size() < kProcesses) {
    std::string_view host = event_.text("hostname", true);
    const auto known = names_.find("HH" + std::string(event_.text("hhash", true)));
    if (host.empty() && known != names_.end()) host = known->second;
    hosts_.emplace(pid_, host);
  }
  const std::string_view category = event_.text("cat"), name = event_.text("name");
  if (category == "POSIX" || category == "STDIO") {
    const auto kind = kind_of_call(name);
    return posix(out, kind.value_or(OperationKind::other), aggregate);
  }
  if (category == "MPIIO" || category == "HDF5" || category == "MPI") {
    ++layered_;
    return false;
  }
  if (category == "dftracer") {
    lifecycle(name);
    return false;
  }
  if (aggregate) return false;
  if (builder == nullptr) return mark(name, category, out);
  application(name, category, out.start, end);
  return false;
}

void DftracerStream::application(std::string_view name, std::string_view category, Seconds start,
                                 Seconds end) {
  const StepMarks::Span span{pid_, tid_, start, end};
  builder->seen(pid_, tid_, start, end);
  switch (mark_of(name, category)) {
    case LoaderMark::compute:
      if (category == "compute" || marks_.marked_by.empty()) marks_.marked_by = name;
      return marks_.compute(span);
    case LoaderMark::update:
      return updates_.compute(span);
    case LoaderMark::block:
      return blocks_.compute(span);
    case LoaderMark::fetch:
      return marks_.wait(span);
    case LoaderMark::epoch:
      ++passes_[pid_];
      return marks_.epoch(span);
    case LoaderMark::train:
      ++trains_[pid_];
      return marks_.epoch(span);
    case LoaderMark::evaluation:
      return marks_.evaluation(span);
    case LoaderMark::load:
      return marks_.load(span);
    case LoaderMark::save:
      return marks_.save(span);
    case LoaderMark::worker:
      ++workers_[{pid_, event_.integer("epoch", true).value_or(0)}];
      return;
    default:
      break;
  }
  if (name.ends_with("__getitem__") || (category == "data" && name == "item")) {
    builder->sample_wall.add(end - start);
  } else if (name.ends_with(".get_sample")) {
    if (const auto size = event_.number("image_size", true); size && *size > 0.0)
      builder->sample_bytes.add(Bytes::from(*size, unit::B));
  }
}

std::optional<Seconds> DftracerStream::began() const {
  if (!origin_) return std::nullopt;
  return Seconds::from(static_cast<double>(*origin_ / 1000), unit::us);
}

void DftracerStream::finish(ObservationBuilder& to) {
  for (const auto& [other, name] :
       {std::pair{&blocks_, "fetch.block"}, std::pair{&updates_, "compute.step"}})
    if (marks_.computes.empty() && !other->computes.empty()) {
      marks_.computes = std::move(other->computes);
      marks_.marked_by = name;
    }
  resolve_marks(marks_, to);
  Observation& known = to.known;
  known.source.dialect = numbered_ ? "numbered" : hashed_ ? "hashed" : "texts";
  if (!version_.empty()) known.source.tool_version = version_;
  for (const auto& [pid, host] : hosts_) {
    ObservedProcess& process = to.process(pid);
    process.host = to.names.host(host);
    if (texts_) continue;  // pid is the rank
    process.pid = pid;
    process.rank.reset();
    if (const auto rank = ranks_.find(pid); rank != ranks_.end()) process.rank = rank->second;
  }
  for (const auto& [pid, passes] : passes_.empty() ? trains_ : passes_) {
    if (!known.steps) known.steps.emplace();
    known.steps->epochs = std::max<std::uint64_t>(known.steps->epochs.value_or(0), passes);
  }
  if (!workers_.empty()) {
    ObservedLoader& loader = known.loader ? *known.loader : known.loader.emplace();
    loader.kind = "pytorch-workers";
    // Where pid is the kernel's, each worker is a process, and nothing says of which rank.
    if (texts_) {
      std::map<std::int64_t, std::int64_t> epochs;  // in which workers began, by rank
      for (const auto& [key, count] : workers_) {
        loader.workers = std::max(loader.workers.value_or(0), count);
        ++epochs[key.first];
      }
      if (marks_.epochs.size() > epochs.size()) loader.persistent = epochs.begin()->second == 1;
    }
  }
  if (layered_ > 0)
    to.note("rows of MPI, MPI-IO and HDF5 are left out: their bytes come again in POSIX");
  if (nameless_ > 0) to.note("rows name files by a hash that no row \"FH\" explains");
  if (seen_.full()) to.note("repeated lines behind the first 5.8 million may count twice");
}

bool recognises(std::string_view head) {
  const std::size_t brace = head.find('{');
  if (brace == head.npos || head.find_first_not_of(" \t\r\n[") != brace) return false;
  const std::string_view line = head.substr(brace, head.find('\n', brace) - brace);
  return line.find("\"traceEvents\"") == line.npos && line.find("\"ph\"") != line.npos &&
         line.find("\"pid\"") != line.npos && line.find("\"cat\"") != line.npos &&
         line.find('}') != line.npos;
}

std::unique_ptr<OperationStream> operations(TraceFile& file, std::int64_t /*index*/) {
  return std::make_unique<DftracerStream>(file);
}

void read(TraceFile& file, std::int64_t /*index*/, ObservationBuilder& builder) {
  DftracerStream stream(file);
  stream.builder = &builder;
  Operation op;
  while (stream.next(op)) builder.operation(op, stream.file(op.file));
  stream.finish(builder);
}

}  // namespace stallcast::calibration::dftracer
