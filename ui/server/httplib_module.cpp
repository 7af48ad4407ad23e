#include <httplib.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "ui/server/http.hpp"

namespace stallcast::server {
namespace {

/// The request as the library reads it, and what it writes.
class Memory final : public httplib::Stream {
 public:
  Memory(const std::string& request, const std::string& client)
      : request_(request), client_(client) {}
  [[nodiscard]] bool is_readable() const override { return at_ < request_.size(); }
  [[nodiscard]] bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t n = std::min(size, request_.size() - at_);
    std::memcpy(to, request_.data() + at_, n);
    at_ += n;
    return static_cast<ssize_t>(n);
  }
  ssize_t write(const char* from, std::size_t size) override {
    response.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = client_;
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  [[nodiscard]] socket_t socket() const override { return 0; }

  std::string response;

 private:
  const std::string& request_;
  const std::string& client_;
  std::size_t at_ = 0;
};

std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    out += escaped          ? static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2]))
           : text[i] == '+' ? ' '
                            : text[i];
    if (escaped) i += 2;
  }
  return out;
}

/// The library's own reading of "set=a=b" loses the "a".
std::vector<std::pair<std::string, std::string>> query_of(std::string_view target) {
  std::vector<std::pair<std::string, std::string>> out;
  const std::size_t mark = target.find('?');
  std::string_view rest = mark == target.npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    if (!part.empty())
      out.emplace_back(decoded(part.substr(0, equals)),
                       decoded(part.substr(std::min(equals + 1, part.size()))));
  }
  return out;
}

Request read(const httplib::Request& from, const std::string& client) {
  Request out;
  out.method = from.method == "HEAD" ? "GET" : from.method;
  out.path = from.path;
  out.query = query_of(from.target);
  out.body = from.body;
  out.client = client;
  out.host = from.get_header_value("Host");
  out.origin = from.get_header_value("Origin");
  out.authorization = from.get_header_value("Authorization");
  out.idempotency_key = from.get_header_value("Idempotency-Key");
  return out;
}

void write(const Response& from, httplib::Response& to) {
  to.status = from.status;
  for (const auto& [name, value] : from.headers) to.set_header(name, value);
  if (!from.body.empty()) to.set_content(from.body, from.type);
}

class Adapter final : public Http, httplib::Server {
 public:
  Adapter(Handle handle, Failed failed) : handle_(std::move(handle)), failed_(std::move(failed)) {
    const auto any = [this](const httplib::Request& request, httplib::Response& response) {
      write(handle_(read(request, client_)), response);
    };
    // The library's router matches by regular expressions, which recurse; ours is a table.
    const char* all = "[^]*";
    Get(all, any).Post(all, any).Put(all, any).Patch(all, any).Delete(all, any).Options(all, any);
    const auto fail = [this](httplib::Response& response, int status) {
      write(failed_(status), response);
    };
    set_exception_handler([fail](const httplib::Request&, httplib::Response& response,
                                 const std::exception_ptr&) { fail(response, 500); });
    set_error_handler([fail](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) fail(response, response.status);
    });
    set_keep_alive_timeout(15).set_keep_alive_max_count(1000000);
  }

  std::pair<std::string, bool> answer(const std::string& request,
                                      const std::string& client) override {
    client_ = client;
    Memory stream(request, client);
    bool close = false;
    const bool ok = process_request(stream, false, close, [](httplib::Request& r) {
      // A scenario is taken as it is, whatever curl calls it; answers are small: no compression.
      for (const char* name : {"Content-Type", "Accept-Encoding", "Range"}) r.headers.erase(name);
      r.ranges.clear();
    });
    return {std::move(stream.response), close || !ok};
  }

 private:
  Handle handle_;
  Failed failed_;
  std::string client_;
};

}  // namespace
}  // namespace stallcast::server

/// Found by name (load_http.cpp). The caller owns what it returns.
extern "C" stallcast::server::Http* stallcast_make_http(stallcast::server::Handle handle,
                                                        stallcast::server::Failed failed);

stallcast::server::Http* stallcast_make_http(stallcast::server::Handle handle,
                                             stallcast::server::Failed failed) {
  return new stallcast::server::Adapter(std::move(handle), std::move(failed));
}
