#pragma once

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "calibration/measure/node_reader.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/text.hpp"
#include "stallcast/diagnostic.hpp"
#include "stallcast/units.hpp"

/// Records as JSON and back, from one description: a function
///   template <class Visitor> void describe(Visitor& at, Record& record) { at("key", record.key); }
/// names each member once. Absent values (empty texts and lists, zeros) are not written.
namespace stallcast::calibration {

using base::Json;

/// The enums of records: their names, in the order of their values.
template <class E>
struct EnumNames;

class RecordWriter {
 public:
  template <class T>
  void operator()(const char* key, const T& value) {
    if (said(value)) json_[key] = json_of(value);
  }
  /// For records and lists of them, which need not compare.
  template <class T>
  void records(const char* key, const std::vector<T>& list) {
    Json out = Json::array();
    for (const T& one : list) out.push_back(of(one));
    if (!out.empty()) json_[key] = std::move(out);
  }
  /// A number that says something at 0, too.
  void figure(const char* key, double value) { json_[key] = value; }
  /// A record that is always there.
  template <class T>
  void member(const char* key, const T& value) {
    json_[key] = of(value);
  }
  /// A record that may be absent; written when it is there, with or without content.
  template <class T>
  void record(const char* key, const std::optional<T>& value) {
    if (value) json_[key] = of(*value);
  }
  template <class T>
  [[nodiscard]] static Json of(const T& record) {
    RecordWriter writer;
    describe(writer, const_cast<T&>(record));  // NOLINT: one description for both directions
    return std::move(writer.json_);
  }

 private:
  /// An absent or empty value is not written; a truth value and a choice always are.
  template <class T>
  static bool said(const T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) return true;
    return !(value == T{});
  }
  template <class T>
  static Json json_of(const T& value) {
    if constexpr (std::is_enum_v<T>)
      return std::string(name_of(value));
    else
      return value;
  }
  template <class Tag>
  static Json json_of(const Quantity<Tag>& value) {
    return value.in(Unit<Tag>{1.0});
  }
  template <class T>
  static Json json_of(const std::optional<T>& value) {
    return json_of(*value);
  }
  template <class Tag>
  static Json json_of(const std::vector<Quantity<Tag>>& list) {
    Json out = Json::array();
    for (const Quantity<Tag>& value : list) out.push_back(json_of(value));
    return out;
  }
  template <class T>
  static Json json_of(const std::map<double, T>& map) {
    Json out = Json::object();
    for (const auto& [key, value] : map) out[Json(key).dump()] = json_of(value);
    return out;
  }

  Json json_ = Json::object();
};

/// Reads one object; faults go to the diagnostics with their places, and reading goes on.
class RecordReader : private NodeReader {
 public:
  RecordReader(const base::JsonDocument& document, const Json& object, std::string pointer,
               Diagnostics& diagnostics)
      : NodeReader(document, diagnostics), object_(object), pointer_(std::move(pointer)) {}

  /// Reads `object` into a fresh record; an unknown key is an error.
  template <class T>
  [[nodiscard]] static T read(const base::JsonDocument& document, const Json& object,
                              const std::string& pointer, Diagnostics& diagnostics) {
    T record;
    RecordReader reader(document, object, pointer, diagnostics);
    if (!object.is_object()) {
      reader.error("type", pointer, "this takes an object", "");
      return record;
    }
    describe(reader, record);
    reader.check_keys(object, pointer, reader.known_, "this object");
    return record;
  }

  template <class T>
  void operator()(const char* key, T& value) {
    if (const Json* found = find(key)) take(*found, pointer_ + base::pointer_token(key), value);
  }
  void figure(const char* key, double& value) { (*this)(key, value); }
  template <class T>
  void member(const char* key, T& value) {
    std::optional<T> found;
    record(key, found);
    if (found) value = std::move(*found);
  }
  template <class T>
  void record(const char* key, std::optional<T>& value) {
    if (const Json* found = find(key))
      value = read<T>(document_, *found, pointer_ + base::pointer_token(key), diagnostics_);
  }
  template <class T>
  void records(const char* key, std::vector<T>& list) {
    const Json* found = find(key);
    if (found == nullptr) return;
    const std::string at = pointer_ + base::pointer_token(key);
    if (!found->is_array()) return error("type", at, "this takes a list", "");
    for (std::size_t i = 0; i < found->size(); ++i)
      list.push_back(read<T>(document_, (*found)[i], at + base::pointer_token(i), diagnostics_));
  }

