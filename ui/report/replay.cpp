#include "ui/report/replay.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/label.hpp"
#include "ui/report/html/page.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

/// A replay beside its trace.
namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kBesideLabel = 26, kBesideFigure = 16;

/// One figure of both; empty where there is none.
struct BesideRow {
  std::string label, unit;
  std::optional<double> traced, replayed;
};

std::string beside_text(const std::optional<double>& value, const std::string& unit) {
  return value ? print_value(*value, unit) : "-";
}
/// "1.52 x", in three digits; "-" where nothing can be compared.
std::string ratio_text(const BesideRow& row) {
  if (!row.traced || !row.replayed || !(*row.traced > 0.0)) return "-";
  const double ratio = *row.replayed / *row.traced;
  if (!(ratio > 0.0)) return "0 x";
  const double grain = std::pow(10.0, std::floor(std::log10(ratio)) - 2.0);  // three digits
  const int behind = std::max(0, static_cast<int>(std::lround(-std::log10(grain))));
  return base::shortest(std::stod(fixed(std::round(ratio / grain) * grain, behind))) + " x";
}

std::optional<double> per_second(double amount, const std::optional<double>& time) {
  if (!time || !(*time > 0.0) || !(amount > 0.0)) return std::nullopt;
  return amount / *time;
}

void add_latency_rows(const ReplayFigures& was, const ReplayFigures& is,
                      std::vector<BesideRow>& out) {
  for (const char* key : {"mean", "p50", "p99", "max"}) {
    const auto at = [&](const ReplayFigures& figures) -> std::optional<double> {
      const auto found = figures.latency_s.find(key);
      return found == figures.latency_s.end() ? std::nullopt : std::optional(found->second);
    };
    out.push_back({std::string("  latency, ") + key, "s", at(was), at(is)});
  }
}

void add_kind_rows(const std::string& name, const Replay& r, std::vector<BesideRow>& out) {
  const auto traced = r.traced.find(name), replayed = r.replayed.find(name);
  if (traced == r.traced.end() || replayed == r.replayed.end()) return;
  const ReplayFigures &was = traced->second, &is = replayed->second;
  const std::string noun = name == "sync" ? "syncs" : name == "metadata" ? name : name + "s";
  out.push_back(
      {noun, "count", static_cast<double>(was.operations), static_cast<double>(is.operations)});
  if (was.bytes > 0.0) {
    out.push_back({"  bytes", "B", was.bytes, is.bytes});
    out.push_back({"  per second of the makespan", "B/s", per_second(was.bytes, r.trace_makespan_s),
                   per_second(is.bytes, r.makespan_s)});
    out.push_back({"  per second in them", "B/s", per_second(was.bytes, was.time_s),
                   per_second(is.bytes, is.time_s)});
  }
  out.push_back({"  time in them", "s", was.time_s, is.time_s});
  add_latency_rows(was, is, out);
}

/// Steps, and what of them is waiting for a batch.
void add_training_rows(const Replay& r, std::vector<BesideRow>& out) {
  for (const auto& [what, noun] :
       {std::pair{"step", "steps"}, std::pair{"wait", "waits for data"}}) {
    const auto traced = r.traced_training.find(what), replayed = r.replayed_training.find(what);
    if (traced == r.traced_training.end() || replayed == r.replayed_training.end()) continue;
    const ReplayFigures &was = traced->second, &is = replayed->second;
    out.push_back(
        {noun, "count", static_cast<double>(was.operations), static_cast<double>(is.operations)});
    out.push_back({"  time in them", "s", was.time_s, is.time_s});
    for (const char* key : {"mean", "p50", "p99", "max"})
      out.push_back({std::string("  ") + key, "s", was.latency_s.at(key), is.latency_s.at(key)});
  }
}

std::vector<BesideRow> beside_rows(const Replay& r) {
  std::vector<BesideRow> out;
  out.push_back({"makespan", "s", r.trace_makespan_s, r.makespan_s});
  add_training_rows(r, out);
  out.push_back({"time in I/O, all threads", "s", r.trace_io_s, r.io_s});
  if (r.processes > 1) {
    const auto n = static_cast<double>(r.processes);
    out.push_back({"  of a process, mean", "s",
                   r.trace_io_s ? std::optional(*r.trace_io_s / n) : std::nullopt, r.io_s / n});
  }
  for (const char* kind : {"read", "write", "sync", "metadata"}) add_kind_rows(kind, r, out);
  return out;
}

std::string replay_title(const Replay& r) {
  std::string elsewhere;
  for (const auto& [path, storage] : r.maps)
    elsewhere += (elsewhere.empty() ? " (" : ", ") + path + " on " + storage;
  if (!elsewhere.empty()) elsewhere += ")";
  return "Replay of " + r.trace + " (" + r.format + ") on storage " + r.storage + elsewhere +
         " of " + r.scenario;
}

