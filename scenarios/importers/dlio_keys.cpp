#include "scenarios/importers/dlio_keys.hpp"

#include <array>

namespace stallcast::scenarios {
namespace {

constexpr std::string_view kPlace = "where files lie does not change what storage is asked for";
constexpr std::string_view kHostSide = "works in host memory after the read";
constexpr std::string_view kOrder = "the order of samples is random in the model as well";
constexpr std::string_view kMaking = "used when the data set is made";
constexpr std::string_view kHdf5 = "applies to hdf5 alone";
constexpr std::string_view kLoading = "a detail of the reader that is not modelled";

constexpr std::array kIgnored{
    IgnoredKey{"model.type", "the shape says it all"},
    IgnoredKey{"framework", "reader.data_loader decides what reads"},
    IgnoredKey{"workflow.generate_data", kMaking},
    IgnoredKey{"workflow.profiling", "a measurement switch"},
    IgnoredKey{"workflow.debug", "a measurement switch"},
    IgnoredKey{"dataset.data_folder", kPlace},
    IgnoredKey{"dataset.num_subfolders_train", kPlace},
    IgnoredKey{"dataset.num_subfolders_eval", kPlace},
    IgnoredKey{"dataset.file_prefix", kPlace},
    IgnoredKey{"dataset.keep_files", kMaking},
    IgnoredKey{"dataset.generation_buffer_size", kMaking},
    IgnoredKey{"dataset.compression_level", kMaking},
    IgnoredKey{"dataset.hdf5.", kMaking},
    IgnoredKey{"dataset.enable_chunking", kHdf5},
    IgnoredKey{"dataset.chunk_size", kHdf5},
    IgnoredKey{"dataset.num_files_eval", "evaluation is not modelled"},
    IgnoredKey{"reader.batch_size_eval", "evaluation is not modelled"},
    IgnoredKey{"evaluation.", "evaluation is not modelled"},
    IgnoredKey{"reader.sample_shuffle", kOrder},
    IgnoredKey{"reader.file_shuffle", kOrder},
    IgnoredKey{"reader.shuffle_size", kOrder},
    IgnoredKey{"reader.seed_change_epoch", kOrder},
    IgnoredKey{"train.seed_change_epoch", kOrder},
    IgnoredKey{"train.seed", "a scenario has its own seeds"},
    IgnoredKey{"reader.transfer_size", kLoading},
    IgnoredKey{"reader.computation_threads", kLoading},
    IgnoredKey{"reader.dont_use_mmap", kLoading},
    IgnoredKey{"reader.read_type", kLoading},
    IgnoredKey{"reader.file_access", kLoading},
    IgnoredKey{"reader.multiprocessing_context", kLoading},
    IgnoredKey{"reader.data_loader_sampler", kLoading},
    IgnoredKey{"reader.pin_memory", "DLIO copies nothing to a GPU"},
    IgnoredKey{"reader.transformed_record_dims", kHostSide},
    IgnoredKey{"reader.transformed_record_element_type", kHostSide},
    IgnoredKey{"checkpoint.checkpoint_folder", kPlace},
    IgnoredKey{"checkpoint.fsync", "a save counts as done when it is durable"},
    IgnoredKey{"checkpoint.rank_sync", "a save ends with its last writer"},
    IgnoredKey{"checkpoint.randomize_tensor", "content does not matter to the model"},
    IgnoredKey{"checkpoint.ksm.", "content does not matter to the model"},
    IgnoredKey{"checkpoint.recovery_rank_shift", "reading checkpoints back is not modelled"},
    IgnoredKey{"checkpoint.num_checkpoints_read", "reading checkpoints back is not modelled"},
    IgnoredKey{"checkpoint.checkpoint_mechanism_classname", "somebody's own code"},
    IgnoredKey{"reader.data_loader_classname", "somebody's own code"},
    IgnoredKey{"reader.reader_classname", "somebody's own code"},
    IgnoredKey{"storage.", "the storage is what the scenario describes"},
    IgnoredKey{"output.", "a measurement switch"},
    IgnoredKey{"profiling.", "a measurement switch"},
};

constexpr std::array<std::string_view, 8> kSaving{
    "model.model_size_bytes",
    "checkpoint.type",
    "checkpoint.mode",
    "checkpoint.checkpoint_after_epoch",
    "checkpoint.epochs_between_checkpoints",
    "checkpoint.steps_between_checkpoints",
    "checkpoint.time_between_checkpoints",
    "checkpoint.num_checkpoints_write",
};

constexpr std::array kRenamed{
    RenamedKey{"dataset.record_length", "dataset.record_length_bytes"},
    RenamedKey{"dataset.record_length_stdev", "dataset.record_length_bytes_stdev"},
    RenamedKey{"dataset.record_length_resize", "dataset.record_length_bytes_resize"},
    RenamedKey{"model.model_size", "model.model_size_bytes"},
    RenamedKey{"checkpoint.model_size", "model.model_size_bytes"},
    RenamedKey{"checkpoint.model_size_bytes", "model.model_size_bytes"},
    RenamedKey{"model", "model.name"},
};

constexpr std::string_view kRows = "read front to back, without its index or column reads";
constexpr std::array kFormats{
    DlioFormat{"npz", "npz", ""},
    DlioFormat{"npy", "raw", ""},
    DlioFormat{"jpeg", "raw", ""},
    DlioFormat{"png", "raw", ""},
    DlioFormat{"tfrecord", "tfrecord", ""},
    DlioFormat{"csv", "raw", "text parsing costs more CPU than the default of raw"},
    DlioFormat{"hdf5", "hdf5", "", true},
    DlioFormat{"parquet", "parquet", "", true},
    DlioFormat{"indexed_binary", "raw", kRows},
    DlioFormat{"mmap_indexed_binary", "tokens",
               "taken as if each sample were used: DLIO maps it and may not touch it", true},
};

}  // namespace

std::span<const IgnoredKey> ignored_dlio_keys() { return kIgnored; }
std::span<const std::string_view> saving_dlio_keys() { return kSaving; }
std::span<const RenamedKey> renamed_dlio_keys() { return kRenamed; }
std::span<const DlioFormat> dlio_formats() { return kFormats; }

}  // namespace stallcast::scenarios
