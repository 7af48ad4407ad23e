#pragma once

#include <algorithm>

#include "models/contract/dataset.hpp"
#include "models/contract/loader.hpp"
#include "models/contract/storage.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

namespace stallcast::models {

/// How a file is read when not as one stream.
enum class Blocks {
  read_ahead,  ///< a read that is not there fetches what is asked for and a block more (fsspec)
  faults,      ///< a page fault fetches the block around it (mmap)
};

/// `access` with its ranges read in requests of `block`, one after the other: files front to back,
/// pieces of files with what comes with them.    [docs/models/formats.md, eq. 7]
[[nodiscard]] SampleAccess in_blocks(SampleAccess access, Bytes sample, Bytes block, Blocks how);

/// What a sample of a job costs: its format, its client library and its loader together. REQUIRES:
/// the job has a data set.
[[nodiscard]] SampleAccess sample_access(const JobDesign& job);
/// That share of the files that the data set of a job lies in. REQUIRES: the job has a data set.
[[nodiscard]] StorageLoad::FileSet files_of(const JobDesign& job, double share);
/// Who of the loader of one rank works at one time.    [docs/models/host.md, eq. 2]
struct LoaderThreads {
  double readers = 1.0;   ///< workers, or threads that read; without workers the training process
  double decoders = 0.0;  ///< threads that decode after them
  double fetchers = 0.0;  ///< of all readers: that fetch ahead of them
  bool pool = false;      ///< which also decode
  bool apart = true;      ///< readers are not the training process itself

  /// That read at one time.
  [[nodiscard]] double reading() const { return std::max(readers, fetchers); }
  /// That decode or parse, each on a core of its own, beside the training process.
  [[nodiscard]] double computing() const {
    return (apart ? readers : 0.0) + decoders + (pool ? fetchers : 0.0);
  }
  /// The same with those that only move bytes.
  [[nodiscard]] double on_cores() const { return computing() + (pool ? 0.0 : fetchers); }
};
/// REQUIRES: the job has a data set.
[[nodiscard]] LoaderThreads loader_threads(const JobDesign& job);
/// Whether groups of equal samples may end within one: each sample is read alone, by whoever asks.
///    [docs/models/dataloader.md, "grain"]
[[nodiscard]] bool cuts_samples(const SampleAccess& access, const LoaderPolicy& policy);

}  // namespace stallcast::models
