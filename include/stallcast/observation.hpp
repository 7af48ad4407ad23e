#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/units.hpp"

/// What was seen of a job while it ran: by `stallcast observe`, or in a trace that another tool
/// recorded. One form for all of them, in SI base units. What the source does not tell is absent,
/// never guessed, and Observation::missing names it by the path of its member: "steps.first_batch".
/// What could have been seen and was not is there, with a count of 0.
namespace stallcast {

/// A quantity seen many times. `count`, `mean`, `minimum` and `maximum` are of all values;
/// `quantiles` and `sample` are of an even random choice of them once there are more than
/// kReservoir values (the choice depends on their order alone: same trace, same choice).
template <class Q>
struct Distribution {
  std::uint64_t count = 0;
  Q mean;
  Q minimum;
  Q maximum;
  /// By share of the values that are at most as large: 0.05, 0.25, 0.5, 0.75, 0.95, 0.99.
  std::map<double, Q> quantiles;
  /// At most kSample of the values, in the order in which they were seen.
  std::vector<Q> sample;

  bool operator==(const Distribution&) const = default;
};
/// Values kept while a trace is read, and values written down.
inline constexpr std::size_t kReservoir = 8192;
inline constexpr std::size_t kSample = 512;

/// One file that was read to make the observation.
struct ObservedInput {
  std::string name;            ///< without its folder
  Bytes size;                  ///< on the disk, packed or not
  std::string packed;          ///< "gzip"; "" when it is not
  std::uint64_t records = 0;   ///< events, rows or nodes that were read
  bool complete = true;        ///< the file ends where its format says it may
  std::string cut;             ///< where and how it breaks off: "line 812: the row is not complete"
  std::uint64_t repeated = 0;  ///< records left out because an earlier one is the same

  bool operator==(const ObservedInput&) const = default;
};

/// Who saw it.
struct ObservationSource {
  std::string format;        ///< "observe", "kineto", "dftracer", "darshan-dxt", ...
  std::string dialect;       ///< "base-nanoseconds", "v3", "hashed", ...; "" where there is but one
  std::string tool_version;  ///< of what recorded the trace; "" when it does not say
  std::vector<ObservedInput> inputs;

  bool operator==(const ObservationSource&) const = default;
};

/// A process of the job. Tables of processes hold at most kProcesses; the rest is in the totals.
struct ObservedProcess {
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> pid;
  std::string host;  ///< hashed unless names were asked for
  std::int64_t threads = 0;
  Seconds start;  ///< of its first record, from the beginning of the observation
  Seconds end;    ///< of its last record
  std::uint64_t operations = 0;
  Bytes read;
  Bytes written;
  std::uint64_t steps = 0;

  bool operator==(const ObservedProcess&) const = default;
};
inline constexpr std::size_t kProcesses = 4096;

/// Training steps of all ranks together.
struct ObservedSteps {
  std::uint64_t count = 0;
  std::string
      marked_by;  ///< what in the trace a step is: "ProfilerStep#", "TorchFramework.compute"
  std::optional<Distribution<Seconds>>
      duration;                               ///< from the end of one step to the end of the next
  std::optional<Distribution<Seconds>> wait;  ///< for the next batch, of each step
  std::optional<Distribution<Seconds>> compute;  ///< the step less its wait
  /// From when the GPU has a batch to when it has done the work that was launched until the last
  /// optimizer step, summed over the batches of the step, without the first step of all; Python may
  /// be waiting for data meanwhile.
  std::optional<Distribution<Seconds>> gpu;
  /// From asking for the first batch of a run or an epoch to having it: one value each.
  std::optional<Distribution<Seconds>> first_batch;
  std::optional<std::uint64_t> epochs;

  bool operator==(const ObservedSteps&) const = default;
};

/// The data loader.
struct ObservedLoader {
  std::string kind;                     ///< "pytorch", "pytorch-workers", "tensorflow", "dali", ...
  std::optional<std::int64_t> workers;  ///< of each rank; 0: it loads in the training process
  std::optional<std::int64_t> prefetch;  ///< batches ahead, of each worker
  std::optional<std::int64_t> batch;     ///< samples, of each rank
  std::string sampler;                   ///< "RandomSampler", "DistributedSampler", ...
  std::optional<bool> persistent;        ///< workers live on after an epoch
  std::optional<bool> pinned;            ///< batches are copied to pinned memory
  std::optional<Distribution<Bytes>> batch_bytes;

