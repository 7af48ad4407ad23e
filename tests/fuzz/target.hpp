#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "stallcast/diagnostic.hpp"
#include "stallcast/prediction.hpp"
#include "stallcast/scenario.hpp"

/// What reads input of users, each fed with arbitrary bytes: by libFuzzer (preset `fuzz`), and with
/// the inputs of tests/fuzz/corpus in every build. docs/reliability.md says what was run and found.
namespace stallcast::fuzz {

/// One row of the table: to add a target, its .cpp in targets/ and its row in targets.cpp.
struct Target {
  std::string_view name;                ///< folder of its corpus
  void (*run)(std::string_view input);  ///< ends the process where a promise is broken
  std::string_view seeds;  ///< files of this repository to begin with, patterns separated by blanks
  std::string_view words;  ///< sources whose texts in quotes are the dictionary; likewise
  std::size_t longest = 4096;  ///< bytes of an input
  bool mutates_json = false;   ///< inputs are changed as JSON (mutate_json.hpp)
};

[[nodiscard]] std::span<const Target> targets();
/// nullptr when there is none of that name.
[[nodiscard]] const Target* find_target(std::string_view name);

/// Ends the process, with `what` on standard error, where `holds` is false.
void require(bool holds, std::string_view what);

/// Every fault says what is wrong, and an error in `file` says where.
void check_faults(const Diagnostics& faults, std::string_view file);

/// Every metric is a number: neither infinite nor none.
void check_figures(const std::map<std::string, Metric>& metrics);

/// A file in memory that goes with this object: for what is read by its path.
class InputFile {
 public:
  explicit InputFile(std::string_view content);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int handle_ = -1;
  std::string path_;
};

/// Simulates the beginning of `design`, without SimGrid, unless it is large.
void simulate_briefly(const Design& design);

/// A scenario without a fault: a template of the library.
[[nodiscard]] const Scenario& known_scenario();

/// The first line of `input`, and the rest.
[[nodiscard]] std::pair<std::string_view, std::string_view> first_line(std::string_view input);

// The rows, in targets/*.cpp.
void fuzz_quantity(std::string_view input);
void fuzz_expression(std::string_view input);
void fuzz_jsonc(std::string_view input);
void fuzz_scenario(std::string_view input);
void fuzz_simulate(std::string_view input);
void fuzz_options(std::string_view input);
void fuzz_policy(std::string_view input);
void fuzz_fio_job(std::string_view input);
void fuzz_sweep_file(std::string_view input);
void fuzz_replay_program(std::string_view input);
void fuzz_import_workload(std::string_view input);
void fuzz_import_results(std::string_view input);
void fuzz_import_trace(std::string_view input);
void fuzz_observation(std::string_view input);
void fuzz_observed(std::string_view input);
void fuzz_profile(std::string_view input);
void fuzz_cases(std::string_view input);
void fuzz_table(std::string_view input);
void fuzz_result(std::string_view input);
void fuzz_worker_request(std::string_view input);
void fuzz_worker_message(std::string_view input);
void fuzz_http_framing(std::string_view input);
void fuzz_http_routes(std::string_view input);

}  // namespace stallcast::fuzz
