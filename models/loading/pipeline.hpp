#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/sim/context.hpp"
#include "engine/sim/sync.hpp"
#include "models/contract/loader.hpp"
#include "models/contract/phase_clock.hpp"
#include "models/loading/sample_reader.hpp"
#include "models/record/recorder.hpp"

namespace stallcast::models {

/// Threads of one process that make up batches together: readers, each with a file of its own, and
/// decoders (tf.data, DALI). In order, sample s of an epoch is read by reader s mod C and belongs
/// to its batch; what one reader has of a batch is split into elements of some samples. Without
/// order any reader takes the next element, and a batch is made of whatever is there first.
/// docs/models/dataloader.md.
class Pipeline {
 public:
  /// `done` gets each batch, in the order they were asked for, and whether the threads had done all
  /// they were asked for when they were asked for it.
  Pipeline(ReaderShared& shared, const LoaderParams& params, const LoaderPolicy& policy,
           std::function<void(std::int64_t, Loaded, bool)> done);

  /// Before an epoch of `steps` batches.
  void begin_epoch(std::int64_t steps);
  /// Asks for a batch. REQUIRES: indices grow.
  void push(std::int64_t index);
  /// Its threads report to `recorder` what they do. `track`: whose they are.
  void record(Recorder& recorder, const Timeline::Track& track);
  /// What all threads together did.
  [[nodiscard]] WaitSplit clocks(Seconds now) const;

 private:
  struct Element {
    std::int64_t batch = 0;
    double samples = 0.0;
    Loaded bytes{};
  };
  struct Reader {
    // Its own numbers: what it draws does not depend on when the others draw.
    Reader(ReaderShared& shared, std::uint64_t number)
        : random(shared.random.below(std::uint64_t{1} << 62), "reader", "samples", number),
          reader(shared, random),
          elements(shared.context) {}
    base::RandomStream random;
    SampleReader reader;
    sim::Mailbox<Element> elements;
    double beyond = 0.0;  ///< samples that it was asked for beyond its part of all batches
    PhaseClock clock{reader.resources()};
    Lane* lane = nullptr;
  };
  struct Decoder {
    PhaseClock clock;
    Lane* lane = nullptr;
  };
  /// A batch that is asked for and not complete.
  struct Pending {
    std::int64_t index = 0, missing = 0;  ///< elements
    Loaded bytes{};
    bool rested = false;  ///< nothing was missing of any other when it was asked for
  };
  sim::Task<void> read(Reader& self, sim::Mailbox<Element>& elements);
  sim::Task<void> decode(Decoder& self);
  void finish(const Element& element);
  /// How many of the first `samples` of an epoch reader `r` reads in order.
  [[nodiscard]] std::int64_t samples_of(std::int64_t r, std::int64_t samples) const;
  /// In how many elements a reader has `samples` of a batch.
  [[nodiscard]] std::int64_t elements_of(std::int64_t samples) const;
  /// Samples of the smallest element, of all batches and readers.
  [[nodiscard]] double least_element() const;

  ReaderShared& shared_;
  std::int64_t batch_, decoders_;
  std::int64_t asked_ = 0, total_ = 0;  ///< samples asked for in this epoch, and to be
  bool in_order_;
  std::function<void(std::int64_t, Loaded, bool)> done_;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::vector<std::unique_ptr<Decoder>> decoder_threads_;
  sim::Mailbox<Element> any_reader_, to_decode_;
  std::deque<Pending> pending_;
  std::optional<base::RandomStream> cuts_;  ///< where elements of equal samples end
};

}  // namespace stallcast::models
