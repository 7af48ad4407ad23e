#include <array>

#include "models/contract/rows.hpp"
#include "models/dataload/formats.hpp"
#include "models/dataload/loaders.hpp"

/// Data set formats and loaders.
namespace stallcast::models {
namespace {

// Sorted by id (registry_test.cpp holds them to it).
const std::array kFormats{
    FormatRow{{"hdf5", "HDF5 files of many samples", dataset_common_fields(), hdf5_fields()},
              hdf5_access},
    FormatRow{{"mds", "shards downloaded ahead (MosaicML Streaming)", dataset_common_fields(),
               mds_fields()},
              mds_access},
    FormatRow{{"npz", "one NumPy archive per sample", dataset_common_fields(), npz_fields()},
              npz_access},
    FormatRow{{"parquet", "row groups of Parquet files, whole or some columns",
               dataset_common_fields(), parquet_fields()},
              parquet_access},
    FormatRow{{"petastorm", "row groups of Parquet files, read by a pool into a queue (Petastorm)",
               dataset_common_fields(), petastorm_fields()},
              petastorm_access},
    FormatRow{{"raw", "one file per sample", dataset_common_fields(), raw_fields()}, raw_access},
    FormatRow{
        {"tfrecord", "TFRecord files of many samples", dataset_common_fields(), tfrecord_fields()},
        tfrecord_access},
    FormatRow{{"tokens", "memory-mapped token file, read at random places (Megatron)",
               dataset_common_fields(), tokens_fields()},
              tokens_access},
    FormatRow{
        {"webdataset", "tar shards (WebDataset)", dataset_common_fields(), webdataset_fields()},
        webdataset_access}};

const std::array kLoaders{
    LoaderRow{{"dali", "NVIDIA DALI: threads make up one batch at a time, a stage on the GPU",
               loader_common_fields(), dali_fields()},
              dali_policy},
    LoaderRow{{"ideal",
               "work-conserving loader: the best any loader could do",
               loader_common_fields(),
               {}},
              ideal_policy},
    LoaderRow{{"pytorch", "PyTorch DataLoader: worker processes, delivery in order",
               loader_common_fields(), pytorch_fields()},
              pytorch_policy},
    LoaderRow{{"tensorflow", "tf.data: interleaved reads make up one batch at a time",
               loader_common_fields(), tensorflow_fields()},
              tensorflow_policy}};

}  // namespace

std::span<const FormatRow> format_rows() { return kFormats; }
std::span<const LoaderRow> loader_rows() { return kLoaders; }

}  // namespace stallcast::models
