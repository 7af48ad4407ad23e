#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stallcast/observation.hpp"

/// What an observation says of its job in the terms of a scenario.
namespace stallcast::calibration {

/// Mean, standard deviation and count of values that were seen.
struct Seen {
  double mean = 0.0;  ///< base unit
  double deviation = 0.0;
  std::uint64_t count = 0;
  double low = 0.0;     ///< 5 % quantile
  double middle = 0.0;  ///< median
  double high = 0.0;    ///< 95 % quantile

  /// Standard deviation over the mean; 0 without a mean.
  [[nodiscard]] double variation() const { return mean > 0.0 ? deviation / mean : 0.0; }
};

/// How the bytes of a sample lie in files.
enum class Layout {
  file_each,  ///< a file, or several, for each sample
  streamed,   ///< files of many samples, read from their beginning to their end
  at_random   ///< files of many samples, read at random places
};

/// What the page cache answered.
struct CacheFacts {
  double hit = 0.0;   ///< share of the bytes that were read
  bool cold = false;  ///< the first epoch filled it, later ones found all
  bool most() const { return hit > 0.5; }
};

struct SaveFacts {
  Seen time;                            ///< s, of one save
  std::optional<Bytes> size;            ///< of a save, all writers
  std::int64_t writers = 1, files = 1;  ///< files: of each writer
  std::optional<std::int64_t> every_steps;
  std::optional<Seconds> every;
  bool asynchronous = false;
  std::optional<std::uint64_t> syncs;  ///< of all saves
  std::optional<Seconds> flush;        ///< time of fsync, of one save
  std::uint64_t count = 0;             ///< of the job, not of its processes

  /// False: a save ends in the page cache, from where the kernel writes it behind the job.
  [[nodiscard]] bool flushed() const { return syncs.value_or(1) > 0; }
};

/// The job, as far as it was seen. What is absent was not.
struct JobFacts {
  std::int64_t hosts = 1, ranks = 1, ranks_per_host = 1;
  std::int64_t seen = 1;             ///< of the ranks, whose steps were counted
  std::string ranks_from = "ranks";  ///< the member that tells how many there were
  std::uint64_t epochs = 1;
  std::int64_t steps = 1;  ///< of one rank, in one epoch

  /// Between the batch and the end of the step, saves left out: of one rank, before it meets the
  /// others.
  Seen compute;
  Seconds warm_up;  ///< what the first step took more
  bool waits_known = false;
  Seconds step;                 ///< mean, without the first of the run; waits and saves included
  double step_error = 0.0;      ///< half of the 90 % interval of that mean, over the mean
  Seconds wait;                 ///< mean, without the first of the run
  Seconds unexplained;          ///< wait that is part of `compute`: what is read was not seen
  Seconds between;              ///< `wait`, without the first of each epoch either
  Seconds between_error;        ///< half of the 90 % interval of `between`
  double wait_error = 0.0;      ///< of `wait`, as of the step, over the step
  double wait_variation = 0.0;  ///< of waits but the longest: by their median and 95 % quantile
  Seconds least_wait;           ///< 5 % quantile
  Seconds usual_wait;           ///< median
  std::optional<Seen> first_batch;
  /// Of the run and of its later epochs, where it has such and they can be told apart.
  std::optional<Seen> first_of_run, first_of_later;
  Seconds saving;  ///< of a step, mean: what steps waited for saves
  /// Of a step, mean: what a rank that has computed waited for others, where that was seen apart
  /// from its compute.
  std::optional<Seconds> others;

  std::optional<Bytes> sample, sample_deviation;  ///< stored
  std::optional<double> files_per_sample, requests_per_sample;
  std::optional<Bytes> file;  ///< mean size, at least
  std::optional<std::int64_t> files;
  Layout layout = Layout::file_each;
  std::optional<Seconds> sample_wall, sample_cpu, sample_io;
  Seconds least_io;                      ///< of a sample, 5 % quantile; 0 where it was not seen
  std::string io_from;                   ///< what `sample_io` was made of
  std::optional<Seconds> open;           ///< of one file
  std::optional<Seconds> collate;        ///< core time to make up a batch of the samples
  std::optional<Seconds> delay;          ///< of a sample, waiting for a core
  std::optional<std::int64_t> data_set;  ///< samples of it
  std::int64_t batches = 1;              ///< of the loader, in one step
  std::optional<CacheFacts> cache;
  std::optional<SaveFacts> saves;

  std::vector<std::string> remarks;  ///< what people should know of how these were made

  /// Is nearly all of the data in memory?
  [[nodiscard]] bool in_memory() const { return cache && cache->hit >= 0.95; }
  /// Processes that load, on one host.
  [[nodiscard]] double readers(std::int64_t workers) const {
    return static_cast<double>(ranks_per_host * std::max<std::int64_t>(workers, 1));
  }
};

template <class Q>
[[nodiscard]] Seen seen_of(const Distribution<Q>& values);

/// A figure of the observation, if it is there.
[[nodiscard]] std::optional<double> figure(const Observation& o, const char* name);

/// Most processes with steps that were there at one time: the ranks of a job whose trace names
/// none. One process that was traced for a while, and later again, is one.
[[nodiscard]] std::int64_t training_at_once(const Observation& o);

/// What is said of `unexplained`. REQUIRES: there is some.
[[nodiscard]] std::string waits_in_compute(const JobFacts& facts);

/// REQUIRES: steps with a duration or a compute.
[[nodiscard]] JobFacts facts_of(const Observation& observation);

}  // namespace stallcast::calibration
