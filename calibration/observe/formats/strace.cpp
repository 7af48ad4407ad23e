#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "calibration/observe/formats/calls.hpp"
#include "calibration/observe/formats/formats.hpp"
#include "calibration/observe/formats/strace_line.hpp"
#include "calibration/observe/formats/strace_mark.hpp"
#include "calibration/observe/formats/strace_thread.hpp"

// strace -f -ttt -T. Descriptors are followed through open, dup, fcntl, clone and close, so that
// reads have a file and an offset. A call that others interrupt comes in two lines, "<unfinished
// ...>" and
// "<... resumed>". Transfers on descriptors whose opening is not in the trace are counted apart.
namespace stallcast::calibration::strace {
namespace {

constexpr std::size_t kMostTasks = 65'536;
constexpr std::size_t kMostDescriptors = 65'536;  // of one process
constexpr std::int64_t kHere = -100;              // AT_FDCWD

class StraceStream final : public OperationStream {
 public:
  StraceStream(TraceFile& trace, std::int64_t index)
      : trace_(trace), alone_(pid_in_name(trace.path())), index_(index) {}

  bool next(Operation& out) override;
  [[nodiscard]] const TracedFile* file(std::uint64_t id) const override {
    return id == 0 ? nullptr : &file_;
  }
  [[nodiscard]] std::optional<Seconds> began() const override {
    return calendar_ ? origin_ : std::nullopt;
  }
  [[nodiscard]] Seconds resolution() const override { return Seconds::from(1.0, unit::us); }
  [[nodiscard]] bool of_one_machine() const override { return true; }
  [[nodiscard]] LeftOut left_out() const override {
    return {unnamed_, Bytes::from(unnamed_bytes_, unit::B)};
  }
  void finish(ObservationBuilder& builder) const;
  bool numbered = false;  ///< lines have process numbers (-f)
  bool marks = false;     ///< gives marks, too

 private:
  TracedThread& task(std::int64_t pid);
  /// Each machine and container numbers its processes, and has a file of its own, but for -ff,
  /// which makes one for each process.
  [[nodiscard]] std::int64_t machine() const { return alone_ && !numbered ? 0 : index_; }
  bool finished(const StraceLine& line, std::string_view arguments, Seconds start, std::int64_t pid,
                Operation& out);
  void fork(const std::vector<std::string_view>& arguments, std::int64_t child,
            TracedThread& parent, std::int64_t pid);
  /// Bookkeeping of descriptors for calls that are not reads or writes.
  void follow(std::string_view name, const std::vector<std::string_view>& arguments,
              const StraceLine& line, TracedThread& of);
  bool transfer(const std::vector<std::string_view>& arguments, const StraceLine& line,
                TracedThread& of, Operation& out);
  /// Of sendfile and copy_file_range; true where they read a file that counts.
  bool copy(const std::vector<std::string_view>& arguments, const StraceLine& line,
            TracedThread& of, Operation& out);
  /// True: the call is of a file that counts.
  bool metadata(const std::vector<std::string_view>& arguments, const StraceLine& line,
                TracedThread& of, Operation& out);
  bool take(const std::string& name, std::uint64_t id);

