#include <array>

#include "models/contract/rows.hpp"
#include "models/dataload/formats.hpp"
#include "models/dataload/loaders.hpp"

/// Data set formats and loaders.
namespace stallcast::models {
namespace {

FormatRow format(std::string_view id, std::string_view summary,
                 std::span<const base::FieldInfo> fields, decltype(FormatRow::access) access) {
  return {{id, summary, dataset_common_fields(), fields}, access};
}

LoaderRow loader(std::string_view id, std::string_view summary,
                 std::span<const base::FieldInfo> fields, decltype(LoaderRow::policy) policy) {
  return {{id, summary, loader_common_fields(), fields}, policy};
}

// Sorted by id (registry_test.cpp holds them to it).
const std::array kFormats{
    format("hdf5", "HDF5 files of many samples", hdf5_fields(), hdf5_access),
    format("mds", "shards downloaded ahead (MosaicML Streaming)", mds_fields(), mds_access),
    format("npz", "one NumPy archive per sample", npz_fields(), npz_access),
    format("parquet", "row groups of Parquet files, whole or some columns", parquet_fields(),
           parquet_access),
    format("petastorm", "row groups of Parquet files, read by a pool into a queue (Petastorm)",
           petastorm_fields(), petastorm_access),
    format("raw", "one file per sample", raw_fields(), raw_access),
    format("tfrecord", "TFRecord files of many samples", tfrecord_fields(), tfrecord_access),
    format("tokens", "memory-mapped token file, read at random places (Megatron)", tokens_fields(),
           tokens_access),
    format("webdataset", "tar shards (WebDataset)", webdataset_fields(), webdataset_access)};

const std::array kLoaders{
    loader("dali", "NVIDIA DALI: threads make up one batch at a time, a stage on the GPU",
           dali_fields(), dali_policy),
    loader("ideal", "work-conserving loader: the best any loader could do", {}, ideal_policy),
    loader("pytorch", "PyTorch DataLoader: worker processes, delivery in order", pytorch_fields(),
           pytorch_policy),
    loader("tensorflow", "tf.data: interleaved reads make up one batch at a time",
           tensorflow_fields(), tensorflow_policy)};

}  // namespace

std::span<const FormatRow> format_rows() { return kFormats; }
std::span<const LoaderRow> loader_rows() { return kLoaders; }

}  // namespace stallcast::models
