#include "ui/server/framing.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace stallcast::server {
namespace {

Frame refused(int status, std::string why) {
  Frame out;
  out.state = Frame::State::refused;
  out.status = status;
  out.why = std::move(why);
  return out;
}

bool is_token(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// METHOD SP target SP HTTP/1.x, as far as it is there; faults are found without waiting for more.
std::optional<Frame> request_line(std::string_view line, bool whole, const FrameLimits& limits) {
  const std::size_t method = std::min(line.find(' '), line.size());
  if (method > 16 ||
      !std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(method), is_token))
    return refused(400, "this is not an HTTP request");
  if (method < line.size()) {
    const std::string_view rest = line.substr(method + 1);
    const std::size_t target = std::min(rest.find(' '), rest.size());
    if (target > limits.target) return refused(414, "path and query are too long");
    for (const char c : rest.substr(0, target))
      if (c <= ' ' || c > '~') return refused(400, "the path has bytes that must be escaped");
    if (!rest.empty() && rest.front() != '/') return refused(400, "a path begins with /");
    if (whole && (target == rest.size() ||
                  (rest.substr(target + 1) != "HTTP/1.1" && rest.substr(target + 1) != "HTTP/1.0")))
      return refused(505, "this server speaks HTTP/1.1");
  } else if (whole) {
    return refused(400, "this is not an HTTP request");
  }
  return std::nullopt;
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [&](char x, char y) { return lower(x) == lower(y); });
}

Frame frame_of(std::string_view received, const FrameLimits& limits) {
  const std::size_t first = received.find("\r\n");
  if (const auto fault = request_line(received.substr(0, first), first != received.npos, limits))
    return *fault;
  const std::size_t end = received.substr(0, limits.header).find("\r\n\r\n");
  if (end == received.npos)
    return received.size() >= limits.header ? refused(431, "the headers are too long") : Frame{};

  std::optional<std::size_t> length;
  bool wants_continue = false, has_host = false;
  for (std::size_t at = first + 2; at < end + 2;) {
    const std::size_t stop = received.find("\r\n", at);
    const std::string_view line = received.substr(at, stop - at);
    at = stop + 2;
    const std::size_t colon = line.find(':');
    if (colon == line.npos || colon == 0 ||
        !std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), is_token))
      return refused(400, "a header line is malformed");
    for (const char c : line)
      if ((c >= 0 && c < ' ' && c != '\t') || c == 127)
        return refused(400, "a header has control characters");
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (equal_ignoring_case(name, "transfer-encoding"))
      return refused(411, "send the body with a Content-Length");
    if (equal_ignoring_case(name, "content-encoding") && !equal_ignoring_case(value, "identity"))
      return refused(415, "send the body as it is, not compressed");
    if (equal_ignoring_case(name, "expect")) wants_continue = true;
    if (equal_ignoring_case(name, "host") && std::exchange(has_host, true))
      return refused(400, "there are two Host headers");
    if (!equal_ignoring_case(name, "content-length")) continue;
    std::size_t bytes = 0;
    const auto [after, error] = std::from_chars(value.data(), value.data() + value.size(), bytes);
    if (value.empty() || after != value.data() + value.size() || value.front() == '-' ||
        (error != std::errc() && error != std::errc::result_out_of_range) ||
        (length && *length != bytes))
      return refused(400, "the Content-Length is malformed");
    if (error == std::errc::result_out_of_range || bytes > limits.body)
      return refused(
          413, "the body is larger than " + std::to_string(limits.body) + " bytes (--max-body)");
    length = bytes;
  }
  Frame out;
  out.headers_complete = true;
  out.length = end + 4 + length.value_or(0);
  out.state = received.size() >= out.length ? Frame::State::complete : Frame::State::incomplete;
  out.wants_continue = wants_continue && out.state == Frame::State::incomplete;
  return out;
}

}  // namespace stallcast::server
