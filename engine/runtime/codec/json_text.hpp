#pragma once

#include <cstddef>
#include <cstdint>
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

  void text(std::string_view value);
  void number(double value);  ///< infinities and nan as texts, as `number_of` reads them
  void texts(const std::vector<std::string>& values);
  void whole(std::uint64_t value);
  void boolean(bool value);
  void null();

  void member(std::string_view name, std::string_view value) { key(name), text(value); }
  /// Nothing for an empty text.
  void optional_member(std::string_view name, std::string_view value) {
    if (!value.empty()) member(name, value);
  }
  void member(std::string_view name, const std::vector<std::string>& values) {
    key(name), texts(values);
  }
  void member_number(std::string_view name, double value) { key(name), number(value); }

  /// Makes room for so many bytes of text.
  void reserve(std::size_t bytes) { out_.reserve(bytes); }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void open(char bracket);
  void close(char bracket);
  void begin_value();

  std::string out_;
  bool comma_ = false;  ///< before the next key or element
};

}  // namespace stallcast::codec
