#include <cassert>
#include <mutex>
#include <unordered_map>

#include "scenarios/resolve/component_reader.hpp"

namespace stallcast::scenarios {
namespace {

std::optional<Range> range_of(const base::FieldInfo& field) {
  if (field.limits.low.empty()) return std::nullopt;
  const std::optional<Value> low = value_of_text(field, field.limits.low);
  const std::optional<Value> high = value_of_text(field, field.limits.high);
  assert(low && high && "registry_test.cpp reads every range");
  return Range{low->number, high->number, std::string(field.limits.range_source)};
}

Value read_default(const base::FieldInfo& field) {
  std::optional<Value> value = value_of_text(field, field.fallback);
  assert(value && "registry_test.cpp reads every default");
  value->source = {Source::Kind::default_value, "default", std::string(field.limits.source),
                   field.limits.assumption};
  value->range = range_of(field);
  return *std::move(value);
}

}  // namespace

// A sweep asks for each of them at each of its points.
const Value* default_value(const base::FieldInfo& field) {
  if (field.required() || field.optional()) return nullptr;
  static std::mutex mutex;
  static std::unordered_map<const base::FieldInfo*, Value> read;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [at, fresh] = read.try_emplace(&field);
  if (fresh) at->second = read_default(field);
  return &at->second;
}

}  // namespace stallcast::scenarios
