#include "tests/support/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace stallcast::testing {
namespace {

/// Files that go when this does.
struct Files {
  ~Files() {
    for (const std::string& path : paths) std::remove(path.c_str());
  }
  std::vector<std::string> paths;
};

}  // namespace

std::string program_file(const std::vector<ThreadSteps>& threads, std::uint64_t machines,
                         std::uint64_t places) {
  static Files files;
  std::string path = "/tmp/stallcast-test-XXXXXX";
  const int handle = ::mkstemp(path.data());
  std::FILE* file = handle < 0 ? nullptr : ::fdopen(handle, "wb");
  if (file == nullptr) throw std::runtime_error("no temporary file");
  files.paths.push_back(path);
  ReplayHeader header;
  std::vector<ReplayThread> rows;
  header.machines = machines;
  header.places = places;
  for (const ThreadSteps& thread : threads) {
    rows.push_back({header.steps, thread.steps.size(), thread.process});
    header.steps += thread.steps.size();
    header.processes = std::max(header.processes, thread.process + 1);
    for (const ReplayStep& step : thread.steps) {
      if (step.action == ReplayAction::read)
        header.reads += step.requests(), header.read_bytes += static_cast<double>(step.bytes);
      if (step.action == ReplayAction::post) header.events = std::max(header.events, step.file);
    }
  }
  header.threads = rows.size();
  header.readers = header.reads > 0.0 ? rows.size() : 0;
  header.sha256.fill('0');
  std::fwrite(&header, sizeof header, 1, file);
  for (const ThreadSteps& thread : threads)
    if (!thread.steps.empty())
      std::fwrite(thread.steps.data(), sizeof(ReplayStep), thread.steps.size(), file);
  if (!rows.empty()) std::fwrite(rows.data(), sizeof(ReplayThread), rows.size(), file);
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
  return path;
}

std::vector<ReplayStep> random_reads(int count, std::uint64_t bytes, double gap) {
  std::vector<ReplayStep> out;
  for (int i = 0; i < count; ++i)
    out.push_back({.gap = gap,
                   .file = 1,
                   .offset = static_cast<std::uint64_t>(i) * 2 * bytes,
                   .bytes = bytes,
                   .action = ReplayAction::read});
  return out;
}

}  // namespace stallcast::testing
