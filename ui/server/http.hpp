#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// HTTP messages: bytes of one request in, bytes of its response out. No sockets.
namespace stallcast::server {

struct Request {
  std::string method;  ///< "GET"; HEAD is answered as GET, without its body
  std::string path;    ///< decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded, in their order
  std::string body;
  std::string client;  ///< its address
  // Headers; "" when absent.
  std::string host, origin, authorization, idempotency_key;

  /// The first value, or "".
  [[nodiscard]] std::string parameter(std::string_view name) const {
    for (const auto& [key, value] : query)
      if (key == name) return value;
    return {};
  }
  [[nodiscard]] std::vector<std::string> parameters(std::string_view name) const {
    std::vector<std::string> out;
    for (const auto& [key, value] : query)
      if (key == name) out.push_back(value);
    return out;
  }
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool late = false;  ///< sent a second later, so that asking again and again leads nowhere
};

/// Reads requests and writes responses. For one thread.
class Http {
 public:
  virtual ~Http() = default;
  /// The response to `request`, which is whole (framing.hpp), and whether the connection ends.
  [[nodiscard]] virtual std::pair<std::string, bool> answer(const std::string& request,
                                                            const std::string& client) = 0;
};

using Handle = std::function<Response(const Request&)>;
/// The response to what cannot be read, or where `Handle` threw, by its status.
using Failed = std::function<Response(int status)>;
using MakeHttp = std::function<std::unique_ptr<Http>(Handle, Failed)>;

/// A response that closes the connection, written without looking at a request.
[[nodiscard]] std::string written(const Response& response);

}  // namespace stallcast::server
