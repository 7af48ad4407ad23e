#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "stallcast/result.hpp"

namespace stallcast::base {

/// A file of any size, read piece by piece; gzip (RFC 1952), also several members one behind the
/// other, is unpacked on the way. Holds two buffers and nothing else.
class UnpackedFile {
 public:
  /// Fails with bad_input: what cannot be opened, folders, and packings that are not read here
  /// (zstd, xz, bzip2, zip), with the command that unpacks them.
  [[nodiscard]] static Result<UnpackedFile> open(const std::filesystem::path& path);
  UnpackedFile(UnpackedFile&&) noexcept;
  UnpackedFile& operator=(UnpackedFile&&) noexcept;
  ~UnpackedFile();

  /// Fills `to` with the next bytes of the content and says how many; fewer than there is room for
  /// only at the end.
  [[nodiscard]] std::size_t read(std::span<char> to);
  /// It is gzip.
  [[nodiscard]] bool packed() const;
  /// Bytes on the disk that have been read.
  [[nodiscard]] std::uint64_t taken() const;
  /// After the end: "" when the file ended as it should, else how and where it broke off: "the gzip
  /// data ends at byte 812 of the file".
  [[nodiscard]] const std::string& broken() const;

 private:
  struct Impl;
  explicit UnpackedFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace stallcast::base
