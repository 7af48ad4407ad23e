#include "calibration/observe/formats/chakra.hpp"

#include <algorithm>
#include <array>

#include "calibration/observe/formats/collective_names.hpp"
#include "calibration/observe/formats/formats.hpp"
#include "calibration/observe/formats/wire_reader.hpp"

// Chakra execution traces (et_def.proto): messages of protobuf, each behind its length as a varint;
// first GlobalMetadata, then one Node each. Read by hand: a dozen fields of two wire types. A trace
// is of one rank; who has no times has no spans, and its sums are of durations alone.
namespace stallcast::calibration::chakra {
namespace {

constexpr std::array<std::string_view, 10> kCollectives{
    "all_reduce", "reduce",         "all_gather",           "gather", "scatter", "broadcast",
    "all_to_all", "reduce_scatter", "reduce_scatter_block", "barrier"};
constexpr std::array<OperationKind, 10> kFileCalls{
    OperationKind::other,     OperationKind::open,     OperationKind::close, OperationKind::read,
    OperationKind::write,     OperationKind::read,     OperationKind::write, OperationKind::sync,
    OperationKind::data_sync, OperationKind::data_sync};
constexpr std::uint64_t kPread = 5, kPwrite = 6;
constexpr std::uint64_t kLargestMessage = std::uint64_t{64} << 20U;
constexpr std::size_t kOpenFiles = 65'536;

std::int64_t bounded(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, 9'000'000'000'000'000));
}

bool attribute(std::string_view bytes, ChakraNode& node) {
  WireReader in(bytes);
  std::string_view name;
  std::uint64_t value = 0;
  bool given = false;
  while (in.next()) {
    if (in.field == 1) name = in.text;
    // Whole numbers: int32, int64, uint32, uint64 and bool, as varints.
    if (in.field == 5 || in.field == 7 || in.field == 9 || in.field == 11 || in.field == 13 ||
        in.field == 27) {
      if (in.text.empty()) value = in.number;
      given = true;
    }
  }
  if (given && name == "is_cpu_op") node.on_host = value != 0;
  if (given && name == "comm_type") node.collective = bounded(value);
  if (given && name == "comm_size") node.bytes = bounded(value);
  return !in.broken;
}

bool file_call(std::string_view bytes, ChakraNode& node) {
  WireReader in(bytes);
  while (in.next()) {
    if (in.field == 1) node.call = in.number;
    if (in.field == 2) node.path = in.text;
    if (in.field == 3) node.descriptor = static_cast<std::int32_t>(in.number);
    if (in.field == 4) node.offset = in.number;
    if (in.field == 5) node.size = in.number;
  }
  return !in.broken;
}

bool storage_info(std::string_view bytes, ChakraNode& node) {
  WireReader in(bytes);
  bool whole = true;
  while (in.next()) {
    if (in.field == 1) node.level = in.number;
    if (in.field == 10) whole = file_call(in.text, node) && whole;
  }
  return whole && !in.broken;
}

bool node_of(std::string_view bytes, ChakraNode& node) {
  WireReader in(bytes);
  bool whole = true;
  while (in.next()) {
    switch (in.field) {
      case 1:
        node.id = in.number;
        break;
      case 2:
        node.name = in.text;
        break;
      case 3:
        node.kind = static_cast<NodeKind>(in.number);
        break;
      case 6:
        node.start_us = bounded(in.number);
        break;
      case 7:
        node.duration_us = bounded(in.number);
        break;
      case 10:
        whole = attribute(in.text, node) && whole;
        break;
      case 11:
        whole = storage_info(in.text, node) && whole;
        break;
      default:
        break;
    }
  }
  return whole && !in.broken;
}

/// The length in front of a message; nothing at the end. `cut` is set when it breaks off.
std::optional<std::uint64_t> length_of(TraceFile& file, bool& cut) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const int byte = file.bytes().sbumpc();
    if (byte < 0) {
      cut = shift > 0;
      return std::nullopt;
    }
    value |= static_cast<std::uint64_t>(static_cast<unsigned>(byte) & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
  return UINT64_MAX;
}

bool is_plain(std::string_view text) {
  return !text.empty() && text.size() <= 40 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// GlobalMetadata: the version of its schema, a member or an attribute; nothing when the message is
/// another one. `part`: only its beginning is there.
std::optional<std::string> version_of(std::string_view message, bool part = false) {
  WireReader in(message);
  std::string version;
  bool known = false;
  while (in.next()) {
    if (in.field == 1 && is_plain(in.text)) {
      version = in.text;
    } else if (in.field == 2 && !in.text.empty()) {
      WireReader attribute(in.text);
      std::string_view name, value;
      while (attribute.next()) {
        if (attribute.field == 1) name = attribute.text;
        if (attribute.field == 29) value = attribute.text;
      }
      if (attribute.broken || !is_plain(name)) return std::nullopt;
      if (name == "schema" && is_plain(value)) version = value;
    } else {
      return std::nullopt;
    }
    known = true;
  }
  return known && (part || !in.broken) ? std::optional(version) : std::nullopt;
}

}  // namespace

void ChakraNodes::storage(const ChakraNode& node, Seconds start) {
  if (node.level > 1) {  // pages and blocks below the calls: their bytes come again
    ++lower_;
    return;
  }
  Operation op;
  op.kind = node.call < kFileCalls.size() ? kFileCalls[node.call] : OperationKind::other;
  op.rank = rank_;
  op.start = start;
  if (node.duration_us > 0)
    op.end = start + Seconds::from(static_cast<double>(node.duration_us), unit::us);
  TracedFile file;
  file.name = node.path;
  const auto known = open_.find(node.descriptor);
  if (file.name.empty() && known != open_.end()) file.name = known->second.first;
  if (moves_bytes(op.kind)) {
    op.bytes = Bytes::from(static_cast<double>(node.size), unit::B);
    if (node.call == kPread || node.call == kPwrite) {
      op.offset = node.offset.value_or(0);  // proto3 leaves out a 0
    } else if (known != open_.end()) {
      op.offset = known->second.second;
      known->second.second += node.size;
    }
  }
  if (op.kind == OperationKind::open && open_.size() < kOpenFiles)
    open_[node.descriptor] = {node.path, 0};
  if (op.kind == OperationKind::close && known != open_.end()) open_.erase(known);
  op.file = file.name.empty() ? 0 : file_id(file.name);
  builder_.operation(op, &file);
}

void ChakraNodes::add(const ChakraNode& node) {
  file_.record();
  if (!begun_) builder_.begin(std::nullopt);  // times are since whatever the tracer chose
  begun_ = true;
  if (node.start_us > 0 && !origin_us_) origin_us_ = node.start_us;
  const Seconds length = Seconds::from(static_cast<double>(node.duration_us), unit::us);
  const Seconds start = Seconds::from(
      static_cast<double>(node.start_us > 0 ? node.start_us - *origin_us_ : 0), unit::us);
  if (node.start_us > 0) {
    builder_.seen(rank_, 0, start, start + length);
    first_ = spans_ ? std::min(first_, start) : start;
    last_ = spans_ ? std::max(last_, start + length) : start + length;
    spans_ = true;
  }
  switch (node.kind) {
    case NodeKind::compute:
      if (node.on_host.value_or(false)) {
        compute_host_ += length;
      } else {
        ++kernels_;
        compute_ += length;
      }
      break;
    case NodeKind::collective: {
      // A call on the host and its kernel on the device are two nodes: one of them counts.
      if (node.on_host.value_or(false) && node.duration_us > 0) break;
      communication_ += length;
      const auto type = node.collective.value_or(-1);
      std::string name = collective_of(node.name);
      if (type >= 0 && type < static_cast<std::int64_t>(kCollectives.size()))
        name = kCollectives[static_cast<std::size_t>(type)];
      if (name.empty()) name = "other";
      std::optional<Bytes> bytes;
      if (node.bytes) bytes = Bytes::from(static_cast<double>(*node.bytes), unit::B);
      builder_.collective(name, node.duration_us > 0 ? std::optional(length) : std::nullopt, bytes);
      break;
    }
    case NodeKind::send:
    case NodeKind::receive:
      ++moved_;
      communication_ += length;
      break;
    case NodeKind::storage:
      storage(node, start);
      break;
    case NodeKind::batch:
      if (node.start_us > 0 && node.duration_us > 0) marks_.step({rank_, 0, start, start + length});
      break;
    case NodeKind::checkpoint:
      if (node.start_us > 0) marks_.save({rank_, 0, start, start + length});
      break;
    default:
      break;
  }
}

void ChakraNodes::finish(const std::string& version, std::string_view dialect) {
  marks_.marked_by = "BATCH_NODE";
  if (marks_.steps.empty() && spans_) {  // by custom, a trace is of one iteration
    marks_.marked_by = "whole trace";
    marks_.step({rank_, 0, first_, last_});
  }
  resolve_marks(marks_, builder_);
  Observation& known = builder_.known;
  known.source.tool_version = version;
  known.source.dialect = dialect;
  (void)builder_.process(rank_);
  if (kernels_ > 0 || communication_ > Seconds{}) {
    ObservedDevices& to = known.devices ? *known.devices : known.devices.emplace();
    to.kernels = to.kernels.value_or(0) + kernels_;
    if (compute_ > Seconds{}) to.kernel_time = to.kernel_time.value_or(Seconds{}) + compute_;
    if (communication_ > Seconds{})
      to.collective_time = to.collective_time.value_or(Seconds{}) + communication_;
  }
  if (compute_host_ > Seconds{}) {
    const double before = known.figures["host_compute_s"];
    known.figures["host_compute_s"] = before + compute_host_.in(unit::s);
  }
  if (moved_ > 0) known.figures["point_to_point_nodes"] += static_cast<double>(moved_);
  if (lower_ > 0)
    builder_.note(
        "storage nodes of pages, blocks and devices are left out: they are below the calls");
}

bool recognises(std::string_view head) {
  const std::size_t brace = head.find_first_not_of(" \t\r\n");
  if (brace != head.npos && head[brace] == '{')
    return head.find("\"workload_graph\"") != head.npos ||
           (head.find("\"nodes\"") != head.npos && head.find("\"schema\"") != head.npos &&
            (head.find("\"ctrl_deps\"") != head.npos || head.find("chakra") != head.npos));
  std::uint64_t length = 0;
  std::size_t used = 0;
  while (used < head.size() && used < 5) {
    const auto byte = static_cast<unsigned char>(head[used]);
    length |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * used);
    ++used;
    if (byte < 0x80U) break;
  }
  const std::string_view rest = head.substr(used);
  return length >= 2 && length <= kLargestMessage &&
         version_of(rest.substr(0, length), length > rest.size()).has_value();
}

void read(TraceFile& file, std::int64_t index, ObservationBuilder& builder) {
  const std::string_view head = file.head();
  const std::size_t brace = head.find_first_not_of(" \t\r\n");
  if (brace != head.npos && head[brace] == '{' && recognises(head))
    return read_json(file, index, builder);
  ChakraNodes nodes(file, index, builder);
  std::string version, message;
  bool first = true, cut = false;
  while (true) {
    const std::uint64_t at = file.position();
    const auto length = length_of(file, cut);
    if (!length) break;
    const std::string place = "byte " + std::to_string(at) + " of the content";
    if (*length > kLargestMessage) {
      file.error(
          "message", 0, 0,
          place + ": a message of " + std::to_string(*length) + " bytes is no node of Chakra",
          "traces are length-prefixed messages of et_def.proto");
      break;
    }
    if (!file.exactly(*length, message)) {
      cut = true;
      break;
    }
    if (first) {
      first = false;
      const auto found = version_of(message);
      if (!found) {
        file.error("header", 0, 0, place + ": the first message is no GlobalMetadata of Chakra",
                   "traces are length-prefixed messages of et_def.proto");
        break;
      }
      version = *found;
      continue;
    }
    ChakraNode node;
    if (!node_of(message, node)) {
      file.error("message", 0, 0, place + ": the message is no node of Chakra",
                 "the file is damaged, or its schema is another");
      break;
    }
    nodes.add(node);
  }
  if (cut)
    file.cut("byte " + std::to_string(file.position()) +
             " of the content: a message is not complete");
  nodes.finish(version, "protobuf");
}

}  // namespace stallcast::calibration::chakra
