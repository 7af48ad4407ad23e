#include "calibration/observe/live/proc_watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "calibration/observe/live/proc_files.hpp"

namespace stallcast::calibration::live {
namespace {

std::string proc_of(pid_t pid) { return "/proc/" + std::to_string(pid); }

}  // namespace

ProcIo& ProcIo::operator+=(const ProcIo& o) {
  read += o.read;
  written += o.written;
  reads += o.reads;
  writes += o.writes;
  fetched += o.fetched;
  stored += o.stored;
  return *this;
}

ProcIo& ProcIo::operator-=(const ProcIo& o) {
  const auto less = [](double& a, double b) { a = std::max(0.0, a - b); };
  less(read, o.read);
  less(written, o.written);
  less(reads, o.reads);
  less(writes, o.writes);
  less(fetched, o.fetched);
  less(stored, o.stored);
  return *this;
}

std::optional<ProcIo> read_io(pid_t pid) {
  const std::string text = proc_text(proc_of(pid) + "/io");
  if (text.empty()) return std::nullopt;
  const auto value = [&](std::string_view key) { return proc_number(proc_value(text, key)); };
  ProcIo io;
  io.read = value("rchar");
  io.written = value("wchar");
  io.reads = value("syscr");
  io.writes = value("syscw");
  io.fetched = value("read_bytes");
  io.stored = std::max(0.0, value("write_bytes") - value("cancelled_write_bytes"));
  return io;
}

/// Descendants with their parents, nearest first.
void ProcWatch::below(pid_t pid, std::vector<std::pair<pid_t, pid_t>>& out) {
  for (const std::int64_t thread : proc_numbers(proc_of(pid) + "/task")) {
    const std::string text =
        proc_text(proc_of(pid) + "/task/" + std::to_string(thread) + "/children");
    for (const std::string_view word : proc_words(text)) {
      const auto child = static_cast<pid_t>(proc_number(word));
      if (child == ours_) continue;
      if (!is_left_out(child))
        out.emplace_back(child, pid);
      else if (pid == getpid())
        left_out_ = child;
    }
  }
}

bool ProcWatch::is_left_out(pid_t pid) const {
  return !name_left_out_.empty() && pid != root_ &&
         proc_line(proc_of(pid) + "/comm") == name_left_out_;
}

void ProcWatch::visit(pid_t pid, pid_t parent, Seconds now) {
  const std::string stat = proc_text(proc_of(pid) + "/stat");
  const std::size_t close = stat.rfind(')');  // the name before it may have any character
  if (close == std::string::npos) return;
  const auto fields = proc_words(std::string_view(stat).substr(close + 1));
  constexpr std::size_t kThreads = 17, kBorn = 19, kResident = 21;  // proc(5), counted from `state`
  if (fields.size() <= kResident) return;
  const double born = proc_number(fields[kBorn]);
  auto it = live_.find(pid);
  if (it != live_.end() && it->second.born != born) {
    gone(pid, it->second);
    live_.erase(it);
    it = live_.end();
  }
  if (it == live_.end()) {
    it = live_.emplace(pid, Live{}).first;
    it->second.born = born;
    if (seen_.size() < kProcesses) {
      it->second.row = seen_.size();
      seen_.emplace_back().pid = pid;
      seen_.back().first = now;
    } else {
      ++folded_;
    }
  }
  Live& live = it->second;
  live.looked = true;
  live.parent = parent;
  if (const auto io = read_io(pid)) live.io = *io;
  memory_now_ += proc_number(fields[kResident]) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (!live.row) return;
  SeenProcess& row = seen_[*live.row];
  row.parent = parent;
  row.threads = std::max(row.threads, static_cast<std::int64_t>(proc_number(fields[kThreads])));
  row.last = now;
  row.io = live.io;
}

void ProcWatch::gone(pid_t, const Live& live) {
  if (live.row) seen_[*live.row].alive = false;
  const auto parent = live_.find(live.parent);
  if (parent != live_.end() && parent->second.row) seen_[*parent->second.row].inherited += live.io;
}

void ProcWatch::look(Seconds now) {
  std::vector<std::pair<pid_t, pid_t>> found;
  below(getpid(), found);
  for (std::size_t i = 0; i < found.size(); ++i) below(found[i].first, found);
  for (auto& [pid, live] : live_) live.looked = false;
  memory_now_ = 0.0;
  for (const auto& [pid, parent] : found) visit(pid, parent, now);
  alive_.clear();
  for (auto it = live_.begin(); it != live_.end();) {
    if (it->second.looked) {
      alive_.push_back(it->first);
      ++it;
    } else {
      gone(it->first, it->second);
      it = live_.erase(it);
    }
  }
  most_memory_ = std::max(most_memory_, Bytes::from(memory_now_, unit::B));
  most_processes_ = std::max(most_processes_, alive_.size());
}

void ProcWatch::ended(pid_t pid, Seconds now) {
  if (is_left_out(pid)) return;
  visit(pid, getpid(), now);
  const auto io = read_io(pid);
  const auto it = live_.find(pid);
  if (it != live_.end()) {
    reaped_ += io.value_or(it->second.io);
    if (it->second.row) seen_[*it->second.row].alive = false;
    live_.erase(it);
  } else if (io) {
    reaped_ += *io;
  }
  std::erase(alive_, pid);
}

bool ProcWatch::is_alive(pid_t pid) const { return live_.count(pid) > 0; }

ProcIo ProcWatch::total() const {
  ProcIo sum = reaped_;
  for (const auto& [pid, live] : live_) sum += live.io;
  return sum;
}

}  // namespace stallcast::calibration::live