  TraceFile& trace_;
  std::optional<std::int64_t> alone_;  ///< the process, where -ff made the file
  std::int64_t index_;
  bool over_ = false;
  std::optional<Seconds> origin_;
  bool calendar_ = false;
  DayClock day_;  ///< where lines have the time of day
  std::unordered_map<std::int64_t, TracedThread> tasks_;
  TracedFile file_;
  std::uint64_t signals_ = 0, foreign_ = 0, unnamed_ = 0, pseudo_ = 0;
  double unnamed_bytes_ = 0.0;
};

TracedThread& StraceStream::task(std::int64_t pid) {
  const auto it = tasks_.find(pid);
  if (it != tasks_.end()) return it->second;
  if (tasks_.size() >= kMostTasks) tasks_.clear();
  TracedThread& fresh = tasks_[pid];
  fresh.process = pid;
  return fresh;
}

bool StraceStream::next(Operation& out) {
  std::string_view text;
  while (!over_ && trace_.line(text)) {
    if (trace_.open_ended()) {
      trace_.cut("line " + std::to_string(trace_.line_number()) + ": the line is not complete");
      break;
    }
    auto line = strace_line(text);
    if (!line) {
      if (!text.empty()) ++foreign_;
      continue;
    }
    trace_.record();
    if (!origin_) calendar_ = line->calendar;
    if (!calendar_) line->time = day_.since_first_midnight(line->time);
    if (!origin_) origin_ = line->time;
    numbered = numbered || line->pid.has_value();
    const std::int64_t pid = line->pid.value_or(alone_.value_or(index_));
    switch (line->kind) {
      case StraceLine::Kind::exited:
        tasks_.erase(pid);
        break;
      case StraceLine::Kind::other:
        ++signals_;
        break;
      case StraceLine::Kind::unfinished: {
        TracedThread& of = task(pid);
        of.begun = line->arguments;
        of.begun_name = line->name;
        of.begun_time = line->time;
        break;
      }
      case StraceLine::Kind::resumed: {
        TracedThread& of = task(pid);
        if (of.begun_name != line->name) break;  // its beginning is not in the trace
        const std::string arguments = of.begun + std::string(line->arguments);
        of.begun_name.clear();
        if (finished(*line, arguments, of.begun_time, pid, out)) return true;
        break;
      }
      case StraceLine::Kind::call:
        if (finished(*line, line->arguments, line->time, pid, out)) return true;
        break;
    }
  }
  over_ = true;
  return false;
}

bool StraceStream::take(const std::string& name, std::uint64_t id) {
  if (is_pseudo_file(name)) {
    ++pseudo_;
    return false;
  }
  if (name != file_.name) file_.name = name;
  return id != 0;
}

void StraceStream::fork(const std::vector<std::string_view>& arguments, std::int64_t child,
                        TracedThread& parent, std::int64_t pid) {
  bool shares = false, thread = false;
  for (const std::string_view a : arguments) {
    shares = shares || a.find("CLONE_FILES") != a.npos;
    thread = thread || a.find("CLONE_THREAD") != a.npos;
  }
  TracedThread fresh;
  fresh.process = thread ? parent.process : child;
  fresh.open = shares ? parent.open : std::make_shared<Descriptors>(*parent.open);
  if (tasks_.size() < kMostTasks && child != pid) {
    // The child may have called something before this line: what it opened stays.
    const auto known = tasks_.find(child);
    if (known != tasks_.end()) {
      if (!shares)
        for (const auto& [fd, open] : *known->second.open) (*fresh.open)[fd] = open;
      fresh.begun = known->second.begun;
      fresh.begun_name = known->second.begun_name;
      fresh.begun_time = known->second.begun_time;
    }
    tasks_[child] = std::move(fresh);
  }
}

void StraceStream::follow(std::string_view name, const std::vector<std::string_view>& arguments,
                          const StraceLine& line, TracedThread& of) {
  Descriptors& open = *of.open;
  const auto first = arguments.empty() ? std::nullopt : strace_descriptor(arguments[0]);
  if (name == "close") {
    if (first) open.erase(first->number);
  } else if (name.starts_with("dup") || name.starts_with("fcntl")) {
    const bool copies =
        name.starts_with("dup") || (arguments.size() > 1 && arguments[1].starts_with("F_DUPFD"));
    const auto from = first ? open.find(first->number) : open.end();
    if (from == open.end()) return;
    const bool closes = std::any_of(arguments.begin(), arguments.end(),
                                    [](std::string_view a) { return a.find("CLOEXEC") != a.npos; });
    if (arguments.size() > 2 && arguments[1] == "F_SETFL")
      from->second.file->direct = arguments[2].find("O_DIRECT") != std::string_view::npos;
    if (arguments.size() > 1 && arguments[1] == "F_SETFD")
      from->second.close_on_exec = closes;
    else if (copies && open.size() < kMostDescriptors)
      open[*line.result] = OpenDescriptor{std::shared_ptr(from->second.file), closes};
  } else if (name == "lseek" && first) {
    const auto at = open.find(first->number);
    if (at != open.end()) at->second.file->position = static_cast<std::uint64_t>(*line.result);
  } else if (name == "execve") {
    for (auto it = open.begin(); it != open.end();)
      it = it->second.close_on_exec ? open.erase(it) : std::next(it);
  } else if (name == "pipe" || name == "pipe2" || name == "socketpair") {
    for (const std::string_view a : arguments) {
      std::string_view list = a;
      if (!list.starts_with('[')) continue;
      list.remove_prefix(1);
      for (const std::string_view part : strace_arguments(list.substr(0, list.rfind(']'))))
        if (const auto fd = strace_descriptor(part); fd && open.size() < kMostDescriptors) {
          auto made = std::make_shared<OpenFile>();
          made->name = "pipe:";
          open[fd->number] = {std::move(made), false};
        }
    }
  } else if (name == "socket" || name == "accept" || name == "accept4" || name == "eventfd2" ||
             name == "epoll_create1" || name == "timerfd_create" || name == "signalfd4" ||
             name == "inotify_init1" || name == "memfd_create") {
    if (open.size() >= kMostDescriptors) return;
    auto made = std::make_shared<OpenFile>();
    made->name = "anon_inode:";
    open[*line.result] = {std::move(made), false};
  }
}

bool StraceStream::transfer(const std::vector<std::string_view>& arguments, const StraceLine& line,
                            TracedThread& of, Operation& out) {
  const auto fd = arguments.empty() ? std::nullopt : strace_descriptor(arguments[0]);
  if (!fd || fd->number < 0) return false;
  const double moved = static_cast<double>(std::max<std::int64_t>(*line.result, 0));
  auto it = of.open->find(fd->number);
  if (it == of.open->end()) {
    if (!fd->path.starts_with('/') || of.open->size() >= kMostDescriptors) {
      ++unnamed_;
      unnamed_bytes_ += moved;
      return false;
    }
    auto made = std::make_shared<OpenFile>();  // -y tells what it is
    made->name = fd->path;
    made->id = file_id(fd->path);
    made->position.reset();
    it = of.open->emplace(fd->number, OpenDescriptor{std::move(made), false}).first;
  }
  OpenFile& open = *it->second.file;
  out.failed = *line.result < 0;
  out.bytes = Bytes::from(moved, unit::B);
  if (is_positioned(line.name)) {
    // pread64(fd, buffer, count, offset); preadv2 has flags behind the offset.
    const std::size_t at = line.name.ends_with("v2") ? arguments.size() - 2 : arguments.size() - 1;
    if (arguments.size() >= 4)
      if (const auto offset = strace_descriptor(arguments[at]); offset && offset->number >= 0)
        out.offset = static_cast<std::uint64_t>(offset->number);
  } else if (!out.failed) {
    out.offset = open.position;
    if (open.position) *open.position += static_cast<std::uint64_t>(moved);
  }
  out.file = open.id;
  out.direct = open.direct;
  return take(open.name, open.id);
}

// sendfile(out, in, offset, count); copy_file_range(in, offset, out, offset, count, flags). NULL:
// the descriptor's own position, which moves.
bool StraceStream::copy(const std::vector<std::string_view>& arguments, const StraceLine& line,
                        TracedThread& of, Operation& out) {
  const bool sends = line.name.starts_with("sendfile");
  if (arguments.size() < 4) return false;
  out.failed = *line.result < 0;
  const auto moved = static_cast<std::uint64_t>(std::max<std::int64_t>(*line.result, 0));
  out.bytes = Bytes::from(static_cast<double>(moved), unit::B);
  const auto of_file = [&](std::size_t argument, bool moves) -> const OpenFile* {
    const auto fd = strace_descriptor(arguments[argument]);
    const auto it = fd ? of.open->find(fd->number) : of.open->end();
    if (it == of.open->end()) return nullptr;
    if (auto& position = it->second.file->position; moves && position) *position += moved;
    return it->second.file.get();
  };
  const OpenFile* from = of_file(sends ? 1 : 0, arguments[sends ? 2 : 1] == "NULL");
  (void)of_file(sends ? 0 : 2, sends || arguments[3] == "NULL");
  if (from == nullptr) return true;  // of a file that the trace does not name
  out.file = from->id;
  return take(from->name, from->id);
}

bool StraceStream::metadata(const std::vector<std::string_view>& arguments, const StraceLine& line,
                            TracedThread& of, Operation& out) {
  out.failed = *line.result < 0;
  std::string name;
  const auto first = arguments.empty() ? std::nullopt : strace_descriptor(arguments[0]);
  const bool map = out.kind == OperationKind::map;
  const auto mapped = map && arguments.size() > 4 ? strace_descriptor(arguments[4]) : std::nullopt;
  const auto fd = map ? mapped : first;
  if (map && (!fd || fd->number < 0)) return false;  // memory
  for (const std::string_view a : arguments) {
    if (auto path = strace_text(a)) {
      name = std::move(*path);
      break;
    }
  }
  if (name.empty() && fd && fd->number != kHere) {
    const auto it = of.open->find(fd->number);
    if (it != of.open->end())
      name = it->second.file->name;
    else
      name = std::string(fd->path);
    if (name.empty()) return false;  // a descriptor of something unknown
  }
  if (!name.empty() && name.front() != '/' && first && first->path.starts_with('/'))
    name = std::string(first->path) + "/" + name;  // -y: the folder it is relative to
  const std::uint64_t id = name.empty() ? 0 : file_id(name);
  if (out.kind == OperationKind::open && !out.failed && of.open->size() < kMostDescriptors) {
    auto made = std::make_shared<OpenFile>();
    made->name = name;
    made->id = id;
    bool closes = false;
    for (const std::string_view a : arguments) {
      closes = closes || a.find("O_CLOEXEC") != a.npos;
      if (a.find("O_APPEND") != a.npos) made->position.reset();
      made->direct = made->direct || a.find("O_DIRECT") != a.npos;
    }
    (*of.open)[*line.result] = {std::move(made), closes};
  }
  out.file = id;
  return name.empty() ? false : take(name, id);
}

bool StraceStream::finished(const StraceLine& line, std::string_view text, Seconds start,
                            std::int64_t pid, Operation& out) {
  if (!line.result) return false;  // "?": the process ended in it
  const std::vector<std::string_view> arguments = strace_arguments(text);
  TracedThread& of = task(pid);
  if (line.name.starts_with("clone") || line.name == "fork" || line.name == "vfork") {
    if (*line.result > 0) fork(arguments, *line.result, of, pid);
    return false;
  }
  auto kind = kind_of_call(line.name);
  if (kind == OperationKind::stat && arguments.size() > 1 && arguments[1] == "\"\"")
    kind = OperationKind::other;  // of an open file, by AT_EMPTY_PATH
  out = {};
  out.kind = kind.value_or(OperationKind::other);
  out.rank = machine() * kMostPids + of.process;
  out.thread = pid;
  out.start = start - *origin_;
  if (line.duration) out.end = out.start + *line.duration;
  bool counts = false;
  if (kind == OperationKind::stat && *line.result < 0 && strace_mark(arguments, out)) return marks;
  if (kind && moves_bytes(*kind))
    counts = transfer(arguments, line, of, out);
  else if (kind == OperationKind::copy)
    counts = copy(arguments, line, of, out);
  else if (kind == OperationKind::ring)
    counts = (out.count = static_cast<std::uint64_t>(std::max<std::int64_t>(*line.result, 0))) > 0;
  else if (kind)
    counts = metadata(arguments, line, of, out);
  if (*line.result >= 0) follow(line.name, arguments, line, of);
  return counts;
}

void StraceStream::finish(ObservationBuilder& builder) const {
  if (unnamed_ > 0)
    builder.note(std::to_string(unnamed_) + " reads and writes of " +
                 std::to_string(static_cast<std::int64_t>(unnamed_bytes_)) +
                 " bytes are on descriptors whose opening is not in the trace: left out");
  if (pseudo_ > 0)
    builder.note(std::to_string(pseudo_) +
                 " calls concern pipes, sockets, /proc, /sys and devices: left out");
  if (day_.passed_midnight())
    builder.note(
        "the time of day jumps back by more than 12 h: midnight passed, and the day after "
        "goes on (strace -ttt has dates)");
  if (foreign_ > 0) builder.note(std::to_string(foreign_) + " lines are not strace's: left out");
}

}  // namespace

std::unique_ptr<OperationStream> operations(TraceFile& file, std::int64_t index) {
  auto out = std::make_unique<StraceStream>(file, index);
  out->marks = true;
  return out;
}

void read(TraceFile& file, std::int64_t index, ObservationBuilder& builder) {
  StraceStream stream(file, index);
  count_operations(stream, builder, [&](const Operation& op) {
    ObservedProcess& process = builder.process(op.rank);
    process.rank.reset();  // numbers of the kernel, not of the job
    if (stream.numbered) process.pid = op.rank % kMostPids;
  });
}

}  // namespace stallcast::calibration::strace