  bool operator==(const ObservedLoader&) const = default;
};

/// Single samples, where whoever made the trace marks them.
struct ObservedSamples {
  std::uint64_t count = 0;
  std::optional<Distribution<Seconds>> wall;  ///< to get one sample, reading and all
  std::optional<Distribution<Seconds>> cpu;   ///< of the thread that gets it
  std::optional<Distribution<Bytes>> bytes;
  std::optional<Distribution<Ops>> files;  ///< opened for it

  bool operator==(const ObservedSamples&) const = default;
};

/// Operations that moved from `least` to less than twice as many bytes; `least` 0: none at all.
struct SizeBucket {
  Bytes least;
  std::uint64_t operations = 0;
  Bytes bytes;

  bool operator==(const SizeBucket&) const = default;
};

/// Reads, or writes, of files: what the program asked for, whether or not a cache answered.
struct ObservedTransfers {
  std::uint64_t operations = 0;  ///< that succeeded, also those that moved nothing (end of file)
  std::uint64_t failed = 0;
  Bytes bytes;
  std::optional<Seconds> time;                   ///< sum over all operations and threads
  std::optional<Distribution<Seconds>> latency;  ///< of one operation
  std::optional<Distribution<Bytes>> size;       ///< of one operation
  std::vector<SizeBucket> sizes;                 ///< by powers of two, least first
  /// Operations that begin where the last one of the same process on the same file ended (the first
  /// one: at byte 0), and those that begin elsewhere. The rest is not known.
  std::optional<std::uint64_t> sequential;
  std::optional<std::uint64_t> random;
  std::optional<Bytes> from_device;  ///< what the kernel fetched or stored; the rest: page cache
  std::uint64_t files = 0;           ///< different ones

  bool operator==(const ObservedTransfers&) const = default;
};

/// A file of the job. The table has those that moved most bytes, at most kFiles of them.
struct ObservedFile {
  std::string name;  ///< hashed unless names were asked for
  std::string mount;
  Bytes extent;  ///< end of the furthest byte that was touched: at most its size
  Bytes read;
  Bytes written;
  std::uint64_t operations = 0;

  bool operator==(const ObservedFile&) const = default;
};
inline constexpr std::size_t kFiles = 256;

struct ObservedFiles {
  std::uint64_t count = 0;                    ///< different ones that were read, written or opened
  std::optional<Distribution<Bytes>> extent;  ///< see ObservedFile::extent; one value a file
  std::vector<ObservedFile> largest;          ///< most bytes first
  std::uint64_t folded = 0;                   ///< files that are not in `largest`
  std::uint64_t untracked = 0;                ///< operations on files beyond the bound of memory

  bool operator==(const ObservedFiles&) const = default;
};

/// What went to one file system.
struct ObservedMount {
  std::string mount;    ///< hashed unless names were asked for
  std::string fs_type;  ///< "lustre", "ext4", ...
  std::uint64_t files = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t metadata = 0;
  Bytes read;
  Bytes written;

  bool operator==(const ObservedMount&) const = default;
};

/// Operations of one kind that carry no data: "open", "stat", "seek", ... (kOperationNames).
struct ObservedMetadata {
  std::string operation;
  std::uint64_t count = 0;
  std::uint64_t failed = 0;
  std::optional<Seconds> time;                   ///< sum over all of them
  std::optional<Distribution<Seconds>> latency;  ///< of one

  bool operator==(const ObservedMetadata&) const = default;
};

/// Saves, or loads, of checkpoints.
struct ObservedCheckpoints {
  std::uint64_t count = 0;
  std::optional<Distribution<Seconds>> duration;
  std::optional<Distribution<Bytes>> bytes;  ///< of one save, of one process
  std::optional<Distribution<Ops>> files;    ///< of one save, of one process
  std::optional<std::uint64_t> syncs;        ///< fsync and its kin, of all saves
  std::optional<Seconds> sync_time;
  std::optional<Distribution<Ops>> period_steps;  ///< steps from one save to the next
  std::optional<Distribution<Seconds>> period;    ///< seconds from one start to the next
  std::optional<bool> asynchronous;               ///< steps go on while it is saved

