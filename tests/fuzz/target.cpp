#include "fuzz/target.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "scenarios/library/templates.hpp"
#include "stallcast/scenario.hpp"

namespace stallcast::fuzz {

const Target* find_target(std::string_view name) {
  for (const Target& target : targets())
    if (target.name == name) return &target;
  return nullptr;
}

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

void check_faults(const Diagnostics& faults, std::string_view file) {
  for (const Diagnostic& d : faults.items()) {
    require(!d.message.empty() && !d.code.empty(), "a fault says what is wrong");
    // What is not there has no line.
    require(d.severity != Severity::error || d.position.file != file || d.position.line > 0,
            "a fault of the file says where: " + d.message);
  }
}

void check_figures(const std::map<std::string, Metric>& metrics) {
  for (const auto& [name, metric] : metrics)
    require(std::isfinite(metric.value), "a metric is finite: " + name);
}

InputFile::InputFile(std::string_view content)
    : handle_(::memfd_create("input", MFD_CLOEXEC)),
      path_("/proc/self/fd/" + std::to_string(handle_)) {
  require(handle_ >= 0 && ::write(handle_, content.data(), content.size()) ==
                              static_cast<ssize_t>(content.size()),
          "a file in memory can be written");
}
InputFile::~InputFile() { ::close(handle_); }

const Scenario& known_scenario() {
  static const Scenario scenario = [] {
    for (const scenarios::Template& t : scenarios::templates())
      if (t.name == "llm-async-ckpt")
        return Scenario::read({.file = "known.json", .text = std::string(t.text)});
    std::abort();
  }();
  return scenario;
}

std::pair<std::string_view, std::string_view> first_line(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  return {input.substr(0, end), input.substr(std::min(end + 1, input.size()))};
}

}  // namespace stallcast::fuzz
