#include "models/contract/replay_program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace stallcast::models {
namespace {

/// More threads, or processes, than this are no trace.
constexpr std::uint64_t kMostThreads = std::uint64_t{1} << 24U;
/// Records that are looked at together.
constexpr std::uint64_t kReadAtOnce = 4096;
/// Storage systems of one: what its bits have room for.
constexpr std::uint64_t kMostPlaces = 64;
/// Seconds: 300 years.
constexpr double kLongestGap = 1e10;

/// A figure of a header.
bool is_amount(double value) { return value >= 0.0 && value <= std::numeric_limits<double>::max(); }

/// A byte that is neither 0 nor 1 is no bool, and must not be looked at as one.
bool has_flags(const ReplayStep& step) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&step);
  return bytes[offsetof(ReplayStep, from_start)] <= 1 && bytes[offsetof(ReplayStep, goes_on)] <= 1;
}

bool read_at(std::FILE* file, std::uint64_t offset, void* to, std::size_t size) {
  auto* out = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = ::pread(::fileno(file), out, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

Result<ReplayProgram> ReplayProgram::open(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    return Failure{ExitCode::bad_input, path + ": " + why,
                   "stallcast replay TRACE --on SCENARIO --keep-program FILE writes one"};
  };
  ReplayProgram out;
  out.file_.reset(std::fopen(path.c_str(), "rbe"));
  if (!out.file_) return fail(std::strerror(errno));
  struct stat about {};
  if (::fstat(::fileno(out.file_.get()), &about) != 0) return fail(std::strerror(errno));
  const auto size = static_cast<std::uint64_t>(about.st_size);
  ReplayHeader& h = out.header_;
  if (!S_ISREG(about.st_mode) || !read_at(out.file_.get(), 0, &h, sizeof h) ||
      h.magic != ReplayHeader::kMagic)
    return fail("this is no program of a replay");
  if (h.threads > kMostThreads || h.events > h.steps || h.places == 0 || h.places > kMostPlaces ||
      h.steps > size / sizeof(ReplayStep) ||
      size != sizeof h + h.steps * sizeof(ReplayStep) + h.threads * sizeof(ReplayThread))
    return fail("the program of a replay is not complete");
  out.threads_.resize(h.threads);
  const std::uint64_t end = sizeof h + h.steps * sizeof(ReplayStep);
  if (!read_at(out.file_.get(), end, out.threads_.data(), h.threads * sizeof(ReplayThread)))
    return fail("the program of a replay cannot be read");
  const auto contradiction = [&] { return fail("the program of a replay contradicts itself"); };
  if (h.processes > kMostThreads || h.readers > h.threads || !is_amount(h.file_bytes) ||
      !is_amount(h.read_bytes) || !is_amount(h.reads) || !is_amount(h.largest_file))
    return contradiction();
  std::uint64_t steps = 0;
  for (const ReplayThread& thread : out.threads_) {
    if (thread.first > h.steps || thread.steps > h.steps - thread.first ||
        thread.process >= h.processes || thread.steps > h.steps - steps)
      return contradiction();
    steps += thread.steps;
  }
  return out;
}

bool ReplayProgram::whole() const {
  std::vector<ReplayStep> some;
  for (std::uint64_t first = 0; first < header_.steps; first += some.size()) {
    some.resize(static_cast<std::size_t>(std::min(kReadAtOnce, header_.steps - first)));
    if (!read(first, some)) return false;
  }
  return true;
}

bool ReplayProgram::ends() const {
  std::vector<bool> come(header_.events + 1, false);
  std::vector<std::uint64_t> done(threads_.size(), 0);
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> waiting;
  std::vector<std::size_t> ready(threads_.size());
  std::iota(ready.begin(), ready.end(), std::size_t{0});
  std::vector<ReplayStep> some;
  while (!ready.empty()) {
    const std::size_t thread = ready.back();
    ready.pop_back();
    const ReplayThread& of = threads_[thread];
    bool waits = false;
    // Few at first: a thread that was woken may wait again at once.
    for (std::uint64_t at_once = 16; !waits && done[thread] < of.steps;
         at_once = std::min(2 * at_once, kReadAtOnce)) {
      some.resize(static_cast<std::size_t>(std::min(at_once, of.steps - done[thread])));
      if (!read(of.first + done[thread], some)) return false;
      for (const ReplayStep& step : some) {
        waits = step.waits() && !come[step.file];
        if (waits) {
          waiting[step.file].push_back(thread);
          break;
        }
        ++done[thread];
        if (step.action != ReplayAction::post || come[step.file]) continue;
        come[step.file] = true;
        if (const auto found = waiting.find(step.file); found != waiting.end()) {
          ready.insert(ready.end(), found->second.begin(), found->second.end());
          waiting.erase(found);
        }
      }
    }
  }
  return waiting.empty();
}

bool ReplayProgram::read(std::uint64_t first, std::span<ReplayStep> out) const {
  return read_at(file_.get(), sizeof header_ + first * sizeof(ReplayStep), out.data(),
                 out.size_bytes()) &&
         std::all_of(out.begin(), out.end(), [this](const ReplayStep& step) {
           const bool of_event = step.action == ReplayAction::post ||
                                 step.action == ReplayAction::await ||
                                 step.action == ReplayAction::take;
           return has_flags(step) && step.action <= ReplayAction::step && step.calls > 0 &&
                  step.gap >= 0.0 && step.gap < kLongestGap && step.place < header_.places &&
                  (!of_event || step.file <= header_.events);
         });
}

ReplayPlacement replay_placement(const ReplayHeader& header, std::uint64_t hosts,
                                 std::optional<std::int64_t> per_host) {
  const std::uint64_t processes = std::max<std::uint64_t>(header.processes, 1);
  const auto parts = [](std::uint64_t all, std::uint64_t of) { return (all + of - 1) / of; };
  const std::uint64_t there = std::max<std::uint64_t>(hosts, 1);
  const std::uint64_t machines = std::min(header.machines, processes);
  const std::uint64_t one = per_host        ? static_cast<std::uint64_t>(*per_host)
                            : machines != 0 ? parts(processes, machines) * parts(machines, there)
                                            : parts(processes, there);
  return {one, parts(processes, one)};
}

std::optional<ReplayHeader> replayed(const Component& tenant) {
  if (tenant.kind != "replay") return std::nullopt;
  const Value* program = tenant.find("program");
  if (program == nullptr) return std::nullopt;
  const Result<ReplayProgram> found = ReplayProgram::open(program->text);
  if (!found.ok()) return std::nullopt;
  return found->header();
}

std::vector<std::string> places_of(const Component& tenant) {
  std::vector<std::string> out;
  if (const Value* on = tenant.find("on")) out.push_back(on->text);
  if (const Value* also = tenant.find("also"); also != nullptr && tenant.kind == "replay")
    out.insert(out.end(), also->list.begin(), also->list.end());
  return out;
}

std::optional<std::int64_t> processes_per_host(const Component& tenant) {
  const Value* value = tenant.find("per_host");
  if (value == nullptr) return std::nullopt;
  return static_cast<std::int64_t>(value->number);
}

}  // namespace stallcast::models