std::string number_of(std::uint64_t n, const std::string& one, const std::string& several) {
  return std::to_string(n) + " " + (n == 1 ? one : several);
}

std::string placed_text(const Replay& r) {
  return number_of(r.operations, "operation", "operations") + " of " +
         number_of(r.threads, "thread", "threads") + " in " +
         number_of(r.processes, "process", "processes") + ", as " +
         number_of(r.requests, "request", "requests") + "; on " +
         number_of(r.hosts_used, "host", "hosts") + " of \"" + r.hosts + "\"" +
         (r.speed == "fast" ? "; without think times" : "; with its think times");
}

std::vector<std::string> replay_remarks(const Replay& r) {
  std::vector<std::string> out;
  if (r.cached_share > 0.0)
    out.push_back(print_share(r.cached_share) +
                  " of the bytes read come from the memory of the hosts: they were read or written "
                  "before");
  if (r.unwritten_bytes > 0.0)
    out.push_back(print_value(r.unwritten_bytes, "B") +
                  " are in the memory of the hosts at the end, not yet on the storage");
  out.insert(out.end(), r.notes.begin(), r.notes.end());
  for (const std::string& warning : r.prediction.warnings) out.push_back(warning);
  return out;
}

/// What all gains together, or that nothing does: then the time between calls is what counts.
std::string limits_note(const Replay& r) {
  const std::string note = gains_note(r.prediction);
  const auto& gains = r.prediction.gains;
  if (!note.empty() || !gains || is_gain(gains->all, gains->noise)) return note;
  return "the trace's own time between calls: everything twice as fast saves nothing";
}

std::string replay_text(const Replay& r, const ReportContext& context, const Style& style) {
  const Ink ink(style.colour);
  std::string out = wrapped("", replay_title(r), 2) + wrapped("  ", placed_text(r), 2) + "\n";
  out += ink.bold(left("", kBesideLabel + 2) + right("trace", kBesideFigure) +
                  right("replayed", kBesideFigure) + right("ratio", 12)) +
         "\n";
  for (const BesideRow& row : beside_rows(r))
    out += "  " + left(row.label, kBesideLabel) +
           right(beside_text(row.traced, row.unit), kBesideFigure) +
           right(beside_text(row.replayed, row.unit), kBesideFigure) + right(ratio_text(row), 12) +
           "\n";
  out += "\n" + ink.bold("What limits it") + "\n";
  std::size_t shown = 0;
  for (const LimitRow& row : limit_rows(r.prediction))
    out += wrapped(
        "  " + std::to_string(++shown) + " " + left(label::of_resource(row.resource) + " ", 36),
        row.text, 6);
  if (shown == 0) out += wrapped("  ", no_limit_rows(r.prediction), 4);
  if (const std::string note = limits_note(r); !note.empty()) out += wrapped("  ", note, 4);
  const std::vector<const ResourceUse*> uses = data_path(r.prediction);
  if (!uses.empty()) out += "\n" + ink.bold("Data path, mean over the run") + "\n";
  for (const ResourceUse* use : uses) out += use_line(*use);
  if (const auto notes = replay_remarks(r); !notes.empty())
    out += "\n" + ink.bold("Notes") + "\n" + bullets(notes, notes.size(), "notes");
  return out + "\n" + wrapped("", run_phrase(r.prediction, context, style), 2);
}

Json kinds_object(const std::map<std::string, ReplayFigures>& all) {
  Json out = Json::object();
  for (const auto& [kind, figures] : all) {
    Json& to = out[kind];
    to["operations"] = figures.operations;
    to["bytes"] = figures.bytes;
    to["time_s"] = figures.time_s ? Json(*figures.time_s) : Json(nullptr);
    if (!figures.latency_s.empty()) to["latency_s"] = figures.latency_s;
  }
  return out;
}

