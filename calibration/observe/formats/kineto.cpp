#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "calibration/observe/formats/collective_names.hpp"
#include "calibration/observe/formats/formats.hpp"
#include "calibration/observe/json_walk.hpp"
#include "calibration/observe/step_marks.hpp"

// JSON of the PyTorch profiler (libkineto, output_json.cpp). `ts` and `dur` are microseconds in
// every version, on one of three bases: whole numbers since 1970, fractions since 1970, fractions
// since `baseTimeNanoseconds`. They are read as text, so that the fractions keep their three
// decimals, which a double of that size would not.
namespace stallcast::calibration::kineto {
namespace {

Seconds since(std::int64_t nanoseconds, std::int64_t origin) {
  return Seconds::from(static_cast<double>(nanoseconds - origin), unit::ns);
}

/// Bytes of one element of a type as the profiler names it; nothing when it is not known.
std::optional<double> element_bytes(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, double>, 14> kTypes{{{"Float", 4.0},
                                                                        {"Double", 8.0},
                                                                        {"Half", 2.0},
                                                                        {"BFloat16", 2.0},
                                                                        {"Long", 8.0},
                                                                        {"Int", 4.0},
                                                                        {"Short", 2.0},
                                                                        {"Byte", 1.0},
                                                                        {"Char", 1.0},
                                                                        {"Bool", 1.0},
                                                                        {"float", 4.0},
                                                                        {"long", 8.0},
                                                                        {"int", 4.0},
                                                                        {"half", 2.0}}};
  for (const auto& [name, bytes] : kTypes)
    if (name == type) return bytes;
  return type.starts_with("Float8") ? std::optional(1.0) : std::nullopt;
}

class KinetoReader final : public JsonVisitor {
 public:
  KinetoReader(TraceFile& file, std::int64_t index, ObservationBuilder& builder)
      : file_(file), index_(index), builder_(builder) {}

  void enter(std::size_t depth) override {
    if (depth == 1) in_events_ = key(1) == "traceEvents";
    if (depth == 2) event_.clear();
  }
  void leave(std::size_t depth) override {
    if (depth == 2 && in_events_) event();
    if (depth == 2 && key(1) == "deviceProperties") device();
    if (depth == 1) in_events_ = false;
  }
  void value(std::size_t depth, const JsonScalar& scalar) override {
    if (depth == 3 && (in_events_ || key(1) == "deviceProperties"))
      event_.add(key(3), false, scalar);
    else if (depth == 4 && in_events_ && key(3) == "args")
      event_.add(key(4), true, scalar);
    else if (depth == 2 && key(1) == "distributedInfo")
      distributed_.add(key(2), false, scalar);
    else if (depth == 1 && key(1) == "baseTimeNanoseconds")
      base_ = scalar.integer;
  }

  void finish() {
    const std::int64_t rank = distributed_.integer("rank").value_or(index_);
    builder_.begin(began());
    for (auto* list : {&marks_.steps, &marks_.waits})
      for (StepMarks::Span& span : *list) span.rank = rank;
    resolve_marks(marks_, builder_);
    if (first_ <= last_) builder_.seen(rank, 0, since(first_, origin_), since(last_, origin_));
    ObservedProcess& process = builder_.process(rank);
    process.rank = distributed_.integer("rank");
    if (pid_ > 0) process.pid = pid_;
    ObservationSource& source = builder_.known.source;
    source.dialect = base_ != 0   ? "base-nanoseconds"
                     : fractions_ ? "epoch-fractions"
                                  : "epoch-microseconds";
    if (const auto ranks = distributed_.integer("world_size"); ranks && *ranks > 0)
      builder_.known.ranks = ranks;
    if (!loader_.empty()) {
      ObservedLoader& loader =
          builder_.known.loader ? *builder_.known.loader : builder_.known.loader.emplace();
      const bool single = loader_.find("SingleProcess") != loader_.npos;
      loader.kind = single ? "pytorch" : "pytorch-workers";
      if (single) loader.workers = 0;
    }
    devices();
  }

