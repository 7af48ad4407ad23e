#pragma once

#include <span>

#include "models/contract/dataset.hpp"

/// Kinds of data sets. docs/models/formats.md.
namespace stallcast::models {

/// One file a sample.
[[nodiscard]] std::span<const base::FieldInfo> raw_fields();
[[nodiscard]] SampleAccess raw_access(const Component& component, const DatasetParams& dataset);

/// One NumPy archive a sample.
[[nodiscard]] std::span<const base::FieldInfo> npz_fields();
[[nodiscard]] SampleAccess npz_access(const Component& component, const DatasetParams& dataset);

/// HDF5 files of many samples, contiguous or chunked.
[[nodiscard]] std::span<const base::FieldInfo> hdf5_fields();
[[nodiscard]] SampleAccess hdf5_access(const Component& component, const DatasetParams& dataset);

/// Shards downloaded whole, ahead of their samples (MosaicML Streaming).
[[nodiscard]] std::span<const base::FieldInfo> mds_fields();
[[nodiscard]] SampleAccess mds_access(const Component& component, const DatasetParams& dataset);

/// Columns in row groups that are read and decoded as a whole.
[[nodiscard]] std::span<const base::FieldInfo> parquet_fields();
[[nodiscard]] SampleAccess parquet_access(const Component& component, const DatasetParams& dataset);

/// Row groups read and decoded by a pool, alongside whoever takes the rows (Petastorm).
[[nodiscard]] std::span<const base::FieldInfo> petastorm_fields();
[[nodiscard]] SampleAccess petastorm_access(const Component& component,
                                            const DatasetParams& dataset);

/// A memory-mapped file of tokens (Megatron): page faults at random places.
[[nodiscard]] std::span<const base::FieldInfo> tokens_fields();
[[nodiscard]] SampleAccess tokens_access(const Component& component, const DatasetParams& dataset);

/// Many records a file.
[[nodiscard]] std::span<const base::FieldInfo> tfrecord_fields();
[[nodiscard]] SampleAccess tfrecord_access(const Component& component,
                                           const DatasetParams& dataset);

/// Tar shards.
[[nodiscard]] std::span<const base::FieldInfo> webdataset_fields();
[[nodiscard]] SampleAccess webdataset_access(const Component& component,
                                             const DatasetParams& dataset);

}  // namespace stallcast::models
