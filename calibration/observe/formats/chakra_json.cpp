#include <algorithm>
#include <string>
#include <string_view>

#include "calibration/observe/formats/chakra.hpp"
#include "calibration/observe/json_walk.hpp"

// Two forms of JSON: {"workload_graph": [{"Id", "Name", "NodeType", "runtime", "is_cpu_op"}]} with
// runtimes in microseconds, and PyTorch's {"schema", "nodes": [{"id", "name", "attrs": [{"name",
// "value"}]}]}, which has no times: only names and structure.
namespace stallcast::calibration::chakra {
namespace {

class JsonNodes final : public JsonVisitor {
 public:
  JsonNodes(TraceFile& file, std::int64_t rank, ObservationBuilder& builder)
      : nodes(file, rank, builder) {}

  void enter(std::size_t depth) override {
    if (depth == 1) {
      inside_ = key(1) == "workload_graph" || key(1) == "nodes";
      if (inside_) dialect = key(1) == "nodes" ? "pytorch-json" : "json";
    }
    if (depth == 2 && inside_) {
      event_.clear();
      node_ = {};
    }
    if (depth == 4) attribute_.clear();
  }
  void leave(std::size_t depth) override {
    if (depth == 4 && inside_ && attribute_ == "is_cpu_op") node_.on_host = attribute_value_ != 0;
    if (depth == 4 && inside_ && attribute_ == "comm_type") node_.collective = attribute_value_;
    if (depth == 4 && inside_ && attribute_ == "comm_size") node_.bytes = attribute_value_;
    if (depth == 2 && inside_) node();
    if (depth == 1) inside_ = false;
  }
  void value(std::size_t depth, const JsonScalar& scalar) override {
    if (depth == 1 && key(1) == "schema") version = scalar.text;
    if (!inside_) return;
    if (depth == 3) {
      event_.add(key(3), false, scalar);
      if (key(3) == "is_cpu_op") node_.on_host = scalar.truth;
    }
    if (depth == 5 && (key(3) == "attrs" || key(3) == "attr")) {
      if (key(5) == "name") attribute_ = scalar.text;
      if (key(5).ends_with("_val") || key(5) == "value")
        attribute_value_ = scalar.kind == JsonScalar::Kind::integer ? scalar.integer
                           : scalar.truth                           ? 1
                                                                    : 0;
    }
  }

  ChakraNodes nodes;
  std::string version;
  std::string dialect;

 private:
  void node() {
    const auto number = [&](std::string_view a, std::string_view b) {
      const auto value = event_.integer(a);
      return value ? value : event_.integer(b);
    };
    if (const auto id = number("id", "Id")) node_.id = static_cast<std::uint64_t>(*id);
    node_.name = event_.text(event_.text("name").empty() ? "Name" : "name");
    const auto kind = number("type", "NodeType");
    if (kind && *kind >= 0) node_.kind = static_cast<NodeKind>(*kind);
    const auto runtime = number("duration_micros", "runtime");
    node_.duration_us = std::clamp<std::int64_t>(runtime.value_or(0), 0, 9'000'000'000'000'000);
    const auto start = number("start_time_micros", "ts");
    node_.start_us = std::clamp<std::int64_t>(start.value_or(0), 0, 9'000'000'000'000'000);
    nodes.add(node_);
  }

  bool inside_ = false;
  EventFields event_;
  ChakraNode node_;
  std::string attribute_;
  std::int64_t attribute_value_ = 0;
};

}  // namespace

void read_json(TraceFile& file, std::int64_t rank, ObservationBuilder& builder) {
  JsonNodes visitor(file, rank, builder);
  walk_json(file, visitor);
  visitor.nodes.finish(visitor.version, visitor.dialect);
}

}  // namespace stallcast::calibration::chakra
