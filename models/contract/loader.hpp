#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/fields.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// Data loaders: who reads ahead, how far, and in which order batches arrive.
/// docs/models/dataloader.md.
namespace stallcast::models {

struct LoaderParams {
  std::int64_t batch = 1, workers = 4, prefetch = 2;
  bool persistent = false;
  Seconds start, handover;
  std::string copy;
};

/// What differs between kinds of loaders.
struct LoaderPolicy {
  bool in_order = true;          ///< batches are delivered in the order they were asked for
  bool fixed_assignment = true;  ///< a worker is chosen when a batch is asked for, idle or not
  bool split_batch = false;      ///< threads make up one batch together; prefetch counts batches
  bool interleaved = false;      ///< of those, one that waits reads on for the batches to come
  bool iterable = false;         ///< each worker owns files; one that has read them all is skipped

  // Threads that make up batches together.
  std::optional<std::int64_t> readers{};  ///< as many as workers when not given
  std::int64_t decoders = 0;              ///< 0: readers decode
  std::optional<Bytes> window{};          ///< files are mapped, and a page fault fetches this
  bool gpu_copies = false;                ///< batches are copied to the GPU ahead, not on delivery
  Seconds gpu_decode{};                   ///< of a stage on the GPU, per sample
  Fraction gpu_share{};                   ///< share of the GPU it takes from training

  /// Workers, or threads that read, at one time.
  [[nodiscard]] std::int64_t threads(const LoaderParams& p) const {
    const std::int64_t most = std::max<std::int64_t>(p.workers, 1);
    if (!split_batch || p.workers == 0) return most;
    const std::int64_t asked = std::max<std::int64_t>(readers.value_or(most), 1);
    return interleaved ? asked : std::min(asked, p.batch);
  }
  /// Most batches that are outstanding: what those that read across batches, and those that decode
  /// after them, have in hand comes on top.    [docs/models/dataloader.md, eq. 5]
  [[nodiscard]] std::int64_t outstanding(const LoaderParams& p) const {
    if (!split_batch) return p.workers * p.prefetch;
    const bool apart = interleaved || decoders > 0;
    const std::int64_t in_hand = apart ? threads(p) + decoders + p.batch - 1 : 0;
    return p.prefetch + in_hand / p.batch;
  }
  /// Processes beside the training process: threads are part of it.
  [[nodiscard]] std::int64_t processes(const LoaderParams& p) const {
    return split_batch ? 0 : p.workers;
  }

  Rate collate = Rate::infinity();  ///< of a batch, by the worker that loaded it
  Seconds sending{};                ///< core time of that worker for each batch besides its bytes

  // The hand-over of a batch: part of it is paid when the batch arrives at the training process,
  // the rest when it is delivered.
  double at_delivery = 1.0;         ///< share of the latter
  Rate receive = Rate::infinity();  ///< of a batch's bytes, besides what every hand-over takes
  double handover_spread = 0.0;     ///< standard deviation of a hand-over over its mean (lognormal)

  // What every epoch begins with.
  Seconds names{};     ///< core time for each file of the data set: listing and shuffling names
  Seconds iterator{};  ///< until the threads of an iterator read

  // What a started process does before its first batch.
  Seconds import_time{};                   ///< CPU time, that of a forked process included
  double import_files = 0.0;               ///< files opened
  std::optional<std::string> import_on{};  ///< storage system they lie on

  // A thread between the workers and the training loop that copies batches to pinned memory.
  bool pin = false;
  Rate pin_rate = Rate::infinity();
  Fraction pin_takes{};  ///< share of the hand-over it takes off the training loop

  // A buffer of samples in each worker, from which a random one is given.
  double shuffle = 1.0;        ///< samples it holds
  double shuffle_first = 1.0;  ///< samples in it before the first is given
};

/// Samples that each of `workers` workers of one rank owns in an epoch of an iterable data set of
/// `samples` in files of `per_file`, dealt to `ranks` ranks and then to workers: of a rank that has
/// as many files as the poorest, or one `more`.    [docs/models/dataloader.md, eq. 3]
[[nodiscard]] std::vector<double> deal(double samples, double per_file, double ranks,
                                       std::int64_t workers, bool more = false);
/// How many of the `ranks` ranks have one file more than the poorest; the first ones.
[[nodiscard]] double dealt_more(double samples, double per_file, double ranks);

[[nodiscard]] LoaderParams loader_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> loader_common_fields();

}  // namespace stallcast::models
