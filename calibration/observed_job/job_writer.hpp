#pragma once

#include <string>
#include <string_view>

#include "calibration/observed_job/job_scenario.hpp"

namespace stallcast::calibration {

/// One scenario being written: used by write_job alone. The parts about data are in job_data.cpp,
/// those about the storage and saves in job_storage.cpp.
class JobWriter {
 public:
  JobWriter(const Observation& observation, const JobFacts& facts, const FreeCosts& costs,
            const JobWriting& how)
      : o_(observation), facts_(facts), costs_(costs), how_(how) {}

  WrittenJob write() &&;

 private:
  void add_head();
  void add_host();
  void add_job();
  void add_step();
  void add_dataset();
  void add_format();
  void add_core_time();
  void add_cache();
  void add_loader();
  void add_start();
  void add_hand_over();
  void add_storage();
  void add_request();
  void add_reads();
  void add_writes();
  void add_checkpoint();
  void add_discrepancy();

  /// Sets `target` ("store.read.rate": the part, then its field), says above it what `comment`
  /// says, and notes that it is of `source` ("reading.time").
  void set(std::string_view source, std::string_view target, base::Json value,
           std::string_view note = {}, std::string_view comment = {});
  /// Sets what is no member: an assumption, or the id of another part.
  void assume(std::string_view target, base::Json value, std::string_view why,
              std::string_view comment = {});
  /// `source` was not seen: `target` keeps its default, which is listed with its range.
  void leave(std::string_view source, std::string_view target);
  void ignore(std::string_view source, std::string_view why);

  base::Json* place(std::string_view target, std::string& pointer);
  void comment(std::string_view target, std::string_view text);
  [[nodiscard]] std::string dotted(std::string_view target) const;
  [[nodiscard]] std::int64_t batch() const;
  [[nodiscard]] std::int64_t workers() const;
  [[nodiscard]] double samples() const;
  [[nodiscard]] bool reads_data() const { return facts_.sample.has_value(); }
  [[nodiscard]] bool is_pytorch() const;
  [[nodiscard]] std::string format() const;

  const Observation& o_;
  const JobFacts& facts_;
  const FreeCosts& costs_;
  const JobWriting& how_;
  WrittenJob out_;
};

/// Samples of one host that are asked for in a second.
[[nodiscard]] double samples_per_second(const Observation& observation, const JobFacts& facts);
/// Samples of a rank and step.
[[nodiscard]] std::int64_t batch_of(const Observation& observation, const JobFacts& facts);
[[nodiscard]] std::int64_t workers_of(const Observation& observation);
/// The time that the training loop takes a batch over, where it is ready.
[[nodiscard]] Seconds hand_over(const Observation& observation, const JobFacts& facts);
/// Are batches ready before they are asked for, by what single samples take?
[[nodiscard]] bool keeps_up(const Observation& observation, const JobFacts& facts);
/// Do workers live over epochs? Not where later epochs begin as slowly as the run did.
[[nodiscard]] bool lives_on(const Observation& observation, const JobFacts& facts);
/// Does the job wait for its data?
[[nodiscard]] bool waits_for_data(const Observation& observation, const JobFacts& facts);

}  // namespace stallcast::calibration
