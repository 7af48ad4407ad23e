#pragma once

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "calibration/measure/csv.hpp"
#include "calibration/validation/mlperf/workload.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/units.hpp"

/// What a row says was run on what: all that its scenario may depend on. No result is among it.
namespace stallcast::calibration::mlperf {

/// What a program's options and a system's descriptions say; zeros where they say nothing.
struct Facts {
  std::string id;
  const Workload* workload = nullptr;
  Seconds compute;  ///< of a step; of checkpoints: none
  double hosts = 1.0;

  // The benchmark program.
  double read_threads = 4.0;
  double prefetch = 2.0;
  double map_threads = 1.0;
  std::string format;  ///< "npz", "npy", "tfrecord", "jpeg"
  bool torch = false;  ///< PyTorch's loader, else TensorFlow's
  double samples_per_file = 1.0;
  bool barrier = true;
  bool third_round = false;  ///< v3.0: AU counts the measured sleep

  // The clients.
  Bytes memory;
  double cores = 64.0;
  bool zen2 = false;
  Rate memory_rate;
  Rate port;
  double ports = 1.0;

  // The storage: all words about it, and figures.
  std::string product;
  double nodes = 1.0;
  double drives = 1.0;      ///< of all nodes
  Rate drive;               ///< read rate of one
  Rate node_port;           ///< of a node's port
  double node_ports = 1.0;  ///< of each node
  std::optional<Rate> stated;

  [[nodiscard]] bool tcp() const;
  [[nodiscard]] bool direct() const;  ///< reads go past the page cache
  /// Whether `pattern` is in the words about the storage.
  [[nodiscard]] bool says(const char* pattern) const;
  /// The first group of `pattern` in these, as a number.
  [[nodiscard]] std::optional<double> number(const char* pattern) const;
  /// What ports and drives of the storage could give together.
  [[nodiscard]] Rate sheets() const;
};

/// What the first group of `pattern` matches in `text`, as a number.
[[nodiscard]] std::optional<double> first_group(const std::string& text, const std::regex& pattern);

/// A client's CPU, from how it is written ("2x Xeon Platinum 8480", "1x EPYC 7502P (32c)",
/// "r6i.32xlarge", "64 vCPU").
struct ClientCpu {
  double threads = 0.0;  ///< two a core
  Rate memory;           ///< of all sockets, by the data sheet of the CPU's generation
  bool zen2 = false;     ///< AMD's second generation of EPYC
};
[[nodiscard]] std::optional<ClientCpu> client_cpu(const std::string& text);
/// Of a cloud instance with so many vCPUs.
[[nodiscard]] ClientCpu cpu_of_vcpus(double vcpus);

/// The facts of row `row` of a table in the layout of v1.0; its workload and step time are given.
[[nodiscard]] Facts read_facts(const CsvTable& table, std::size_t row, const Workload& workload,
                               Seconds compute);

/// The same of a table in the layout of v3.0; a checkpoint has no workload and no step time.
[[nodiscard]] Facts read_facts_v3(const CsvTable& table, std::size_t row, const Workload* workload,
                                  Seconds compute);

}  // namespace stallcast::calibration::mlperf
