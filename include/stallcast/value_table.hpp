#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "stallcast/value.hpp"

namespace stallcast {

/// Values by key, as a map has them. Copies share them until one of them may change: designs are
/// copied and altered in a value or two, points of a sweep above all.
class ValueTable {
 public:
  using Map = std::map<std::string, Value, std::less<>>;
  using value_type = Map::value_type;
  using iterator = Map::iterator;
  using const_iterator = Map::const_iterator;

  ValueTable() = default;
  explicit ValueTable(Map values) : values_(std::make_shared<Map>(std::move(values))) {}
  ValueTable(const ValueTable& other)
      : values_(other.lent_ ? std::make_shared<Map>(*other.values_) : other.values_) {}
  ValueTable(ValueTable&& other) noexcept
      : values_(std::move(other.values_)), lent_(std::exchange(other.lent_, false)) {}
  ValueTable& operator=(ValueTable other) noexcept {
    values_ = std::move(other.values_);
    lent_ = other.lent_;
    return *this;
  }
  ~ValueTable() = default;

  [[nodiscard]] const_iterator begin() const { return all().begin(); }
  [[nodiscard]] const_iterator end() const { return all().end(); }
  [[nodiscard]] std::size_t size() const { return all().size(); }
  [[nodiscard]] bool empty() const { return all().empty(); }
  [[nodiscard]] const_iterator find(std::string_view key) const { return all().find(key); }
  [[nodiscard]] bool contains(std::string_view key) const { return all().contains(key); }
  [[nodiscard]] const Value& at(const std::string& key) const { return all().at(key); }
  /// Whether nothing was changed since one was made of the other.
  [[nodiscard]] bool shares(const ValueTable& other) const { return values_ == other.values_; }

  // What may change it:
  iterator begin() { return own().begin(); }
  iterator end() { return own().end(); }
  iterator find(std::string_view key) { return own().find(key); }
  iterator lower_bound(std::string_view key) { return own().lower_bound(key); }
  Value& at(const std::string& key) { return own().at(key); }
  Value& operator[](const std::string& key) { return own()[key]; }
  void insert_or_assign(std::string key, Value value) {
    own().insert_or_assign(std::move(key), std::move(value));
  }
  void emplace(std::string_view key, Value value) { own().emplace(key, std::move(value)); }
  void emplace_hint(const_iterator hint, std::string_view key, Value value) {
    own().emplace_hint(hint, key, std::move(value));
  }
  void erase(std::string_view key) {
    if (const auto at = own().find(key); at != own().end()) own().erase(at);
  }
  template <class Condition>
  void erase_if(const Condition& condition) {
    std::erase_if(own(), condition);
  }

 private:
  [[nodiscard]] const Map& all() const {
    static const Map kNone;
    return values_ ? *values_ : kNone;
  }
  /// Nobody else's from here on, also not of copies: whoever asked may keep a reference.
  Map& own() {
    if (!values_)
      values_ = std::make_shared<Map>();
    else if (values_.use_count() > 1)
      values_ = std::make_shared<Map>(*values_);
    else
      std::atomic_thread_fence(std::memory_order_acquire);  // others are done with it
    lent_ = true;
    return *values_;
  }

  std::shared_ptr<Map> values_;  ///< none: empty
  bool lent_ = false;            ///< somebody may hold what changes it
};

}  // namespace stallcast
