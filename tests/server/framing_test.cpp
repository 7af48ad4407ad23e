#include <catch2/catch.hpp>
#include <string>

#include "ui/server/framing.hpp"

namespace framing_test {

using namespace stallcast::server;

namespace {

const std::string kPost = "POST /v1/lint HTTP/1.1\r\nContent-Length: 5\r\n\r\n";

Frame frame(const std::string& received) { return frame_of(received, {}); }

}  // namespace

TEST_CASE("a request is complete with the last byte of its body, and not before") {
  const std::string whole = kPost + "12345";
  for (std::size_t n = 0; n < whole.size(); ++n)
    CHECK(frame(whole.substr(0, n)).state == Frame::State::incomplete);
  CHECK(frame(whole).state == Frame::State::complete);
  CHECK(frame(whole).length == whole.size());
}

TEST_CASE("what follows a request belongs to the next one") {
  CHECK(frame(kPost + "12345GET / HTTP/1.1\r\n\r\n").length == kPost.size() + 5);
  const std::string get = "GET / HTTP/1.1\r\n\r\n";
  CHECK(frame(get + get).length == get.size());
}

TEST_CASE("what can be read in two ways is refused") {
  const std::string line = "POST / HTTP/1.1\r\n";
  for (const char* headers :
       {"Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: +1\r\n",
        "Content-Length: 1,1\r\n", "Content-Length : 1\r\n", " Content-Length: 1\r\n",
        "Content-Length: 1\r\n folded: x\r\n", "Content-Length: 1\nX: y\r\n", "X: a\rb\r\n",
        "Host: localhost\r\nhost: evil.example\r\n"})
    CHECK(frame(line + headers + "\r\n").status == 400);
  CHECK(frame(line + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n").status == 411);
}

TEST_CASE("the same length twice is one length") {
  CHECK(frame("POST / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\nx").state ==
        Frame::State::complete);
}

TEST_CASE("faults are found before the rest has come") {
  CHECK(frame("\x16\x03\x01").status == 400);
  CHECK(frame("GET nowhere").status == 400);
  CHECK(frame("GET /" + std::string(5000, 'a')).status == 414);
  CHECK(frame("GET / HTTP/1.1\r\nA: " + std::string(17000, 'a')).status == 431);
  CHECK(frame("POST / HTTP/1.1\r\nContent-Length: 1000001\r\n\r\n").status == 413);
  CHECK(frame("POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n").state ==
        Frame::State::incomplete);
}

TEST_CASE("a client that waits to be asked for its body is one only while the body is missing") {
  const std::string head = "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n";
  CHECK(frame(head).wants_continue);
  CHECK_FALSE(frame(head + "x").wants_continue);
}

}  // namespace framing_test
