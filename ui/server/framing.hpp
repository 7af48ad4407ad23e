#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Where one HTTP/1 request ends in what a connection has sent so far. Nothing is handed to the
/// HTTP library before all of it is there, so a slow client holds memory, never a thread.
namespace stallcast::server {

struct FrameLimits {
  std::size_t target = 4096;       ///< bytes of the request line's path and query
  std::size_t header = 16 * 1024;  ///< bytes of request line and headers
  std::size_t body = 1'000'000;    ///< bytes
};

struct Frame {
  enum class State { incomplete, complete, refused };
  State state = State::incomplete;
  std::size_t length = 0;         ///< of the request, when complete
  int status = 0;                 ///< HTTP status, when refused
  std::string why = {};           ///< one sentence, when refused
  bool wants_continue = false;    ///< incomplete: the client waits for "100 Continue"
  bool headers_complete = false;  ///< only the body is still to come
};

/// Looks at `received` from its first byte. A body needs a Content-Length; what could be read in
/// two ways (two lengths, a length and chunks, blank space before a colon) is refused.
[[nodiscard]] Frame frame_of(std::string_view received, const FrameLimits& limits);

/// Of header names and schemes, which may be written either way.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace stallcast::server
