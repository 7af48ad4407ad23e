#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/observe/builder.hpp"
#include "calibration/observe/step_marks.hpp"
#include "calibration/observe/trace_file.hpp"

/// What the binary and the JSON form of Chakra traces share.
namespace stallcast::calibration::chakra {

/// Kinds of nodes, as et_def.proto numbers them; from `storage` on they are proposed (pull request
/// 216 of mlcommons/chakra).
enum class NodeKind : std::uint64_t {
  invalid = 0,
  metadata = 1,
  memory_load = 2,
  memory_store = 3,
  compute = 4,
  send = 5,
  receive = 6,
  collective = 7,
  storage = 8,
  batch = 9,
  checkpoint = 10
};

/// One node, as far as it is read.
struct ChakraNode {
  std::uint64_t id = 0;
  std::string name;
  NodeKind kind = NodeKind::invalid;
  std::int64_t start_us = 0;               ///< 0: not recorded
  std::int64_t duration_us = 0;            ///< 0: not recorded
  std::optional<bool> on_host;             ///< is_cpu_op
  std::optional<std::int64_t> collective;  ///< comm_type
  std::optional<std::int64_t> bytes;       ///< comm_size
  // Of storage nodes:
  std::uint64_t level = 0;  ///< 1: calls of the file system
  std::uint64_t call = 0;   ///< FsOp: 1 open .. 9 sync_file_range
  std::string path;
  std::int64_t descriptor = -1;
  std::optional<std::uint64_t> offset;
  std::uint64_t size = 0;
};

/// Counts the nodes of one file, which is of one rank.
class ChakraNodes {
 public:
  ChakraNodes(TraceFile& file, std::int64_t rank, ObservationBuilder& builder)
      : file_(file), rank_(rank), builder_(builder) {}
  void add(const ChakraNode& node);
  /// After the last node. `version` is the schema's.
  void finish(const std::string& version, std::string_view dialect);

 private:
  void storage(const ChakraNode& node, Seconds start);

  TraceFile& file_;
  std::int64_t rank_;
  ObservationBuilder& builder_;
  bool begun_ = false;
  std::optional<std::int64_t> origin_us_;
  bool spans_ = false;  ///< some nodes have times: from first_ to last_
  Seconds first_, last_;
  Seconds compute_, compute_host_, communication_;
  std::uint64_t kernels_ = 0, lower_ = 0, moved_ = 0;
  std::map<std::int64_t, std::pair<std::string, std::uint64_t>> open_;  ///< name and position by fd
  StepMarks marks_;
};

/// The JSON form, and PyTorch's own execution traces.
void read_json(TraceFile& file, std::int64_t rank, ObservationBuilder& builder);

}  // namespace stallcast::calibration::chakra