 private:
  [[nodiscard]] std::optional<Seconds> began() const {
    // Small numbers without a base are since some start: no calendar.
    constexpr std::int64_t kYear1990 = 631'152'000'000'000'000;
    const std::int64_t at = base_ + origin_;
    if (!started_ || at < kYear1990) return std::nullopt;
    return Seconds::from(static_cast<double>(at / 1'000'000'000), unit::s) +
           Seconds::from(static_cast<double>(at % 1'000'000'000), unit::ns);
  }

  void event() {
    if (event_.text("ph") != "X") return;
    const auto start = event_.microseconds("ts");
    const std::int64_t length = std::max<std::int64_t>(event_.microseconds("dur").value_or(0), 0);
    if (!start) return;
    file_.record();
    const std::string_view category = event_.text("cat"), name = event_.text("name");
    if (category == "Trace" || category == "overhead") return;
    if (!started_) origin_ = *start;
    started_ = true;
    fractions_ = fractions_ || event_.text("ts").find('.') != std::string_view::npos;
    first_ = std::min(first_, *start);
    last_ = std::max(last_, *start + length);
    const Seconds time = Seconds::from(static_cast<double>(length), unit::ns);
    if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset")
      return on_device(category, name, time);
    if (category == "gpu_user_annotation") return;  // repeats user_annotation
    StepMarks::Span span;
    span.lane = event_.integer("tid").value_or(0);
    span.start = since(*start, origin_);
    span.end = span.start + time;
    if (name.starts_with("ProfilerStep#")) {
      marks_.marked_by = "ProfilerStep#";
      marks_.step(span);
      pid_ = event_.integer("pid").value_or(0);
    } else if (name.starts_with("enumerate(DataLoader)#")) {
      marks_.wait(span);
      if (loader_.empty()) loader_ = name;
    } else if (category == "cpu_op" && pid_ == 0) {
      pid_ = event_.integer("pid").value_or(0);
    }
    if (name.starts_with("gloo:")) builder_.collective(collective_of(name), time, std::nullopt);
  }

  void on_device(std::string_view category, std::string_view name, Seconds time) {
    const std::string collective = category == "kernel" ? collective_of(name) : "";
    if (!collective.empty()) {
      collectives_ += time;
      std::optional<Bytes> bytes;
      const auto elements = event_.number("In msg nelems", true);
      const auto each = element_bytes(event_.text("dtype", true));
      if (elements && each) bytes = Bytes::from(*elements * *each, unit::B);
      builder_.collective(collective, time, bytes);
    } else if (category == "kernel") {
      ++kernels_;
      kernel_time_ += time;
    } else {
      copies_ += time;
      const Bytes moved = Bytes::from(event_.number("bytes", true).value_or(0.0), unit::B);
      if (name.find("HtoD") != name.npos) to_device_ += moved;
      if (name.find("DtoH") != name.npos) from_device_ += moved;
    }
    work_ = true;
  }

  void device() {
    ObservedHost& host = builder_.known.host ? *builder_.known.host : builder_.known.host.emplace();
    host.accelerators = std::max(host.accelerators.value_or(0), ++devices_);
    if (const auto name = event_.text("name"); !name.empty()) host.accelerator = name;
    if (const auto memory = event_.number("totalGlobalMem"))
      host.accelerator_memory = Bytes::from(*memory, unit::B);
  }

  void devices() {
    if (!work_) return;
    ObservedDevices& to =
        builder_.known.devices ? *builder_.known.devices : builder_.known.devices.emplace();
    to.kernels = to.kernels.value_or(0) + kernels_;
    to.kernel_time = to.kernel_time.value_or(Seconds{}) + kernel_time_;
    to.collective_time = to.collective_time.value_or(Seconds{}) + collectives_;
    to.copy_time = to.copy_time.value_or(Seconds{}) + copies_;
    to.to_device = to.to_device.value_or(Bytes{}) + to_device_;
    to.from_device = to.from_device.value_or(Bytes{}) + from_device_;
  }

  TraceFile& file_;
  std::int64_t index_;
  ObservationBuilder& builder_;
  bool in_events_ = false;
  EventFields event_, distributed_;
  std::int64_t base_ = 0, origin_ = 0, pid_ = 0, devices_ = 0;
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max(),
               last_ = std::numeric_limits<std::int64_t>::min();
  bool started_ = false, fractions_ = false, work_ = false;
  std::string loader_;
  StepMarks marks_;
  std::uint64_t kernels_ = 0;
  Seconds kernel_time_, collectives_, copies_;
  Bytes to_device_, from_device_;
};

}  // namespace

bool recognises(std::string_view head) {
  if (head.find("\"traceEvents\"") != head.npos) return true;
  const std::size_t brace = head.find_first_not_of(" \t\r\n");
  return brace != head.npos && head[brace] == '{' && head.find("\"schemaVersion\"") != head.npos &&
         (head.find("\"deviceProperties\"") != head.npos ||
          head.find("\"distributedInfo\"") != head.npos);
}

void read(TraceFile& file, std::int64_t index, ObservationBuilder& builder) {
  KinetoReader reader(file, index, builder);
  walk_json(file, reader);
  reader.finish();
}

}  // namespace stallcast::calibration::kineto
