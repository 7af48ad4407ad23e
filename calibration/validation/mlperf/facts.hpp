#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/measure/csv.hpp"
#include "calibration/validation/mlperf/drives.hpp"
#include "calibration/validation/mlperf/workload.hpp"
#include "calibration/validation/mlperf/written.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/units.hpp"

/// What a row says was run on what: all that its scenario may depend on. No result is among it.
namespace stallcast::calibration::mlperf {

/// Drives of a server of which nothing is said.
inline constexpr double kDrivesOfServer = 8.0;

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
  std::string protocol;  ///< where the table has it by itself
  bool local = false;    ///< drives in the clients, whatever the words are
  double nodes = 1.0;
  bool nodes_said = true;   ///< else they are as many as a stated rate or the clients take
  double drives = 1.0;      ///< of all nodes
  DriveRate drive;          ///< of one
  Rate node_port;           ///< of a node's port
  double node_ports = 1.0;  ///< of each node
  std::optional<Rate> stated;
  std::optional<Rate> asked;       ///< by the clients, of storage that nothing describes
  std::vector<std::string> notes;  ///< how odd cells were read

  [[nodiscard]] bool tcp() const;
  [[nodiscard]] bool rdma() const;
  [[nodiscard]] bool direct() const;  ///< reads go past the page cache
  /// Whether `pattern` is in the words about the storage.
  [[nodiscard]] bool says(const char* pattern) const;
  /// The first group of `pattern` in these, as a number.
  [[nodiscard]] std::optional<double> number(const char* pattern) const;
  /// What ports and drives of the storage could give together, with drives so many times as fast.
  [[nodiscard]] Rate sheets(double times = 1.0) const;
  /// A sentence about how `column`'s `cell` was read.
  void note(std::string_view column, const std::string& cell, const std::string& taken);
  /// What `cell` has above 0, as written::amount_in, and rate_of; a negative one has a note.
  [[nodiscard]] std::optional<double> amount(std::string_view column, const std::string& cell);
  [[nodiscard]] std::optional<Rate> total(std::string_view column, const std::string& cell);
  /// A note where a cell that says nothing of ports has digits.
  void unread_ports(std::string_view column, const std::string& cell);
  /// Servers that nobody counts: as many as `drives_said` or a stated rate take, else sized for
  /// clients that ask for `rate`.
  void count_servers(std::optional<double> drives_said, Rate rate);
};

/// Whether `pattern` is in `text`, in letters of any case.
[[nodiscard]] bool has(const std::string& text, const char* pattern);
/// What the first group of `pattern` matches in `text`, as a number; words in letters of any case.
[[nodiscard]] std::optional<double> first_group(const std::string& text, const std::regex& pattern);
[[nodiscard]] std::optional<double> first_group(const std::string& text, const char* pattern);

/// A rate as a cell has it: in GB/s where it has no unit.
[[nodiscard]] std::optional<Rate> rate_of(const std::string& cell);
/// Ports as a cell has them, and a cell beside it how many: the larger number counts.
[[nodiscard]] std::optional<written::Ports> ports_of(const std::string& rate,
                                                     const std::string& count);

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

/// The same of a table in the layout of v3.0, of `ranks`; a checkpoint has no workload and no step
/// time.
[[nodiscard]] Facts read_facts_v3(const CsvTable& table, std::size_t row, const Workload* workload,
                                  Seconds compute, double ranks);

}  // namespace stallcast::calibration::mlperf
