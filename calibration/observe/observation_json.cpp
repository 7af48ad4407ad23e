#include "calibration/observe/observation_json.hpp"

#include <algorithm>

#include "calibration/measure/record_json.hpp"

namespace stallcast::calibration {
namespace {

constexpr std::string_view kObservationSchema = "stallcast.observation/1";

}  // namespace

/// Goes through the description of an observation and lists what is absent.
class AbsentMembers {
 public:
  template <class T>
  void operator()(const char* key, const T&) {
    (void)key;  // a count or a truth value: always there
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& value) {
    if (!value) add(key);
  }
  void operator()(const char* key, const std::string& value) {
    if (value.empty()) add(key);
  }
  template <class T>
  void member(const char*, const T&) {}
  template <class T>
  void record(const char* key, const std::optional<T>& value) {
    if (!value) return add(key);
    if constexpr (requires { value->quantiles; }) return;
    const std::string outer = path_;
    path_ += std::string(key) + ".";
    describe(*this, const_cast<T&>(*value));  // NOLINT: one description for every direction
    path_ = outer;
  }
  template <class T>
  void records(const char* key, const std::vector<T>& list) {
    if (list.empty()) add(key);
  }

  std::vector<std::string> absent;

 private:
  void add(const char* key) { absent.push_back(path_ + key); }
  std::string path_;
};

template <class Visitor, class Q>
void describe(Visitor& at, Distribution<Q>& r) {
  at("count", r.count);
  at("mean", r.mean);
  at("minimum", r.minimum);
  at("maximum", r.maximum);
  at("quantiles", r.quantiles);
  at("sample", r.sample);
}

template <class Visitor>
void describe(Visitor& at, ObservedInput& r) {
  at("name", r.name);
  at("size", r.size);
  at("packed", r.packed);
  at("records", r.records);
  at("complete", r.complete);
  at("cut", r.cut);
  at("repeated", r.repeated);
}

template <class Visitor>
void describe(Visitor& at, ObservationSource& r) {
  at("format", r.format);
  at("dialect", r.dialect);
  at("tool_version", r.tool_version);
  at.records("inputs", r.inputs);
}

template <class Visitor>
void describe(Visitor& at, ObservedProcess& r) {
  at("rank", r.rank);
  at("pid", r.pid);
  at("host", r.host);
  at("threads", r.threads);
  at("start", r.start);
  at("end", r.end);
  at("operations", r.operations);
  at("read", r.read);
  at("written", r.written);
  at("steps", r.steps);
}

template <class Visitor>
void describe(Visitor& at, ObservedSteps& r) {
  at("count", r.count);
  at("marked_by", r.marked_by);
  at.record("duration", r.duration);
  at.record("wait", r.wait);
  at.record("compute", r.compute);
  at.record("gpu", r.gpu);
  at.record("first_batch", r.first_batch);
  at("epochs", r.epochs);
}

template <class Visitor>
void describe(Visitor& at, ObservedLoader& r) {
  at("kind", r.kind);
  at("workers", r.workers);
  at("prefetch", r.prefetch);
  at("batch", r.batch);
  at("sampler", r.sampler);
  at("persistent", r.persistent);
  at("pinned", r.pinned);
  at.record("batch_bytes", r.batch_bytes);
}

template <class Visitor>
void describe(Visitor& at, ObservedSamples& r) {
  at("count", r.count);
  at.record("wall", r.wall);
  at.record("cpu", r.cpu);
  at.record("bytes", r.bytes);
  at.record("files", r.files);
}

template <class Visitor>
void describe(Visitor& at, SizeBucket& r) {
  at("least", r.least);
  at("operations", r.operations);
  at("bytes", r.bytes);
}

template <class Visitor>
void describe(Visitor& at, ObservedTransfers& r) {
  at("operations", r.operations);
  at("failed", r.failed);
  at("bytes", r.bytes);
  at("time", r.time);
  at.record("latency", r.latency);
  at.record("size", r.size);
  at.records("sizes", r.sizes);
  at("sequential", r.sequential);
  at("random", r.random);
  at("from_device", r.from_device);
  at("files", r.files);
}

template <class Visitor>
void describe(Visitor& at, ObservedFile& r) {
  at("name", r.name);
  at("mount", r.mount);
  at("extent", r.extent);
  at("read", r.read);
  at("written", r.written);
  at("operations", r.operations);
}

template <class Visitor>
void describe(Visitor& at, ObservedFiles& r) {
  at("count", r.count);
  at.record("extent", r.extent);
  at.records("largest", r.largest);
  at("folded", r.folded);
  at("untracked", r.untracked);
}

template <class Visitor>
void describe(Visitor& at, ObservedMount& r) {
  at("mount", r.mount);
  at("fs_type", r.fs_type);
  at("files", r.files);
  at("reads", r.reads);
  at("writes", r.writes);
  at("metadata", r.metadata);
  at("read", r.read);
  at("written", r.written);
}

template <class Visitor>
void describe(Visitor& at, ObservedMetadata& r) {
  at("operation", r.operation);
  at("count", r.count);
  at("failed", r.failed);
  at("time", r.time);
  at.record("latency", r.latency);
}

template <class Visitor>
void describe(Visitor& at, ObservedCheckpoints& r) {
  at("count", r.count);
  at.record("duration", r.duration);
  at.record("bytes", r.bytes);
  at.record("files", r.files);
  at("syncs", r.syncs);
  at("sync_time", r.sync_time);
  at.record("period_steps", r.period_steps);
  at.record("period", r.period);
  at("asynchronous", r.asynchronous);
}

template <class Visitor>
void describe(Visitor& at, ObservedCollective& r) {
  at("operation", r.operation);
  at("count", r.count);
  at("time", r.time);
  at.record("latency", r.latency);
  at("bytes", r.bytes);
}

template <class Visitor>
void describe(Visitor& at, ObservedDevices& r) {
  at("kernels", r.kernels);
  at("kernel_time", r.kernel_time);
  at("collective_time", r.collective_time);
  at("copy_time", r.copy_time);
  at("to_device", r.to_device);
  at("from_device", r.from_device);
}

template <class Visitor>
void describe(Visitor& at, ObservedHostMount& r) {
  at("mount", r.mount);
  at("fs_type", r.fs_type);
  at("options", r.options);
  at("capacity", r.capacity);
}

template <class Visitor>
void describe(Visitor& at, ObservedNic& r) {
  at("name", r.name);
  at("rate", r.rate);
}

template <class Visitor>
void describe(Visitor& at, ObservedHost& r) {
  at("hosts", r.hosts);
  at("cores", r.cores);
  at("hardware_threads", r.hardware_threads);
  at("cpu", r.cpu);
  at("memory", r.memory);
  at("accelerators", r.accelerators);
  at("accelerator", r.accelerator);
  at("accelerator_memory", r.accelerator_memory);
  at("kernel", r.kernel);
  at.records("mounts", r.mounts);
  at.records("nics", r.nics);
}

template <class Visitor>
void describe(Visitor& at, StripeComponent& r) {
  at("start", r.start);
  at("end", r.end);
  at("stripe_size", r.stripe_size);
  at("stripe_count", r.stripe_count);
}

template <class Visitor>
void describe(Visitor& at, ObservedLayout& r) {
  at("files", r.files);
  at.records("components", r.components);
}

template <class Visitor>
void describe(Visitor& at, ObservedLustre& r) {
  at.records("layouts", r.layouts);
  at("osts", r.osts);
}

template <class Visitor>
void describe(Visitor& at, Observation& r) {
  at.member("source", r.source);
  at("missing", r.missing);
  at("notes", r.notes);
  at("began", r.began);
  at("wall", r.wall);
  at("ranks", r.ranks);
  at.records("processes", r.processes);
  at("processes_folded", r.processes_folded);
  at.record("steps", r.steps);
  at.record("loader", r.loader);
  at.record("samples", r.samples);
  at.record("reading", r.reading);
  at.record("writing", r.writing);
  at.records("metadata", r.metadata);
  at.record("files", r.files);
  at.records("mounts", r.mounts);
  at.record("saves", r.saves);
  at.record("loads", r.loads);
  at.record("devices", r.devices);
  at.records("collectives", r.collectives);
  at.record("host", r.host);
  at.record("lustre", r.lustre);
  at("figures", r.figures);
}

std::string write_observation(const Observation& observation) {
  return write_record_file(observation, kObservationSchema);
}

Observation read_observation(const std::string& text, const std::string& file,
                             Diagnostics& diagnostics) {
  return read_record_file<Observation>(text, file, kObservationSchema, diagnostics);
}

std::vector<std::string> absent_members(const Observation& observation) {
  AbsentMembers at;
  describe(at, const_cast<Observation&>(observation));  // NOLINT: as above
  std::sort(at.absent.begin(), at.absent.end());
  return std::move(at.absent);
}

bool is_observation(std::string_view text) {
  return text.substr(0, 400).find(kObservationSchema) != std::string_view::npos;
}

}  // namespace stallcast::calibration