 private:
  const Json* find(const char* key) {
    known_.emplace_back(key);
    const auto it = object_.find(key);
    return it == object_.end() ? nullptr : &*it;
  }

  void take(const Json& json, const std::string& at, std::string& value);
  void take(const Json& json, const std::string& at, double& value);
  void take(const Json& json, const std::string& at, bool& value);
  template <std::integral T>
  void take(const Json& json, const std::string& at, T& value) {
    if (!json.is_number_integer() || (json.is_number_unsigned() == false && json < 0))
      return error("type", at, "this takes a whole number", "");
    value = json.get<T>();
  }
  template <class Tag>
  void take(const Json& json, const std::string& at, Quantity<Tag>& value) {
    double number = 0.0;
    take(json, at, number);
    value = Quantity<Tag>::from(number, Unit<Tag>{1.0});
  }
  template <class T>
  void take(const Json& json, const std::string& at, std::optional<T>& value) {
    take(json, at, value.emplace());
  }
  template <class T>
  void take(const Json& json, const std::string& at, std::vector<T>& value) {
    if (!json.is_array()) return error("type", at, "this takes a list", "");
    for (std::size_t i = 0; i < json.size(); ++i) {
      T element{};
      take(json[i], at + base::pointer_token(i), element);
      value.push_back(std::move(element));
    }
  }
  template <class T>
  void take(const Json& json, const std::string& at, std::map<std::string, T>& value) {
    if (!json.is_object()) return error("type", at, "this takes an object", "");
    for (const auto& [key, element] : json.items())
      take(element, at + base::pointer_token(key), value[key]);
  }
  template <class T>
  void take(const Json& json, const std::string& at, std::map<double, T>& value) {
    std::map<std::string, T> texts;
    take(json, at, texts);
    for (const auto& [key, element] : texts) {
      const std::optional<double> number = base::parse_number(key);
      if (!number)
        return error("type", at + base::pointer_token(key), "the key takes a number", "");
      value[*number] = element;
    }
  }
  template <class E>
  requires std::is_enum_v<E>
  void take(const Json& json, const std::string& at, E& value) {
    std::string text;
    take(json, at, text);
    std::vector<std::string> names;
    for (const E candidate : EnumNames<E>::values) {
      if (name_of(candidate) == text) {
        value = candidate;
        return;
      }
      names.emplace_back(name_of(candidate));
    }
    if (json.is_string())
      error("choice", at, "\"" + text + "\" is not known", "one of " + base::join(names, ", "));
  }

  const Json& object_;
  std::string pointer_;
  std::vector<std::string_view> known_;  ///< keys of the description
};

/// Reads a whole file of schema `schema` ("stallcast.profile/1"): an empty record with errors in
/// the diagnostics when it is another.
template <class T>
[[nodiscard]] T read_record_file(const std::string& text, const std::string& file,
                                 std::string_view schema, Diagnostics& diagnostics);

/// The document when it is of `schema`; its "schema" member is taken out.
[[nodiscard]] std::optional<base::JsonDocument> open_record_file(const std::string& text,
                                                                 const std::string& file,
                                                                 std::string_view schema,
                                                                 Diagnostics& diagnostics);

template <class T>
T read_record_file(const std::string& text, const std::string& file, std::string_view schema,
                   Diagnostics& diagnostics) {
  const auto document = open_record_file(text, file, schema, diagnostics);
  return document ? RecordReader::read<T>(*document, document->root, "", diagnostics) : T{};
}

/// `record` as indented JSON with its schema first. Bytes that are not UTF-8 are replaced.
template <class T>
[[nodiscard]] std::string write_record_file(const T& record, std::string_view schema) {
  Json out = Json::object();
  out["schema"] = std::string(schema);
  Json members = RecordWriter::of(record);  // large: taken, not copied
  for (auto& [key, value] : members.items()) out[key] = std::move(value);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stallcast::calibration
