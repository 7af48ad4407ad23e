#include "engine/base/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

namespace stallcast::base {

std::string gzip(std::string_view data) {
  constexpr int kWindow = 15, kGzip = 16, kMemory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindow + kGzip, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();  // all else is right by construction
  std::string out(deflateBound(&stream, data.size()), '\0');
  // zlib counts what is left in 32 bits.
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  std::size_t read = 0, written = 0;
  for (int status = Z_OK; status != Z_STREAM_END;) {
    const std::size_t piece = std::min(data.size() - read, kMost);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data() + read));
    stream.avail_in = static_cast<uInt>(piece);
    const auto room = static_cast<uInt>(std::min(out.size() - written, kMost));
    stream.avail_out = room;
    status = deflate(&stream, read + piece == data.size() ? Z_FINISH : Z_NO_FLUSH);
    read += piece - stream.avail_in;
    written += room - stream.avail_out;
  }
  deflateEnd(&stream);
  out.resize(written);
  return out;
}

}  // namespace stallcast::base