  bool operator==(const ObservedCheckpoints&) const = default;
};

/// Collective operations of one kind.
struct ObservedCollective {
  std::string operation;  ///< "all_reduce", "all_gather", "reduce_scatter", "all_to_all", ...
  std::uint64_t count = 0;
  std::optional<Seconds> time;                   ///< sum over all of them and all devices
  std::optional<Distribution<Seconds>> latency;  ///< of one
  std::optional<Bytes> bytes;                    ///< of the messages, sum

  bool operator==(const ObservedCollective&) const = default;
};

/// Work of accelerators, sums over all devices; streams of one device overlap.
struct ObservedDevices {
  std::optional<std::uint64_t> kernels;
  std::optional<Seconds> kernel_time;  ///< without collectives
  std::optional<Seconds> collective_time;
  std::optional<Seconds> copy_time;  ///< copies and fills of memory
  std::optional<Bytes> to_device;
  std::optional<Bytes> from_device;

  bool operator==(const ObservedDevices&) const = default;
};

/// A mounted file system of the host.
struct ObservedHostMount {
  std::string mount;  ///< hashed unless names were asked for
  std::string fs_type;
  std::string options;
  std::optional<Bytes> capacity;

  bool operator==(const ObservedHostMount&) const = default;
};

struct ObservedNic {
  std::string name;
  std::optional<Rate> rate;

  bool operator==(const ObservedNic&) const = default;
};

/// The machines that it ran on.
struct ObservedHost {
  std::optional<std::int64_t> hosts;
  std::optional<std::int64_t> cores;             ///< physical ones, of one host
  std::optional<std::int64_t> hardware_threads;  ///< what the kernel schedules on, of one host
  std::string cpu;
  std::optional<Bytes> memory;               ///< of one host
  std::optional<std::int64_t> accelerators;  ///< of one host
  std::string accelerator;                   ///< as the driver calls it
  std::optional<Bytes> accelerator_memory;   ///< of one
  std::string kernel;
  std::vector<ObservedHostMount> mounts;
  std::vector<ObservedNic> nics;

  bool operator==(const ObservedHost&) const = default;
};

/// A part of a Lustre layout (PFL): its bytes are striped alike.
struct StripeComponent {
  Bytes start;
  std::optional<Bytes> end;  ///< nothing: to the end of the file
  Bytes stripe_size;
  std::int64_t stripe_count = 0;

  bool operator==(const StripeComponent&) const = default;
};

/// A layout and how many files have it.
struct ObservedLayout {
  std::uint64_t files = 0;
  std::vector<StripeComponent> components;

  bool operator==(const ObservedLayout&) const = default;
};

struct ObservedLustre {
  std::vector<ObservedLayout> layouts;  ///< most files first
  std::uint64_t osts = 0;               ///< different OSTs that are named

  bool operator==(const ObservedLustre&) const = default;
};

/// A job as it was seen.
struct Observation {
  ObservationSource source;
  /// Members that are absent, by path, sorted: "loader.workers", "reading.latency".
  std::vector<std::string> missing;
  /// What was seen and left out, for people: "1 254 rows of X_MPIIO repeat those of X_POSIX".
  std::vector<std::string> notes;

  std::optional<Seconds> began;       ///< since 1970
  std::optional<Seconds> wall;        ///< from the first to the last record
  std::optional<std::int64_t> ranks;  ///< of the job, also those that no file is of
  std::vector<ObservedProcess> processes;
  std::uint64_t processes_folded = 0;  ///< processes beyond kProcesses

  std::optional<ObservedSteps> steps;
  std::optional<ObservedLoader> loader;
  std::optional<ObservedSamples> samples;
  std::optional<ObservedTransfers> reading;
  std::optional<ObservedTransfers> writing;
  std::vector<ObservedMetadata> metadata;  ///< by name of the operation
  std::optional<ObservedFiles> files;
  std::vector<ObservedMount> mounts;  ///< most bytes first
  std::optional<ObservedCheckpoints> saves;
  std::optional<ObservedCheckpoints> loads;
  std::optional<ObservedDevices> devices;
  std::vector<ObservedCollective> collectives;  ///< by name of the operation
  std::optional<ObservedHost> host;
  std::optional<ObservedLustre> lustre;
  /// Figures with no place above, named with their unit: "au_ratio", "throughput_samples_per_s".
  std::map<std::string, double> figures;

  bool operator==(const Observation&) const = default;
};

}  // namespace stallcast
