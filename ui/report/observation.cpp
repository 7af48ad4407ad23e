#include <string>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/observation.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/observed_text.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

/// An observation as people read it.
namespace stallcast::report {
namespace {

std::string spread_text(const Distribution<Seconds>& d) {
  std::string out = "mean " + time_text(d.mean);
  for (const double share : {0.5, 0.99})
    if (const auto it = d.quantiles.find(share); it != d.quantiles.end())
      out += (share == 0.5 ? ", p50 " : ", p99 ") + time_text(it->second);
  return out + ", max " + time_text(d.maximum);
}
std::string spread_text(const Distribution<Bytes>& d) {
  return "mean " + size_text(d.mean) + ", max " + size_text(d.maximum);
}

std::string row(std::string_view name, const std::string& text) {
  return wrapped("  " + left(name, 16), text, 18);
}
template <class Q>
std::string row(std::string_view name, const std::optional<Distribution<Q>>& d) {
  return d ? row(name, spread_text(*d)) : "";
}

std::string transfers_text(std::string_view name, const std::optional<ObservedTransfers>& t) {
  if (!t) return "";
  std::string text = std::to_string(t->operations) + " of " + size_text(t->bytes) + " in all";
  if (t->failed > 0) text += ", " + std::to_string(t->failed) + " failed";
  text += ", " + std::to_string(t->files) + " files";
  if (t->time) text += ", " + time_text(*t->time) + " in them";
  if (t->sequential && *t->sequential + *t->random > 0)
    text += ", " +
            print_share(static_cast<double>(*t->sequential) /
                        static_cast<double>(*t->sequential + *t->random)) +
            " in sequence";
  return row(name, text) + row("  size", t->size) + row("  latency", t->latency);
}

std::string training_text(const Observation& o) {
  std::string out;
  if (o.steps) {
    out += row("steps", std::to_string(o.steps->count) + ", marked by " + o.steps->marked_by);
    out += row("  duration", o.steps->duration) + row("  wait", o.steps->wait);
    out += row("  compute", o.steps->compute) + row("  GPU", o.steps->gpu);
    out += row("  first batch", o.steps->first_batch);
  }
  if (o.samples)
    out += row("samples", std::to_string(o.samples->count)) + row("  wall", o.samples->wall) +
           row("  size", o.samples->bytes);
  if (o.saves && o.saves->duration) out += row("saves", spread_text(*o.saves->duration));
  if (o.loads && o.loads->duration) out += row("loads", spread_text(*o.loads->duration));
  if (o.devices) {
    const ObservedDevices& d = *o.devices;
    if (d.kernels)
      out += row("kernels", std::to_string(*d.kernels) +
                                (d.kernel_time ? ", " + time_text(*d.kernel_time) : ""));
    if (d.copy_time) out += row("copies", time_text(*d.copy_time));
  }
  for (const ObservedCollective& c : o.collectives)
    out += row(c.operation, std::to_string(c.count) + (c.time ? ", " + time_text(*c.time) : "") +
                                (c.bytes ? ", " + size_text(*c.bytes) : ""));
  return out;
}

}  // namespace

std::string observation_text(const Observation& o, const Style& style) {
  const Ink ink(style.colour);
  std::string kind = o.source.format;
  if (!o.source.dialect.empty()) kind += " (" + o.source.dialect + ")";
  if (!o.source.tool_version.empty()) kind += ", version " + o.source.tool_version;
  std::string out = ink.bold("Observation") + " of " + kind + "\n";
  for (const ObservedInput& input : o.source.inputs) {
    std::string text = std::to_string(input.records) + " records in " + size_text(input.size);
    if (!input.packed.empty()) text += " of " + input.packed;
    if (input.repeated > 0) text += ", " + std::to_string(input.repeated) + " more repeat others";
    if (!input.complete) text += "; cut: " + input.cut;
    out += wrapped("  " + input.name + ": ", text, 4);
  }
  out += "\n";
  if (o.wall) out += row("wall time", time_text(*o.wall));
  if (o.ranks) out += row("ranks", std::to_string(*o.ranks));
  if (!o.processes.empty()) out += row("processes", std::to_string(o.processes.size()));
  out +=
      training_text(o) + transfers_text("reads", o.reading) + transfers_text("writes", o.writing);
  for (const ObservedMetadata& m : o.metadata)
    out += row(m.operation, std::to_string(m.count) +
                                (m.failed > 0 ? ", " + std::to_string(m.failed) + " failed" : "") +
                                (m.time ? ", " + time_text(*m.time) + " in them" : ""));
  if (o.files)
    out += row("files", std::to_string(o.files->count)) + row("  extent", o.files->extent);
  if (!o.notes.empty()) out += "\nNotes\n" + bullets(o.notes, o.notes.size(), "notes");
  if (!o.missing.empty())
    out += "\nNot told by this source\n  " + wrapped("", base::join(o.missing, ", "), 2);
  return out;
}

}  // namespace stallcast::report
