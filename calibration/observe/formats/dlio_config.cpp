#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
      : root_(root["workload"].IsDefined() && root["workload"].IsMap() ? root["workload"] : root),
        file_(file) {}

  std::optional<std::string> text(const char* section, const char* key) {
    const YAML::Node group = root_[section];
    if (!group.IsMap()) return std::nullopt;
    const YAML::Node value = group[key];
    if (!value.IsDefined() || !value.IsScalar()) return std::nullopt;
    file_.record();
    return value.Scalar();
  }
  /// The members of a list; none when it is none.
  std::vector<double> numbers(const char* section, const char* key) {
    std::vector<double> out;
    const YAML::Node group = root_[section];
    if (!group.IsMap() || !group[key].IsDefined() || !group[key].IsSequence()) return out;
    for (const auto& one : group[key])
      out.push_back(one.IsScalar() ? base::parse_number(one.Scalar()).value_or(0.0) : 0.0);
    file_.record();
    return out;
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
  // Dataset.prefetch(prefetch_size) keeps at least one batch. DataLoader(prefetch_factor =
  // ceil(prefetch_size / read_threads)), and 0 means 2.
  // [DLIO tf_reader.py:82-111, torch_data_loader.py:123-132; as scenarios/importers/dlio_workload]
  const std::int64_t sharers = std::max<std::int64_t>(threads, 1);
  to.prefetch = tensorflow      ? std::max<std::int64_t>(prefetch, 1)
                : prefetch == 0 ? 2
                                : (prefetch + sharers - 1) / sharers;
  bool shuffled = false;
  for (const char* key : {"file_shuffle", "sample_shuffle"})
    if (const auto how = workload.text("reader", key))
      shuffled = shuffled || (*how != "off" && *how != "False" && *how != "false");
  to.sampler = shuffled ? "RandomSampler" : "SequentialSampler";
}

/// A sample as it is stored.
struct Sample {
  double bytes = 0.0, deviation = 0.0;
};

/// By its sides, which have no spread; else by its length, in the spelling of v2.0 or of v1.0.
///                                           [as scenarios/importers/dlio_workload, dlio_keys]
Sample sample_of(Workload& workload) {
  Sample out;
  if (const std::vector<double> sides = workload.numbers("dataset", "record_dims");
      !sides.empty()) {
    const std::string type = workload.text("dataset", "record_element_type").value_or("uint8");
    const std::size_t digits = std::min(type.find_first_of("0123456789"), type.size());
    out.bytes = base::parse_number(type.substr(digits)).value_or(8.0) / 8.0;
    for (const double side : sides) out.bytes *= std::max(side, 0.0);
    return out;
  }
  const auto either = [&](const char* key, const char* old) {
    const auto value = workload.number("dataset", key);
    return (value ? value : workload.number("dataset", old)).value_or(0.0);
  };
  out.bytes = either("record_length_bytes", "record_length");
  if (!(out.bytes > 0.0)) return out;
  const double stdev = either("record_length_bytes_stdev", "record_length_stdev");
  // What is stored is the product of two normal sides: docs/models/formats.md, eq. 2.
  const double quarter = stdev * stdev / (4.0 * out.bytes);
  out.deviation = std::min(std::sqrt(stdev * stdev / 2.0 + quarter * quarter), out.bytes);
  return out;
}

void samples_of(Workload& workload, ObservationBuilder& builder) {
  const std::int64_t files = workload.whole("dataset", "num_files_train", 0);
  const std::int64_t each =
      std::max<std::int64_t>(workload.whole("dataset", "num_samples_per_file", 1), 1);
  if (files > 0)
    builder.known.figures["dataset_samples"] =
        static_cast<double>(files) * static_cast<double>(each);
  const Sample sample = sample_of(workload);
  if (!(sample.bytes > 0.0) || !std::isfinite(sample.bytes)) return;
  ObservedSamples& to =
      builder.known.samples ? *builder.known.samples : builder.known.samples.emplace();
  // Three values of that mean, whose standard deviation (over n - 1) is the one that is known.
  BytesTally bytes;
  for (const double side : {-1.0, 0.0, 1.0})
    bytes.add(Bytes::from(sample.bytes + side * sample.deviation, unit::B));
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
