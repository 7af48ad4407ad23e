#pragma once

#include "models/contract/dataset.hpp"
#include "models/contract/loader.hpp"
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
/// Whether groups of equal samples may end within one: each sample is read alone, by whoever asks.
///    [docs/models/dataloader.md, "grain"]
[[nodiscard]] bool cuts_samples(const SampleAccess& access, const LoaderPolicy& policy);

}  // namespace stallcast::models
