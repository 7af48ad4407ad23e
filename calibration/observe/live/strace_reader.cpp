#include "calibration/observe/live/strace_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>
#include <vector>

#include "calibration/observe/formats/trace_format.hpp"
#include "calibration/observe/live/tools.hpp"
#include "engine/base/read_buffer.hpp"
#include "stallcast/diagnostic.hpp"

namespace stallcast::calibration::live {

Result<std::unique_ptr<StraceReader>> StraceReader::open(const std::string& folder, bool names,
                                                         const std::string& keep) {
  const Seconds limit = Seconds::from(10.0, unit::s);
  if (!output_of({"strace", "-V"}, limit).done)
    return Failure{ExitCode::bad_input, "strace is not installed",
                   "install it, or observe without --syscalls strace"};
  if (!output_of({"strace", "-D", "-o", "/dev/null", "true"}, limit).done)
    return Failure{ExitCode::bad_input, "strace may not trace here",
                   "containers need the capability SYS_PTRACE; or observe without --syscalls"};
  const std::string pipe = folder + "/strace.pipe";
  if (mkfifo(pipe.c_str(), S_IRUSR | S_IWUSR) != 0)
    return Failure{ExitCode::internal, "cannot make a pipe for strace", ""};
  std::unique_ptr<StraceReader> out(new StraceReader(pipe, names));
  out->writer_ = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  if (keep.empty()) return out;
  auto copy = base::FileReplacement::of(keep, S_IRUSR | S_IWUSR);
  if (!copy.ok()) return copy.failure();
  out->copy_ = std::move(copy).value();
  if (mkfifo((pipe + ".copy").c_str(), S_IRUSR | S_IWUSR) != 0)
    return Failure{ExitCode::internal, "cannot make a pipe for strace", ""};
  return out;
}

StraceReader::~StraceReader() {
  if (writer_ >= 0) close(writer_);
  if (reader_.joinable()) reader_.join();
}

std::vector<std::string> StraceReader::around(const std::vector<std::string>& command) const {
  std::vector<std::string> words{"strace", "-D",          "-f", "-q",
                                 "-ttt",   "-T",          "-s", "0",
                                 "-e",     "signal=none", "-e", "trace=file,desc,process,io_submit",
                                 "-o",     pipe_,         "--"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

void StraceReader::start() {
  reader_ = std::thread([this] { read(); });
}

void StraceReader::read() {
  Diagnostics faults;
  const TraceFormat* format = find_trace_format("strace");
  const std::string from = copy_ ? pipe_ + ".copy" : pipe_;
  std::thread copies;
  if (copy_) copies = std::thread([this, from] { tee(from); });
  if (format != nullptr) seen_ = import_observation(*format, {from}, names_, faults);
  if (copies.joinable()) copies.join();
  if (copy_ && (short_ || !copy_->commit().ok()))
    seen_.notes.emplace_back("the calls are not kept: their file could not take all of them");
  for (const Diagnostic& fault : faults.items())
    if (fault.severity == Severity::error) seen_.notes.push_back("strace: " + fault.message);
  // Whatever became of that: strace must never wait for a reader.
  const int fd = ::open(pipe_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return read_all_.store(true);
  fcntl(fd, F_SETFL, 0);
  base::ReadBuffer rest;
  while (::read(fd, rest.data(), rest.size()) > 0) {
  }
  close(fd);
  read_all_ = true;
}

void StraceReader::tee(const std::string& to) {
  sigset_t broken;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, nullptr);
  int out = ::open(to.c_str(), O_WRONLY | O_CLOEXEC);  // waits for the reader
  const int in = ::open(pipe_.c_str(), O_RDONLY | O_CLOEXEC);
  const auto pass_on = [&out](const char* from, ssize_t left) {
    while (left > 0) {
      const ssize_t n = ::write(out, from, static_cast<std::size_t>(left));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      from += n;
      left -= n;
    }
    return true;
  };
  base::ReadBuffer part;
  for (ssize_t n = 0; in >= 0 && (n = ::read(in, part.data(), part.size())) > 0;) {
    short_ = short_ || !copy_->write({part.data(), static_cast<std::size_t>(n)}).ok();
    if (out >= 0 && !pass_on(part.data(), n)) close(std::exchange(out, -1));
  }
  if (in >= 0) close(in);
  if (out >= 0) close(out);
}

Observation StraceReader::finish(pid_t tracer) {
  if (writer_ >= 0) close(std::exchange(writer_, -1));
  constexpr int kPatience = 250;  // of 20 ms
  for (int i = 0; i < kPatience && !read_all_; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (!read_all_ && tracer > 0) kill(tracer, SIGKILL);
  if (reader_.joinable()) reader_.join();
  return std::move(seen_);
}

}  // namespace stallcast::calibration::live
