#include "calibration/measure/measurement_json.hpp"

#include <array>

#include "calibration/measure/record_json.hpp"
#include "engine/base/files.hpp"
#include "engine/base/sha256.hpp"

namespace stallcast {
namespace calibration {
namespace {
constexpr std::string_view kSchema = "stallcast.measurements/1";
}

template <>
struct EnumNames<Subject> {
  static constexpr std::array values{Subject::io,     Subject::metadata, Subject::memory,
                                     Subject::gds,    Subject::network,  Subject::collective,
                                     Subject::loader, Subject::training, Subject::checkpoint};
};

template <class Visitor>
void describe(Visitor& at, Measurement& m) {
  at("subject", m.subject);
  at("operation", m.operation);
  at("pattern", m.pattern);
  at("path", m.path);
  at("size", m.size);
  at("read_share", m.read_share);
  at("processes", m.processes);
  at("depth", m.depth);
  at("direct", m.direct);
  at("rate", m.rate);
  at("ops", m.ops);
  at("latency", m.latency);
  at("quantiles", m.quantiles);
  at("count", m.count);
  at("rate_series", m.rate_series);
  at("duration", m.duration);
  at("cores", m.cores);
  at("figures", m.figures);
  at("flags", m.flags);
  at("origin", m.origin);
  at("options", m.options);
}

template <class Visitor>
void describe(Visitor& at, MeasurementSet& set) {
  at("tool", set.tool);
  at("tool_version", set.tool_version);
  at("date", set.date);
  at("environment", set.environment);
  at("ignored", set.ignored);
  at.records("measurements", set.measurements);
}

std::string write_measurements(const MeasurementSet& set) {
  return write_record_file(set, kSchema);
}

MeasurementSet read_measurements(const std::string& text, const std::string& file,
                                 Diagnostics& diagnostics) {
  auto set = read_record_file<MeasurementSet>(text, file, kSchema, diagnostics);
  set.file = file;
  set.sha256 = base::sha256(text);
  return set;
}

bool is_measurements(std::string_view text) {
  return text.substr(0, 400).find(kSchema) != std::string_view::npos;
}

}  // namespace calibration
}  // namespace stallcast
