#pragma once

#include <cstdint>
#include <filesystem>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/unpacked_file.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/observation.hpp"
#include "stallcast/result.hpp"

namespace stallcast::calibration {

/// Longer lines are no trace.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20U;
/// Bytes of the content that `head` gives.
inline constexpr std::size_t kTraceHead = std::size_t{64} << 10U;

/// One file of a trace: its content line by line, or as a stream of bytes, and what became of it.
class TraceFile : private std::streambuf {
 public:
  [[nodiscard]] static Result<TraceFile> open(const std::filesystem::path& path,
                                              Diagnostics& diagnostics);
  TraceFile(TraceFile&& other) noexcept;
  TraceFile& operator=(TraceFile&&) = delete;
  ~TraceFile() override = default;

  /// The first bytes of the content, before anything was read.
  [[nodiscard]] std::string_view head() const { return {buffer_.data(), size_}; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// The next line without its end, valid until the next call; false at the end of the content.
  /// A last line without a line end is given, and `open_ended` is true then.
  bool line(std::string_view& out);
  [[nodiscard]] bool open_ended() const { return open_ended_; }
  /// Number of the line that was given last.
  [[nodiscard]] std::uint64_t line_number() const { return line_; }

  /// All of the content as a stream of bytes, for readers of JSON.
  [[nodiscard]] std::streambuf& bytes() { return *this; }
  /// Bytes of the content that the stream has given.
  [[nodiscard]] std::uint64_t position() const;
  /// The stream has given the last byte.
  [[nodiscard]] bool at_end();
  /// Somebody asked the stream for a byte behind the last one: what was read before that may be the
  /// beginning of something longer.
  [[nodiscard]] bool asked_beyond() const { return asked_beyond_; }
  /// Reads exactly `size` bytes into `out`; false when fewer are left.
  bool exactly(std::size_t size, std::string& out);

  /// Counts one record that was read.
  void record() { ++input_.records; }
  void repeated() { ++input_.repeated; }
  /// The trace breaks off: what it holds is used. Only the first is kept; a warning says so.
  void cut(const std::string& where);
  /// The row does not read; faults behind the first few are counted only.
  void error(std::string_view code, std::uint64_t line, std::size_t column, std::string message,
             std::string hint = {});
  /// Closes the books: what the packing broke off is a cut, too.
  [[nodiscard]] const ObservedInput& close();
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  TraceFile(std::string path, base::UnpackedFile file, Diagnostics& diagnostics);
  int_type underflow() override;
  bool next_line(std::string_view& out);
  /// Moves what is left to the front and reads more behind it; false when nothing came.
  bool refill();

  std::string path_;
  base::UnpackedFile file_;
  Diagnostics* diagnostics_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;      ///< end of what the buffer holds
  std::uint64_t before_ = 0;  ///< bytes of the content before the buffer
  std::uint64_t line_ = 0;
  std::string_view last_;  ///< line that was given last
  bool open_ended_ = false;
  bool asked_beyond_ = false;
  bool failed_ = false;
  int faults_ = 0;
  ObservedInput input_;
};

}  // namespace stallcast::calibration
