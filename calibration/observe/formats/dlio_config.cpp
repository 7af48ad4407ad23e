#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "calibration/observe/formats/formats.hpp"
#include "engine/base/text.hpp"

// What Hydra keeps of a run of DLIO beside its results (.hydra/config.yaml; MLPerf Storage calls
// the folder dlio_config): the workload with all that the command line changed.
namespace stallcast::calibration::dlio_output {
namespace {

constexpr std::size_t kLongestConfig = std::size_t{1} << 20U;

/// A scalar below the root of the workload; absent when any part of the way is.
class Workload {
 public:
  Workload(const YAML::Node& root, TraceFile& file)
      : root_(root["workload"].IsMap() ? root["workload"] : root), file_(file) {}

  std::optional<std::string> text(const char* section, const char* key) {
    const YAML::Node group = root_[section];
    if (!group.IsMap()) return std::nullopt;
    const YAML::Node value = group[key];
    if (!value.IsDefined() || !value.IsScalar()) return std::nullopt;
    file_.record();
    return value.Scalar();
  }
  std::optional<double> number(const char* section, const char* key) {
    const auto said = text(section, key);
    const auto value = said ? base::parse_number(*said) : std::nullopt;
    return value && *value >= 0.0 && *value < 1e15 ? value : std::nullopt;
  }
  std::int64_t whole(const char* section, const char* key, std::int64_t absent) {
    const auto value = number(section, key);
    return value ? static_cast<std::int64_t>(*value) : absent;
  }

 private:
  YAML::Node root_;
  TraceFile& file_;
};

/// With the defaults of DLIO's own (config.py), as `import dlio` has them.
void loader_of(Workload& workload, ObservedLoader& to) {
  const std::string name = workload.text("reader", "data_loader").value_or("tensorflow");
  const bool tensorflow = name == "tensorflow";
  const std::int64_t threads = workload.whole("reader", "read_threads", 1);
  const std::int64_t prefetch = workload.whole("reader", "prefetch_size", 2);
  to.workers = threads;
  to.batch = std::max<std::int64_t>(workload.whole("reader", "batch_size", 1), 1);
  if (name == "pytorch") {
    to.kind = threads > 0 ? "pytorch-workers" : "pytorch";
    // persistent_workers = True, of a loader that was made anew with each epoch until 2024.
    to.persistent = threads > 0;
  } else {
    to.kind = name.find("dali") != name.npos ? "dali" : name;
  }
  // DataLoader(prefetch_factor = ceil(prefetch_size / read_threads)), and 0 means 2.
  // [DLIO torch_data_loader.py:123-132]
  const std::int64_t sharers = tensorflow ? 1 : std::max<std::int64_t>(threads, 1);
  to.prefetch = prefetch == 0 ? 2 : (prefetch + sharers - 1) / sharers;
  bool shuffled = false;
  for (const char* key : {"file_shuffle", "sample_shuffle"})
    if (const auto how = workload.text("reader", key))
      shuffled = shuffled || (*how != "off" && *how != "False" && *how != "false");
  to.sampler = shuffled ? "RandomSampler" : "SequentialSampler";
}

void samples_of(Workload& workload, ObservationBuilder& builder) {
  const auto length = workload.number("dataset", "record_length_bytes");
  const auto old_length = length ? length : workload.number("dataset", "record_length");
  const std::int64_t files = workload.whole("dataset", "num_files_train", 0);
  const std::int64_t each =
      std::max<std::int64_t>(workload.whole("dataset", "num_samples_per_file", 1), 1);
  const double stdev = workload.number("dataset", "record_length_bytes_stdev").value_or(0.0);
  if (files > 0)
    builder.known.figures["dataset_samples"] =
        static_cast<double>(files) * static_cast<double>(each);
  if (!old_length || !(*old_length > 0.0)) return;
  ObservedSamples& to =
      builder.known.samples ? *builder.known.samples : builder.known.samples.emplace();
  // What is stored is the product of two normal sides: docs/models/formats.md, eq. 2.
  const double quarter = stdev * stdev / (4.0 * *old_length);
  const double stored = std::min(std::sqrt(stdev * stdev / 2.0 + quarter * quarter), *old_length);
  BytesTally bytes;
  for (const double side : {-1.0, 1.0})
    bytes.add(Bytes::from(*old_length + side * stored, unit::B));
  to.bytes = bytes.distribution();
  OpsTally opened;
  opened.add(Ops::from(1.0 / static_cast<double>(each), unit::ops));
  to.files = opened.distribution();
  const std::int64_t epochs = std::max<std::int64_t>(workload.whole("train", "epochs", 1), 1);
  to.count = static_cast<std::uint64_t>(
      std::max<double>(1.0, std::min(1e15, static_cast<double>(files) * static_cast<double>(each) *
                                               static_cast<double>(epochs))));
  builder.note(
      "loader, and number and size of samples, are those of config.yaml: what DLIO was told, not "
      "what was seen");
}

}  // namespace

void read_config(TraceFile& file, ObservationBuilder& builder) {
  std::string text;
  for (std::string_view line; file.line(line) && text.size() < kLongestConfig;)
    text.append(line).push_back('\n');
  file.record();
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap()) return file.cut("this is not a mapping of sections");
    Workload workload(root, file);
    loader_of(workload,
              builder.known.loader ? *builder.known.loader : builder.known.loader.emplace());
    samples_of(workload, builder);
  } catch (const YAML::Exception& fault) {
    builder.known.loader.reset();
    file.cut("line " + std::to_string(fault.mark.line + 1) + ", column " +
             std::to_string(fault.mark.column + 1) + ": not valid YAML: " + fault.msg);
  }
}

}  // namespace stallcast::calibration::dlio_output
