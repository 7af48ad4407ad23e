#pragma once

#include <span>
#include <string>

#include "engine/base/fields.hpp"
#include "engine/base/random.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// Data set formats: what reading one sample asks of storage and CPU. docs/models/formats.md.
namespace stallcast::models {

/// The data set of a job.
struct DatasetParams {
  std::string on;                       ///< storage system
  Bytes sample;                         ///< mean stored size of a sample
  Bytes sample_stdev;                   ///< of the stored size
  std::optional<std::int64_t> samples;  ///< in the whole set
  std::optional<Bytes> size;            ///< of the whole set
  Seconds decode;                       ///< CPU time per sample, added to the format's own
  bool direct = false;                  ///< O_DIRECT

  /// Samples in the whole set.
  [[nodiscard]] double sample_count() const;
  /// Stored size of one sample, drawn: the product of two normal image sides, as DLIO writes them.
  [[nodiscard]] Bytes draw(base::RandomStream& random) const;
};
[[nodiscard]] DatasetParams dataset_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> dataset_common_fields();

/// What one sample costs in a format.
struct SampleAccess {
  double files = 1.0;             ///< files opened per sample (a shard of n samples: 1/n)
  double round_trips = 1.0;       ///< dependent requests per file besides streaming
  Rate parse = Rate::infinity();  ///< CPU: bytes one core parses and copies in a second
  Seconds parse_fixed;            ///< CPU: fixed cost of a sample
};
/// One file a sample.
[[nodiscard]] std::span<const base::FieldInfo> raw_fields();
[[nodiscard]] SampleAccess raw_access(const Component& component, const DatasetParams& dataset);

/// One NumPy archive a sample.
[[nodiscard]] std::span<const base::FieldInfo> npz_fields();
[[nodiscard]] SampleAccess npz_access(const Component& component, const DatasetParams& dataset);

/// Many records a file.
[[nodiscard]] std::span<const base::FieldInfo> tfrecord_fields();
[[nodiscard]] SampleAccess tfrecord_access(const Component& component,
                                           const DatasetParams& dataset);

/// Tar shards.
[[nodiscard]] std::span<const base::FieldInfo> webdataset_fields();
[[nodiscard]] SampleAccess webdataset_access(const Component& component,
                                             const DatasetParams& dataset);

}  // namespace stallcast::models
