#include <array>
#include <utility>

#include "calibration/measure/importers/tool_json.hpp"
#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"

/// nvbandwidth --json.
/// - Cells are texts, "N/A" where a pair was not measured; a test that was waived has no matrix.
/// - The unit is given in the description only: GB/s (taken as decimal), or ns under the same key.
/// - The bidirectional tests of copy engines report the measured stream alone.
namespace stallcast::calibration::nvbandwidth {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOperations{
    {{"host_to_device", "h2d"},
     {"device_to_host", "d2h"},
     {"device_to_device", "d2d"},
     {"host_to_all", "h2d"},
     {"all_to_host", "d2h"},
     {"one_to_all", "d2d"},
     {"all_to_one", "d2d"},
     {"latency", "access"}}};

void read_case(const ToolNode& test, MeasurementSet& set) {
  const std::string name = test.text("name");
  const std::string status = test.text("status");
  const std::string unit_text = test.text("bandwidth_description");
  for (const char* same : {"sum", "min", "max", "average"}) test.pass(same);
  const ToolNode matrix = test.at("bandwidth_matrix");
  if (!matrix) {
    set.ignored.push_back(name + ": " + (status.empty() ? "no matrix" : lower_case(status)));
    return;
  }
  if (!matrix.is_list()) return matrix.error("type", "this takes a list of rows");
  const bool latency = contains(unit_text, "ns)") || unit_text.ends_with(" ns");
  if (!latency && !contains(unit_text, "GB/s"))
    return matrix.error("unit", "the description of \"" + name + "\" names neither GB/s nor ns",
                        "the unit of nvbandwidth's figures is given in bandwidth_description only");
  Measurement base;
  base.subject = Subject::memory;
  base.operation = name;
  for (const auto& [prefix, operation] : kOperations)
    if (contains(name, prefix)) {
      base.operation = operation;
      break;
    }
  if (latency) base.operation = "access";
  base.path = name.ends_with("_sm") ? "sm" : name.ends_with("_ce") ? "ce" : "";
  if (contains(name, "bidirectional")) {
    base.path += base.path.empty() ? "bidirectional" : "-bidirectional";
    base.options["rate"] = "of one direction, while the other copies too";
  }
  // One copy engine serves several GPUs at once: not what one link does.
  if (contains(name, "_to_all") || contains(name, "all_to_"))
    base.path += base.path.empty() ? "all" : "-all";
  base.options["test"] = name;
  if (const std::string lower = lower_case(status); lower == "failed" || lower == "error")
    flag(base, "failed");
  const std::vector<ToolNode> rows = matrix.elements();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::vector<ToolNode> cells = rows[r].elements();
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (cells[c].text() == "N/A") continue;
      const auto value = cells[c].number();
      if (!value || *value <= 0.0) continue;
      Measurement m = base;
      m.origin = cells[c].place();
      m.options["row"] = std::to_string(r);
      m.options["column"] = std::to_string(c);
      if (latency) {
        m.latency = Seconds::from(*value, unit::ns);
      } else {
        m.rate = Rate::from(*value, unit::GBps);
      }
      set.measurements.push_back(std::move(m));
    }
  }
}

}  // namespace

bool recognises(std::string_view text) {
  return contains(text, "\"nvbandwidth\"") && contains(text, "\"testcases\"");
}

void read(const ToolFile& file, MeasurementSet& set) {
  ToolJson json(file, "run nvbandwidth with --json, and keep what it prints");
  for (const ToolNode& root : json.roots()) {
    const ToolNode top = root.at("nvbandwidth");
    set.tool_version = top.text("version");
    for (const char* key : {"CUDA Runtime Version", "Driver Version", "git_version"})
      if (std::string value = top.text(key); !value.empty())
        set.environment[key] = std::move(value);
    for (const ToolNode& test : top.list("testcases")) read_case(test, set);
  }
  for (std::string& line : json.unread()) set.ignored.push_back(std::move(line));
}

}  // namespace stallcast::calibration::nvbandwidth