std::string replay_json(const Replay& r, const ReportContext& context, const Style& style) {
  Json out;
  out["schema"] = "stallcast.replay/1";
  out["tool"] = tool_object(context, r.prediction.profile_sha256);
  out["trace"] = {{"file", r.trace}, {"format", r.format}};
  out["on"] = {{"scenario", r.scenario},
               {"storage", r.storage},
               {"hosts", r.hosts},
               {"hosts_used", r.hosts_used}};
  for (const auto& [path, storage] : r.maps) out["on"]["maps"][path] = storage;
  out["speed"] = r.speed;
  out["processes"] = r.processes;
  out["threads"] = r.threads;
  out["operations"] = r.operations;
  out["requests"] = r.requests;
  out["traced"] = {{"makespan_s", r.trace_makespan_s},
                   {"io_s", r.trace_io_s ? Json(*r.trace_io_s) : Json(nullptr)},
                   {"kinds", kinds_object(r.traced)}};
  out["replayed"] = {{"makespan_s", r.makespan_s},
                     {"io_s", r.io_s},
                     {"cached_share", r.cached_share},
                     {"unwritten_bytes", r.unwritten_bytes},
                     {"kinds", kinds_object(r.replayed)}};
  for (const auto& [side, training] :
       {std::pair{"traced", &r.traced_training}, std::pair{"replayed", &r.replayed_training}})
    for (const auto& [what, figures] : *training)
      out[side][what + "s"] = {{"count", figures.operations},
                               {"time_s", figures.time_s.value_or(0.0)},
                               {"latency_s", figures.latency_s}};
  out["ratio"] = {
      {"makespan",
       r.trace_makespan_s > 0.0 ? Json(r.makespan_s / r.trace_makespan_s) : Json(nullptr)},
      {"io", r.trace_io_s && *r.trace_io_s > 0.0 ? Json(r.io_s / *r.trace_io_s) : Json(nullptr)}};
  out["notes"] = replay_remarks(r);
  Json result = result_object(r.prediction, context, style);
  for (const char* key : {"bottlenecks", "resources", "gains"})
    if (result.contains(key)) out[key] = std::move(result[key]);
  if (style.timing) out["elapsed"] = {{"wall_s", r.prediction.wall_s}};
  return dump(out);
}

/// "reads: time in them": where no indentation says of what a row is.
std::vector<BesideRow> named_rows(const Replay& r) {
  std::vector<BesideRow> out = beside_rows(r);
  std::string group;
  for (BesideRow& row : out) {
    if (row.label.starts_with(" "))
      row.label = group + ": " + std::string(base::trim(row.label));
    else
      group = row.label;
  }
  return out;
}

std::string replay_csv(const Replay& r) {
  std::string out = csv_row({"figure", "unit", "traced", "replayed"});
  for (const BesideRow& row : named_rows(r))
    out += csv_row({row.label, row.unit, row.traced ? csv_number(*row.traced) : "",
                    row.replayed ? csv_number(*row.replayed) : ""});
  return out;
}

std::string replay_markdown(const Replay& r, const ReportContext& context) {
  std::string out = "## " + markdown_cell(replay_title(r)) + "\n\n" + placed_text(r) + "\n\n";
  out += "| | trace | replayed | ratio |\n|---|---:|---:|---:|\n";
  for (const BesideRow& row : named_rows(r))
    out += "| " + row.label + " | " + beside_text(row.traced, row.unit) + " | " +
           beside_text(row.replayed, row.unit) + " | " + ratio_text(row) + " |\n";
  out += "\n| limits | |\n|---|---|\n";
  for (const LimitRow& row : limit_rows(r.prediction))
    out += "| " + markdown_cell(label::of_resource(row.resource)) + " | " +
           markdown_cell(row.text) + " |\n";
  out += "\n";
  if (const std::string note = limits_note(r); !note.empty())
    out += "- " + markdown_cell(note) + "\n";
  for (const std::string& note : replay_remarks(r)) out += "- " + markdown_cell(note) + "\n";
  return out + "\n" + made_by(context) + "\n";
}

std::string replay_html(const Replay& r, const ReportContext& context) {
  std::vector<std::vector<std::string>> figures, limits, uses;
  for (const BesideRow& row : named_rows(r))
    figures.push_back({markup(row.label), beside_text(row.traced, row.unit),
                       beside_text(row.replayed, row.unit), ratio_text(row)});
  for (const LimitRow& row : limit_rows(r.prediction))
    limits.push_back({markup(label::of_resource(row.resource)), markup(row.text)});
  for (const ResourceUse* use : data_path(r.prediction))
    uses.push_back({html::path(use->name), print_value(use->throughput, use->unit),
                    print_value(use->capacity, use->unit), print_share(use->utilization())});
  std::string notes;
  for (const std::string& note : replay_remarks(r)) notes += html::element("p", note);
  const std::string body =
      html::element("h1", replay_title(r)) + html::element("p", placed_text(r)) +
      html::section(
          "Beside the trace",
          html::table({{""}, {"trace", "number"}, {"replayed", "number"}, {"ratio", "number"}},
                      figures)) +
      html::section("What limits it", html::table({{"resource"}, {""}}, limits) +
                                          html::element("p", limits_note(r))) +
      html::section(
          "Data path",
          html::table(
              {{"resource"}, {"carried", "number"}, {"capacity", "number"}, {"busy", "number"}},
              uses)) +
      (notes.empty() ? "" : html::section("Notes", notes)) + html::foot(context);
  return html::page(replay_title(r), body);
}

}  // namespace

std::string render(const Replay& replay, const ReportContext& context, Format format,
                   const Style& style) {
  if (format == Format::json) return replay_json(replay, context, style);
  if (format == Format::csv) return replay_csv(replay);
  if (format == Format::markdown) return replay_markdown(replay, context);
  if (format == Format::html) return replay_html(replay, context);
  return replay_text(replay, context, style);
}

}  // namespace stallcast::report
