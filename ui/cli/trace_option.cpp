#include "ui/cli/trace_option.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "engine/base/files.hpp"
#include "engine/base/gzip.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "ui/report/trace.hpp"

namespace stallcast::cli {
namespace {

Failure bad(std::string what, std::string hint) {
  return {ExitCode::bad_input, std::move(what), std::move(hint)};
}

Result<double> time_of(std::string_view text) {
  const auto time = base::parse_quantity(base::trim(text), Dimension::time);
  if (!time.value.has_value()) return bad("--trace-window: " + time.message, time.hint);
  if (*time.value < 0.0) return bad("--trace-window: a time below 0 s", "");
  return *time.value;
}

std::optional<Failure> read_window(const std::string& text, TimelineRequest& request) {
  const std::size_t dots = text.find("..");
  const Result<double> begin =
      dots == std::string::npos ? Result<double>(0.0) : time_of(text.substr(0, dots));
  const Result<double> end = time_of(dots == std::string::npos ? text : text.substr(dots + 2));
  for (const Result<double>* time : {&begin, &end})
    if (!time->ok()) return time->failure();
  if (!(begin.value() < end.value()))
    return bad("--trace-window: \"" + text + "\" ends before it begins",
               "as in --trace-window 60s, or --trace-window \"10 min..11 min\"");
  request.begin_s = begin.value();
  request.end_s = end.value();
  return std::nullopt;
}

std::optional<Failure> read_ranks(const std::string& text, TimelineRequest& request) {
  constexpr std::uint64_t kAll = 1000000000;
  const std::array<std::pair<std::string_view, std::uint64_t*>, 4> known = {
      {{"worst", &request.worst},
       {"median", &request.median},
       {"best", &request.best},
       {"all", &request.worst}}};
  request.worst = request.median = request.best = 0;
  for (const std::string& part : base::split(text, ',')) {
    const std::string item(base::trim(part));
    const std::size_t colon = item.find(':');
    std::uint64_t count = item == "all" ? kAll : 1;
    bool good = false;
    if (colon != std::string::npos) {
      const char* end = item.data() + item.size();
      const auto parsed = std::from_chars(item.data() + colon + 1, end, count);
      if (parsed.ec != std::errc() || parsed.ptr != end || count == 0) count = 0;
    }
    for (const auto& [name, target] : known)
      if (item.substr(0, colon) == name && count > 0) *target = count, good = true;
    if (!good)
      return bad("--trace-ranks: \"" + item + "\" is none of worst, median, best and all",
                 "as in --trace-ranks worst:2,median,best");
  }
  return std::nullopt;
}

}  // namespace

Result<TimelineRequest> timeline_request(const TraceOptions& options) {
  TimelineRequest out;
  if (!options.window.empty())
    if (auto fault = read_window(options.window, out)) return *std::move(fault);
  if (!options.ranks.empty())
    if (auto fault = read_ranks(options.ranks, out)) return *std::move(fault);
  if (options.file.empty() && !(options.window.empty() && options.ranks.empty()))
    return bad("--trace-window and --trace-ranks need --trace FILE", "");
  if (options.file == "-")
    return bad("--trace needs a file: standard output has the report", "as in --trace run.json.gz");
  return out;
}

Result<std::string> write_trace(client::Session& session, const Design& design,
                                const Prediction& prediction, const TraceOptions& options,
                                const client::Question& question) {
  const Result<TimelineRequest> request = timeline_request(options);
  if (!request.ok()) return request.failure();
  const Result<Timeline> timeline = session.record(design, request.value(), question);
  if (!timeline.ok()) return timeline.failure();
  const report::TraceOrigin origin{.version = client::version().program,
                                   .model_version = client::version().models,
                                   .scenario = prediction.scenario_id,
                                   .design_sha256 = prediction.design_sha256};
  std::string trace = report::chrome_trace(timeline.value(), origin);
  if (options.file.ends_with(".gz")) trace = base::gzip(trace);
  const Result<bool> written = base::write_file(options.file, trace);
  if (!written.ok()) return written.failure();
  std::string outside;
  if (prediction.simulated_s > 0.0 && request->begin_s >= prediction.simulated_s)
    outside = "warning: --trace-window begins at " +
              base::print_quantity(request->begin_s, Dimension::time) + ", when the run of " +
              base::print_quantity(prediction.simulated_s, Dimension::time) +
              " is over: the trace is empty\n";
  return outside + report::trace_summary(timeline.value(), options.file);
}

}  // namespace stallcast::cli
