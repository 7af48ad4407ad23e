#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stallcast::codec {

/// JSON text written from front to back, the bytes `dump` gives of the same value: a quarter of the
/// instructions of building a tree and printing that. Keys have to come sorted.
class JsonText {
 public:
  /// An object, then its members in the order of their keys, then its end; arrays likewise.
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  /// Before the value of a member.
  void key(std::string_view name);
  /// The same of a name that stands for itself, as all that are written in the source do.
  template <std::size_t N>
  void key(const char (&name)[N]) {
    char* at = begin_value(N + 2);
    *at++ = '"';
    std::memcpy(at, name, N - 1);
    at += N - 1;
    *at++ = '"';
    *at++ = ':';
    written(at);
    comma_ = false;
  }

  void text(std::string_view value);
  void number(double value);  ///< infinities and nan as texts, as `number_of` reads them
  void texts(const std::vector<std::string>& values);
  void whole(std::uint64_t value);
  void boolean(bool value);
  void null();

  template <class Name>
  void member(const Name& name, std::string_view value) {
    key(name), text(value);
  }
  /// Nothing for an empty text.
  template <class Name>
  void optional_member(const Name& name, std::string_view value) {
    if (!value.empty()) member(name, value);
  }
  template <class Name>
  void member(const Name& name, const std::vector<std::string>& values) {
    key(name), texts(values);
  }
  template <class Name>
  void member_number(const Name& name, double value) {
    key(name), number(value);
  }

  /// Makes room for so many bytes of text.
  void reserve(std::size_t bytes) { (void)room(bytes); }
  [[nodiscard]] std::string take() {
    out_.resize(std::exchange(end_, 0));
    return std::move(out_);
  }

 private:
  void open(char bracket);
  void close(char bracket);
  /// Where so many bytes can be written, after the comma that a value may need.
  char* begin_value(std::size_t bytes) {
    char* at = room(bytes + 1);
    if (comma_) *at++ = ',';
    comma_ = true;
    return at;
  }
  char* room(std::size_t bytes) {
    if (out_.size() - end_ < bytes) grow(bytes);
    return out_.data() + end_;
  }
  void grow(std::size_t bytes);
  void written(const char* end) { end_ = static_cast<std::size_t>(end - out_.data()); }
  void put(std::string_view value);

  std::string out_;      ///< and room after it, so that a few bytes are put there without a call
  std::size_t end_ = 0;  ///< of what is written
  bool comma_ = false;   ///< before the next key or element
};

}  // namespace stallcast::codec
