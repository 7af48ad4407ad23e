#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// JSON that programs write to each other, read into one array of values that point into its text:
/// a fifth of the instructions of a tree of nlohmann/json, which takes memory for each text and
/// each member, and looks for each key. What people write is read by jsonc.hpp, which says where a
/// fault is.
namespace stallcast::base {

/// A value and what is in it; lives as long as its FlatJson and the text that was read.
class FlatValue {
 public:
  enum class Kind : std::uint8_t { null, boolean, whole, number, text, array, object };

  [[nodiscard]] bool is_boolean() const { return kind_ == Kind::boolean; }
  /// A whole number from 0 on that 64 bits hold, written as one.
  [[nodiscard]] bool is_whole() const { return kind_ == Kind::whole; }
  [[nodiscard]] bool is_number() const { return kind_ == Kind::whole || kind_ == Kind::number; }
  [[nodiscard]] bool is_text() const { return kind_ == Kind::text; }
  [[nodiscard]] bool is_array() const { return kind_ == Kind::array; }
  [[nodiscard]] bool is_object() const { return kind_ == Kind::object; }
  [[nodiscard]] bool is_null() const { return kind_ == Kind::null; }

  // Of a value of that kind:
  [[nodiscard]] bool boolean() const { return whole_ != 0; }
  [[nodiscard]] std::uint64_t whole() const { return whole_; }
  [[nodiscard]] double number() const {
    return kind_ == Kind::whole ? static_cast<double>(whole_) : number_;
  }
  [[nodiscard]] std::string_view text() const { return {begin_, count_}; }
  /// Elements of an array, members of an object.
  [[nodiscard]] std::size_t size() const { return count_; }

  class Iterator {
   public:
    using value_type = FlatValue;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(const FlatValue* at) : at_(at) {}
    const FlatValue& operator*() const { return *at_; }
    const FlatValue* operator->() const { return at_; }
    Iterator& operator++() { return at_ += at_->span_, *this; }
    Iterator operator++(int) {
      const Iterator old = *this;
      ++*this;
      return old;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const FlatValue* at_ = nullptr;
  };
  /// Of an array, its elements; of an object, each key and then its value.
  [[nodiscard]] Iterator begin() const { return Iterator(this + 1); }
  [[nodiscard]] Iterator end() const { return Iterator(this + span_); }

  /// The first member with that key; nullptr where there is none, also of what is no object.
  [[nodiscard]] const FlatValue* find(std::string_view key) const;
  /// Calls `action(key, value)` for each member of an object, as they come.
  template <class Action>
  void each_member(const Action& action) const {
    for (Iterator at = begin(); at != end(); ++at) {
      const std::string_view key = at->text();
      ++at;
      action(key, *at);
    }
  }

 private:
  friend class FlatReader;

  union {
    std::uint64_t whole_ = 0;
    double number_;
    const char* begin_;
  };
  std::uint32_t count_ = 0;
  std::uint32_t span_ = 1;  ///< values up to the end of this one, itself included
  Kind kind_ = Kind::null;
};

class FlatJson {
 public:
  /// nullopt where `text`, which must outlive what is read, is no JSON in UTF-8, or nested deeper
  /// than 200 levels.
  [[nodiscard]] static std::optional<FlatJson> read(std::string_view text);
  [[nodiscard]] const FlatValue& root() const { return values_.front(); }

 private:
  friend class FlatReader;
  std::vector<FlatValue> values_;
  std::deque<std::string> unescaped_;
};

}  // namespace stallcast::base
