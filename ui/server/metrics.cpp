#include "ui/server/metrics.hpp"

#include <unistd.h>

#include <cstdio>

namespace stallcast::server {
namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

void head(std::string& out, const char* name, const char* type, const char* help) {
  out += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void gauge(std::string& out, const char* name, const char* help, double value,
           const char* type = "gauge") {
  head(out, name, type, help);
  out += std::string(name) + " " + number(value) + "\n";
}

/// Of this process, without the workers.
double resident_bytes() {
  long pages = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    (void)std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void Metrics::count(std::string_view route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{std::string(route), status}];
  Histogram& h = durations_[std::string(route)];
  for (std::size_t i = 0; i < kBuckets.size(); ++i)
    if (seconds <= kBuckets[i]) {
      ++h.up_to[i];
      break;
    }
  ++h.count;
  h.sum += seconds;
}

std::string Metrics::text(const RunFigures& runs, const ListenerFigures* listener,
                          const std::string& version, const std::string& model_version) const {
  std::string out;
  head(out, "stallcast_build_info", "gauge", "Version of the program and of its models.");
  out += "stallcast_build_info{version=\"" + version + "\",model=\"" + model_version + "\"} 1\n";
  {
    const std::lock_guard lock(mutex_);
    head(out, "stallcast_http_requests_total", "counter", "Requests answered.");
    for (const auto& [key, n] : requests_)
      out += "stallcast_http_requests_total{route=\"" + key.first + "\",code=\"" +
             std::to_string(key.second) + "\"} " + std::to_string(n) + "\n";
    const char* name = "stallcast_http_request_duration_seconds";
    head(out, name, "histogram", "From the whole request to its answer.");
    for (const auto& [route, h] : durations_) {
      std::uint64_t so_far = 0;
      const std::string label = "{route=\"" + route + "\"";
      for (std::size_t i = 0; i < kBuckets.size(); ++i) {
        so_far += h.up_to[i];
        out += std::string(name) + "_bucket" + label + ",le=\"" + number(kBuckets[i]) + "\"} " +
               std::to_string(so_far) + "\n";
      }
      out += std::string(name) + "_bucket" + label + ",le=\"+Inf\"} " + std::to_string(h.count) +
             "\n" + name + "_sum" + label + "} " + number(h.sum) + "\n" + name + "_count" + label +
             "} " + std::to_string(h.count) + "\n";
    }
  }
  head(out, "stallcast_runs_total", "counter", "Runs that ended, by kind and how.");
  for (const auto& [key, n] : runs.ended)
    out += "stallcast_runs_total{kind=\"" + key.first + "\",status=\"" + key.second + "\"} " +
           std::to_string(n) + "\n";
  gauge(out, "stallcast_queue_depth", "Runs that wait.", static_cast<double>(runs.queued));
  gauge(out, "stallcast_runs_running", "Runs under way.", static_cast<double>(runs.running));
  gauge(out, "stallcast_results_kept", "Runs that ended and are kept.",
        static_cast<double>(runs.kept));
  gauge(out, "stallcast_results_bytes", "Their size.", static_cast<double>(runs.kept_bytes));
  if (listener != nullptr) {
    gauge(out, "stallcast_connections", "Open connections.",
          static_cast<double>(listener->open.load()));
    gauge(out, "stallcast_connections_total", "Connections accepted.",
          static_cast<double>(listener->accepted.load()), "counter");
    gauge(out, "stallcast_requests_refused_total", "Requests answered without being looked at.",
          static_cast<double>(listener->refused.load()), "counter");
  }
  gauge(out, "process_resident_memory_bytes", "Of the server, without its workers.",
        resident_bytes());
  return out;
}

}  // namespace stallcast::server
