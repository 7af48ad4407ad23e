#include "calibration/profile/profile_json.hpp"

#include <array>

#include "calibration/measure/record_json.hpp"
#include "engine/base/files.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/sha256.hpp"

namespace stallcast {

/// The name of a dimension; found by the record reader next to the enum.
static std::string_view name_of(Dimension dimension) {
  return base::kDimensionIds[static_cast<std::size_t>(dimension)];
}

namespace calibration {
namespace {

constexpr std::string_view kSchema = "stallcast.profile/1";

}  // namespace

template <>
struct EnumNames<FitVerdict> {
  static constexpr std::array values{FitVerdict::accepted, FitVerdict::usable, FitVerdict::refused};
};

template <>
struct EnumNames<Dimension> {
  static constexpr std::array values{Dimension::text,      Dimension::count,     Dimension::number,
                                     Dimension::bytes,     Dimension::time,      Dimension::rate,
                                     Dimension::op_rate,   Dimension::ratio,     Dimension::boolean,
                                     Dimension::flops,     Dimension::flop_rate, Dimension::money,
                                     Dimension::money_rate};
};

template <class Visitor>
void describe(Visitor& at, ProfileInput& input) {
  at("file", input.file);
  at("sha256", input.sha256);
  at("tool", input.tool);
  at("tool_version", input.tool_version);
  at("date", input.date);
}

template <class Visitor>
void describe(Visitor& at, FittedParameter& p) {
  at("name", p.name);
  at("unit", p.unit);
  at.figure("value", p.value);
  at.figure("low", p.low);
  at.figure("high", p.high);
  at("identified", p.identified);
}

template <class Visitor>
void describe(Visitor& at, FittedRange& range) {
  at("quantity", range.quantity);
  at("unit", range.unit);
  at.figure("low", range.low);
  at.figure("high", range.high);
}

template <class Visitor>
void describe(Visitor& at, FitResidual& residual) {
  at("cell", residual.cell);
  at("measured", residual.measured);
  at("fitted", residual.fitted);
  at("repeats", residual.repeats);
  at("unit", residual.unit);
}

template <class Visitor>
void describe(Visitor& at, Fit& fit) {
  at("id", fit.id);
  at("law", fit.law);
  at("equation", fit.equation);
  at("verdict", fit.verdict);
  at("reasons", fit.reasons);
  at.records("parameters", fit.parameters);
  at.records("ranges", fit.ranges);
  at("cells", fit.cells);
  at("runs", fit.runs);
  at("median_error", fit.median_error);
  at("p90_error", fit.p90_error);
  at("noise", fit.noise);
  at.records("residuals", fit.residuals);
  at("draws", fit.draws);
}

template <class Visitor>
void describe(Visitor& at, ProfileValue& value) {
  at("role", value.role);
  at("kind", value.kind);
  at("field", value.field);
  at("dimension", value.dimension);
  at("text", value.text);
  if (value.text.empty()) {
    at.figure("value", value.value);
    at.figure("low", value.low);
    at.figure("high", value.high);
  }
  at("fit", value.fit);
  at("draws", value.draws);
}

template <class Visitor>
void describe(Visitor& at, NarrowedInput& input) {
  at("role", input.role);
  at("kind", input.kind);
  at("component", input.component);
  at("field", input.field);
  at("dimension", input.dimension);
  at("scales", input.scales);
  at.figure("value", input.value);
  at.figure("low", input.low);
  at.figure("high", input.high);
  at("low_before", input.low_before);
  at("high_before", input.high_before);
  at("said", input.said);
  at("said_low", input.said_low);
  at("said_high", input.said_high);
  at("draws", input.draws);
}

template <class Visitor>
void describe(Visitor& at, ObservedJob& job) {
  at("id", job.id);
  at("readers", job.readers);
  at.figure("use", job.use);
  at("left_out", job.left_out);
}

template <class Visitor>
void describe(Visitor& at, SeenFigure& seen) {
  at("design", seen.design);
  at("metric", seen.metric);
  at.figure("at", seen.at);
  at.figure("sd", seen.sd);
}

template <class Visitor>
void describe(Visitor& at, CalibrationProfile& profile) {
  at("id", profile.id);
  at("date", profile.date);
  at.records("inputs", profile.inputs);
  at("environment", profile.environment);
  at.records("fits", profile.fits);
  at.records("values", profile.values);
  at.records("narrowed", profile.narrowed);
  at.records("jobs", profile.jobs);
  at.records("seen", profile.seen);
}

std::string write_profile(const CalibrationProfile& profile) {
  return write_record_file(profile, kSchema);
}

CalibrationProfile read_profile(const std::string& text, const std::string& file,
                                Diagnostics& diagnostics) {
  auto profile = read_record_file<CalibrationProfile>(text, file, kSchema, diagnostics);
  profile.sha256 = base::sha256(text);
  return profile;
}

std::optional<ProfileFile> read_profile_file(const std::string& path, Diagnostics& diagnostics) {
  Result<std::string> text = base::read_file(path);
  if (!text.ok()) {
    diagnostics.add({Severity::error,
                     "profile",
                     "",
                     {path, 0, 0},
                     text.failure().message,
                     text.failure().hint});
    return std::nullopt;
  }
  CalibrationProfile profile = read_profile(*text, path, diagnostics);
  return ProfileFile{std::move(*text), std::move(profile)};
}

const CalibrationProfile* ProfileFiles::read(const std::string& path, Diagnostics& diagnostics) {
  if (const auto known = known_.find(path); known != known_.end()) return &known->second;
  auto read = read_profile_file(path, diagnostics);
  if (!read || diagnostics.has_errors()) return nullptr;
  return &known_.emplace(path, std::move(read->profile)).first->second;
}

}  // namespace calibration
}  // namespace stallcast
