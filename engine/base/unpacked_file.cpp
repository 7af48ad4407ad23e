#include "engine/base/unpacked_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/text.hpp"

namespace stallcast::base {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10U;

/// First bytes of packings, and what unpacks them.
struct Packing {
  std::string_view magic;
  std::string_view name;
  std::string_view command;
};
constexpr std::array<Packing, 4> kPackings{{{"\x28\xb5\x2f\xfd", "zstd", "zstd -d"},
                                            {"\xfd"
                                             "7zXZ",
                                             "xz", "xz -d"},
                                            {"BZh", "bzip2", "bzip2 -d"},
                                            {"PK\x03\x04", "zip", "unzip"}}};

Failure cannot_read(const std::filesystem::path& path, const std::string& why,
                    std::string hint = {}) {
  return {ExitCode::bad_input, "cannot read " + path.string() + ": " + why, std::move(hint)};
}

}  // namespace

struct UnpackedFile::Impl {
  explicit Impl(int descriptor) : fd(descriptor), raw(kPiece) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (inflating) inflateEnd(&stream);
    ::close(fd);
  }

  /// Refills the buffer of raw bytes; false at the end.
  bool fill() {
    ssize_t n = 0;
    do n = ::read(fd, raw.data(), raw.size());
    while (n < 0 && errno == EINTR);
    if (n < 0) broken = std::string("reading failed: ") + std::strerror(errno);
    begin = 0;
    end = n > 0 ? static_cast<std::size_t>(n) : 0;
    taken += end;
    return end > 0;
  }

  std::size_t copy(std::span<char> to) {
    std::size_t done = 0;
    while (done < to.size() && (begin < end || fill())) {
      const std::size_t n = std::min(to.size() - done, end - begin);
      std::memcpy(to.data() + done, raw.data() + begin, n);
      begin += n;
      done += n;
    }
    return done;
  }

  void stop(const std::string& how) {
    over = true;
    broken = "the gzip data " + how + " at byte " +
             std::to_string(taken - static_cast<std::uint64_t>(end - begin)) + " of the file";
  }

  /// Behind the end of a member: another one may follow; all else is padding.
  void next_member() {
    if (begin == end && !fill()) {
      over = true;
      return;
    }
    if (raw[begin] != '\x1f')
      over = true;
    else
      inflateReset(&stream);
  }

  std::size_t inflate_into(std::span<char> to) {
    std::size_t done = 0;
    while (done < to.size() && !over) {
      if (begin == end && !fill()) {
        stop("ends");
        break;
      }
      stream.next_in = reinterpret_cast<Bytef*>(raw.data() + begin);
      stream.avail_in = static_cast<uInt>(end - begin);
      const auto room = static_cast<uInt>(std::min<std::size_t>(to.size() - done, 1U << 30U));
      stream.next_out = reinterpret_cast<Bytef*>(to.data() + done);
      stream.avail_out = room;
      const int status = ::inflate(&stream, Z_NO_FLUSH);
      begin = end - stream.avail_in;
      done += room - stream.avail_out;
      if (status == Z_STREAM_END)
        next_member();
      else if (status != Z_OK && status != Z_BUF_ERROR)
        stop("is damaged");
    }
    return done;
  }

  int fd;
  std::vector<char> raw;
  std::size_t begin = 0, end = 0;
  std::uint64_t taken = 0;
  z_stream stream{};
  bool inflating = false;
  bool over = false;
  std::string broken;
};

UnpackedFile::UnpackedFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
UnpackedFile::UnpackedFile(UnpackedFile&&) noexcept = default;
UnpackedFile& UnpackedFile::operator=(UnpackedFile&&) noexcept = default;
UnpackedFile::~UnpackedFile() = default;

Result<UnpackedFile> UnpackedFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return cannot_read(path, std::strerror(errno));
  auto impl = std::make_unique<Impl>(fd);
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
    return cannot_read(path, std::strerror(EISDIR));
  if (!impl->fill() && !impl->broken.empty()) return cannot_read(path, impl->broken);
  const std::string_view head(impl->raw.data(), impl->end);
  for (const Packing& p : kPackings)
    if (head.starts_with(p.magic))
      return cannot_read(
          path, "it is packed with " + std::string(p.name),
          "unpack it first: " + std::string(p.command) + " " + shell_word(path.string()));
  if (head.starts_with("\x1f\x8b")) {
    constexpr int kWindow = 15, kGzip = 16;
    if (inflateInit2(&impl->stream, kWindow + kGzip) != Z_OK) throw std::bad_alloc();
    impl->inflating = true;
  }
  return UnpackedFile(std::move(impl));
}

std::size_t UnpackedFile::read(std::span<char> to) {
  return impl_->inflating ? impl_->inflate_into(to) : impl_->copy(to);
}
bool UnpackedFile::packed() const { return impl_->inflating; }
std::uint64_t UnpackedFile::taken() const { return impl_->taken; }
const std::string& UnpackedFile::broken() const { return impl_->broken; }

}  // namespace stallcast::base
