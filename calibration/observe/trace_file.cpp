#include "calibration/observe/trace_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stallcast::calibration {
namespace {
constexpr int kMostTraceFaults = 20;
constexpr std::size_t kTraceBuffer = std::size_t{256} << 10U;
}  // namespace

TraceFile::TraceFile(std::string path, base::UnpackedFile file, Diagnostics& diagnostics)
    : path_(std::move(path)),
      file_(std::move(file)),
      diagnostics_(&diagnostics),
      buffer_(kTraceBuffer) {
  input_.name = std::filesystem::path(path_).filename().string();
  if (file_.packed()) input_.packed = "gzip";
  size_ = file_.read({buffer_.data(), kTraceHead});
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (head().starts_with(kByteOrderMark)) {
    before_ = kByteOrderMark.size();
    size_ -= before_;
    std::memmove(buffer_.data(), buffer_.data() + before_, size_);
  }
}

TraceFile::TraceFile(TraceFile&& other) noexcept
    : std::streambuf(),
      path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      diagnostics_(other.diagnostics_),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      size_(other.size_),
      before_(other.before_),
      input_(std::move(other.input_)) {}

Result<TraceFile> TraceFile::open(const std::filesystem::path& path, Diagnostics& diagnostics) {
  auto file = base::UnpackedFile::open(path);
  if (!file.ok()) return file.failure();
  return TraceFile(path.string(), std::move(file).value(), diagnostics);
}

bool TraceFile::refill() {
  last_ = {};  // it lies in what moves now
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, size_ - begin_);
    before_ += begin_;
    size_ -= begin_;
    begin_ = 0;
  }
  if (size_ == buffer_.size()) {
    if (buffer_.size() >= kLongestLine) return false;
    buffer_.resize(buffer_.size() * 2);
  }
  const std::size_t n = file_.read({buffer_.data() + size_, buffer_.size() - size_});
  size_ += n;
  return n > 0;
}

bool TraceFile::line(std::string_view& out) {
  const bool found = next_line(out);
  last_ = found ? out : std::string_view();
  return found;
}

bool TraceFile::next_line(std::string_view& out) {
  std::size_t looked = 0;
  while (true) {
    const char* from = buffer_.data() + begin_ + looked;
    const auto* end = static_cast<const char*>(std::memchr(from, '\n', size_ - begin_ - looked));
    if (end != nullptr) {
      const char* start = buffer_.data() + begin_;
      auto length = static_cast<std::size_t>(end - start);
      begin_ += length + 1;
      if (length > 0 && start[length - 1] == '\r') --length;
      out = {start, length};
      ++line_;
      return true;
    }
    looked = size_ - begin_;
    if (refill()) continue;
    if (size_ == begin_) return false;
    ++line_;
    if (looked >= kLongestLine) {
      error("line", line_, 1, "the line is longer than 16 MiB",
            "this is not a trace of text lines");
      begin_ = size_;
      return false;
    }
    out = {buffer_.data() + begin_, size_ - begin_};
    begin_ = size_;
    open_ended_ = true;
    return true;
  }
}

TraceFile::int_type TraceFile::underflow() {
  if (gptr() == nullptr || gptr() == egptr()) {
    if (gptr() != nullptr) begin_ = size_;
    if (begin_ == size_ && !refill()) {
      asked_beyond_ = true;
      setg(buffer_.data(), buffer_.data(), buffer_.data());  // nothing is left of what was given
      return traits_type::eof();
    }
    setg(buffer_.data() + begin_, buffer_.data() + begin_, buffer_.data() + size_);
  }
  return traits_type::to_int_type(*gptr());
}

std::uint64_t TraceFile::position() const {
  if (gptr() == nullptr) return before_ + begin_;
  return before_ + static_cast<std::uint64_t>(gptr() - buffer_.data());
}

bool TraceFile::at_end() { return traits_type::eq_int_type(sgetc(), traits_type::eof()); }

bool TraceFile::exactly(std::size_t size, std::string& out) {
  out.resize(std::min(size, kTraceBuffer));
  std::size_t done = 0;
  while (done < size) {
    if (done == out.size()) out.resize(std::min(size, out.size() * 2));
    const auto n = sgetn(out.data() + done, static_cast<std::streamsize>(out.size() - done));
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  out.resize(size);
  return true;
}

void TraceFile::cut(const std::string& where) {
  if (!input_.complete) return;
  input_.complete = false;
  input_.cut = where;
  diagnostics_->add({Severity::warning, "cut", "",
                     Position{path_, static_cast<int>(line_), line_ > 0 ? 1 : 0},
                     "the trace is cut: " + where, "what comes before is used", " "});
}

void TraceFile::error(std::string_view code, std::uint64_t line, std::size_t column,
                      std::string message, std::string hint) {
  failed_ = true;
  if (++faults_ > kMostTraceFaults) return;
  // It may quote a word of the trace, which may be of any length.
  constexpr std::size_t kLongestMessage = 300;
  if (message.size() > kLongestMessage) message = message.substr(0, kLongestMessage) + "...";
  Diagnostic fault{Severity::error,
                   std::string(code),
                   "",
                   Position{path_, static_cast<int>(line), static_cast<int>(column)},
                   std::move(message),
                   std::move(hint)};
  // A blank: nobody shows a line of packed bytes.
  constexpr std::size_t kShownLine = 4096;
  if (line == line_ && !last_.empty())
    fault.line = last_.substr(0, kShownLine);
  else if (file_.packed())
    fault.line = " ";
  diagnostics_->add(std::move(fault));
}

const ObservedInput& TraceFile::close() {
  if (!file_.broken().empty()) cut(file_.broken());
  input_.size = Bytes::from(static_cast<double>(file_.taken()), unit::B);
  return input_;
}

}  // namespace stallcast::calibration
