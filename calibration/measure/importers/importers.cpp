#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "calibration/measure/importers/importer.hpp"
#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/tools.hpp"
#include "calibration/measure/mixes.hpp"
#include "engine/base/files.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/sha256.hpp"

namespace stallcast::calibration {
namespace {

/// Sorted by id; one row per tool.
constexpr std::array<ResultImporter, 12> kImporters{{
    {"darshan", "text of darshan-parser and darshan-dxt-parser", darshan::recognises,
     darshan::read},
    {"dlio-results", "summary.json and per_epoch_stats.json of DLIO and MLPerf Storage",
     dlio_results::recognises, dlio_results::read},
    {"elbencho", "CSV and JSON result files", elbencho::recognises, elbencho::read},
    {"fio", "JSON and JSON+ output of fio 3", fio::recognises, fio::read},
    {"gdsio", "result lines of NVIDIA's gdsio", gdsio::recognises, gdsio::read},
    {"io500", "result_summary.txt and result.txt of IO500", io500::recognises, io500::read},
    {"ior", "text and JSON output of IOR 3 and 4", ior::recognises, ior::read},
    {"iostat", "text and JSON output of sysstat's iostat", iostat::recognises, iostat::read},
    {"mdtest", "text output of mdtest 3 and 4", mdtest::recognises, mdtest::read},
    {"nccl-tests", "text output of NVIDIA's nccl-tests", nccl_tests::recognises, nccl_tests::read},
    {"nvbandwidth", "JSON output of NVIDIA's nvbandwidth", nvbandwidth::recognises,
     nvbandwidth::read},
    {"perftest", "text output of ib_write_bw, ib_read_lat, ...", perftest::recognises,
     perftest::read},
}};

constexpr double kTolerance = 0.05;
constexpr int kMostWarnings = 20;

bool apart(double a, double b) { return std::abs(a - b) > kTolerance * std::abs(b); }

std::string figure(double value) { return base::significant(value, 3); }

bool negative(const Measurement& m) {
  return m.rate < Rate{} || m.ops < OpRate{} || m.size < Bytes{} || m.depth < 0.0 ||
         (m.latency && *m.latency < Seconds{}) || (m.duration && *m.duration < Seconds{});
}

/// Operations outstanding by Little's law, X R; 0 when it takes what was not said.
double outstanding(const Measurement& m) {
  return m.latency && m.depth > 0.0 ? m.ops.in(unit::per_s)*m.latency->in(unit::s) : 0.0;
}

/// What is wrong with `m`, "" when nothing is. `partner` is the other half of a mix of reads and
/// writes, which share one depth.
std::string contradiction(const Measurement& m, const Measurement* partner) {
  if (negative(m)) return "a figure is negative";
  const double moved = m.ops.in(unit::per_s)*m.size.in(unit::B);
  if (moved > 0.0 && m.rate > Rate{} && apart(m.rate.in(unit::Bps), moved))
    return "operations x size is " + figure(moved) + " B/s, but " + figure(m.rate.in(unit::Bps)) +
           " B/s are reported";
  if (m.is_mix() && partner == nullptr) return "";
  const double other = partner != nullptr ? outstanding(*partner) : 0.0;
  const double inside = outstanding(m);
  if (inside <= 0.0 || (partner != nullptr && other <= 0.0)) return "";
  if (apart(inside + other, m.depth))
    return "throughput x latency is " + figure(inside + other) + ", but " + figure(m.depth) +
           " operations were to be outstanding";
  return "";
}

/// A mean over fewer operations says little about the device.
bool few_completions(const Measurement& m) {
  if (m.subject != Subject::io && m.subject != Subject::gds) return false;
  return m.count > 0 && static_cast<double>(m.count) < std::max(200.0, 10.0 * m.depth);
}

/// Without the depth a throughput says nothing about response times. Workloads and paced jobs say
/// why they have none.
bool depth_unknown(const Measurement& m) {
  if (m.depth > 0.0 || (m.ops <= OpRate{} && m.rate <= Rate{})) return false;
  if (m.subject != Subject::io && m.subject != Subject::metadata && m.subject != Subject::gds)
    return false;
  return std::none_of(m.flags.begin(), m.flags.end(), [](const std::string& f) {
    return f == "merged-jobs" || f == "rate-limited" || f == "workload";
  });
}

/// The place of records of text, "line 12"; JSON's origins are places themselves.
Position position_of(const Measurement& m, const std::string& file) {
  if (!m.origin.starts_with("line ")) return {file, 0, 0};
  const auto line = tool_count(words_of(m.origin)[1]);
  return {file, static_cast<int>(line.value_or(0)), line ? 1 : 0};
}

void check(MeasurementSet& set, Diagnostics& diagnostics) {
  int told = 0;
  for (std::size_t i = 0; i < set.measurements.size(); ++i) {
    Measurement& m = set.measurements[i];
    if (few_completions(m)) flag(m, "few-completions");
    if (depth_unknown(m)) flag(m, "depth-unknown");
    const std::string why = contradiction(m, other_half(set.measurements, i));
    if (why.empty()) continue;
    flag(m, "inconsistent");
    if (++told > kMostWarnings) continue;
    diagnostics.add(
        {Severity::warning, "inconsistent", "", position_of(m, set.file),
         m.origin + ": " + why +
             (told == kMostWarnings ? " (further faults of this file are not listed)" : ""),
         "the record is kept, flagged \"inconsistent\", and no fit reads it"});
  }
}

}  // namespace

std::optional<Diagnostic> no_text(const std::string& text, const std::string& file) {
  const auto fault = [&](const char* what, const char* hint) {
    return Diagnostic{Severity::error, "format", "", Position{file, 1, 1}, what, hint};
  };
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return fault("the file is empty", "did the tool write its results somewhere else?");
  if (text.starts_with("\x1F\x8B")) return fault("the file is compressed", "unpack it by gunzip");
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return fault("the file is UTF-16", "make it UTF-8: iconv -f UTF-16 -t UTF-8");
  return std::nullopt;
}

std::span<const ResultImporter> result_importers() { return kImporters; }

const ResultImporter* find_result_importer(std::string_view id) {
  for (const ResultImporter& importer : result_importers())
    if (importer.id == id) return &importer;
  return nullptr;
}

const ResultImporter* recognise_results(std::string_view text) {
  for (const ResultImporter& importer : result_importers())
    if (importer.recognises(text)) return &importer;
  return nullptr;
}

MeasurementSet import_results(const ResultImporter& importer, const std::string& text,
                              const std::string& file, Diagnostics& diagnostics) {
  MeasurementSet set;
  set.tool = importer.id;
  set.file = file;
  set.sha256 = base::sha256(text);
  if (const auto fault = no_text(text, file)) {
    diagnostics.add(*fault);
    return set;
  }
  if (const ResultImporter* other = recognise_results(text);
      other == nullptr || other == &importer || importer.recognises(text))
    importer.read({text, file, diagnostics}, set);
  if (set.measurements.empty()) {
    const ResultImporter* other = recognise_results(text);
    if (other != nullptr && other != &importer) {
      diagnostics.add({Severity::error, "format", "", Position{file, 1, 1},
                       "this is not output of " + std::string(importer.id),
                       "it looks like output of " + std::string(other->id)});
    } else if (!diagnostics.has_errors()) {
      diagnostics.add({Severity::error, "empty", "", Position{file, 1, 1},
                       "there is no result of " + std::string(importer.id) + " in this file",
                       "this reads " + std::string(importer.summary)});
    }
  }
  check(set, diagnostics);
  return set;
}

}  // namespace stallcast::calibration
