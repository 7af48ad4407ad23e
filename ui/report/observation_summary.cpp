#include <algorithm>
#include <string>

#include "engine/base/quantity_text.hpp"
#include "stallcast/observation.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/observed_text.hpp"
#include "ui/report/renderers.hpp"
#include "ui/report/summary.hpp"

/// What a run showed, for who started it.
namespace stallcast::report {
namespace {

std::string middle_text(const Distribution<Seconds>& d) {
  std::string out = "mean " + time_text(d.mean);
  const auto p50 = d.quantiles.find(0.5), p99 = d.quantiles.find(0.99);
  if (d.count > 1 && p50 != d.quantiles.end() && p99 != d.quantiles.end())
    out += ", p50 " + time_text(p50->second) + ", p99 " + time_text(p99->second);
  return out;
}

std::string line_of(std::string_view name, const std::string& text) {
  return wrapped("  " + left(name, 14), text, 16);
}

double figure(const Observation& o, const char* name) {
  const auto it = o.figures.find(name);
  return it == o.figures.end() ? 0.0 : it->second;
}

std::string seconds_figure(const Observation& o, const char* name) {
  return time_text(Seconds::from(figure(o, name), unit::s));
}

std::string cache_text(const Observation& o, const char* name) {
  if (o.figures.count(name) == 0) return "";
  return ", " + print_share(figure(o, name)) + " of it from the page cache";
}

std::string steps_text(const Observation& o) {
  if (!o.steps) return "";
  std::string out;
  const ObservedSteps& s = *o.steps;
  std::string text = std::to_string(s.count);
  if (s.duration) text += ", " + middle_text(*s.duration);
  out += line_of("steps", text);
  if (s.wait && s.duration && s.duration->mean > Seconds{})
    out += line_of("  waits", middle_text(*s.wait) + ", " +
                                  print_share(s.wait->mean / s.duration->mean) + " of the steps");
  if (s.gpu && s.duration && s.duration->mean > Seconds{})
    out += line_of("  GPU", middle_text(*s.gpu) + ", " +
                                print_share(s.gpu->mean / s.duration->mean) + " of the steps");
  if (s.first_batch) out += line_of("  first batch", middle_text(*s.first_batch));
  return out;
}

std::string samples_text(const Observation& o) {
  if (!o.samples || !o.samples->wall) return "";
  const ObservedSamples& s = *o.samples;
  std::string text = std::to_string(s.count) + ", " + middle_text(*s.wall);
  if (s.cpu) text += ", CPU " + time_text(s.cpu->mean);
  if (s.bytes) text += ", " + size_text(s.bytes->mean) + " read each";
  return line_of("samples", text + cache_text(o, "sample_page_cache_share"));
}

std::string saves_text(const Observation& o) {
  if (!o.saves || !o.saves->duration) return "";
  std::string text = std::to_string(o.saves->count) + ", " + middle_text(*o.saves->duration);
  if (o.saves->bytes) text += ", " + size_text(o.saves->bytes->mean) + " each";
  return line_of("saves", text);
}

}  // namespace

std::string observation_summary(const Observation& o) {
  std::string head = "stallcast observe: ";
  if (o.figures.count("ended_by_signal") > 0)
    head += "ended by signal " + std::to_string(static_cast<int>(figure(o, "ended_by_signal")));
  else
    head += "exit " + std::to_string(static_cast<int>(figure(o, "exit_code")));
  if (o.wall) head += " after " + time_text(*o.wall);
  const std::size_t processes = o.processes.size() + o.processes_folded;
  head += ", " + std::to_string(processes) + (processes == 1 ? " process" : " processes");
  std::string out = wrapped("", head, 2);
  out += steps_text(o) + samples_text(o) + saves_text(o);
  if (o.reading && o.reading->bytes > Bytes{}) {
    std::string text = size_text(o.reading->bytes);
    if (o.reading->from_device) {
      text += ", " + size_text(*o.reading->from_device) + " from devices";
      if (*o.reading->from_device > o.reading->bytes * 1.5)
        text += " (also mapped, or by io_uring)";
    }
    out += line_of("read", text + cache_text(o, "page_cache_share"));
  }
  if (o.writing && o.writing->bytes > Bytes{})
    out += line_of("written", size_text(o.writing->bytes));
  if (o.figures.count("torch_without_hooks") > 0)
    out += line_of("PyTorch",
                   "ran and was not watched, so that steps are not known: python -I, -E or -S, or "
                   "an environment that was cleared (env -i, sudo), keep the hooks away");
  out += line_of("observing", "took " + print_share(figure(o, "overhead_share")) +
                                  " of the time: hooks " + seconds_figure(o, "hooks_training_s") +
                                  ", core time beside the job " + seconds_figure(o, "watching_s"));
  return out;
}

}  // namespace stallcast::report
