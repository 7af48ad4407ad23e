#include "engine/runtime/codec/protocol.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "engine/runtime/codec/json_parts.hpp"
#include "engine/runtime/codec/json_text.hpp"
#include "engine/runtime/codec/timeline_codec.hpp"

namespace stallcast::codec {
namespace {

using detail::Json;

/// A member that an int holds. Throws Malformed where it is none.
int member_int(const Json& object, const char* key) {
  const std::uint64_t number = detail::member_unsigned(object, key);
  if (!std::in_range<int>(number)) throw detail::Malformed(std::string(key) + " is too large");
  return static_cast<int>(number);
}

WorkerMessage::Type type_of(std::string_view name) {
  using Type = WorkerMessage::Type;
  constexpr std::array<std::pair<std::string_view, Type>, 5> kTypes = {
      {{"hello", Type::hello},
       {"progress", Type::progress},
       {"result", Type::result},
       {"timeline", Type::timeline},
       {"failed", Type::failed}}};
  for (const auto& [known, type] : kTypes)
    if (known == name) return type;
  return Type::other;
}

/// The id that a request begins with, as those of `encode` do, whatever follows.
std::optional<std::uint64_t> leading_id(std::string_view line) {
  constexpr std::string_view kBegin = "{\"id\":";
  if (!line.starts_with(kBegin)) return std::nullopt;
  std::uint64_t id = 0;
  const auto [end, error] =
      std::from_chars(line.data() + kBegin.size(), line.data() + line.size(), id);
  if (error != std::errc{} || end == line.data() + line.size() || *end != ',') return std::nullopt;
  return id;
}

std::string encoded(const std::vector<std::string>& texts) {
  JsonText out;
  out.texts(texts);
  return out.take();
}

Result<Recording> recording_of(const Json& request) {
  const Result<TimelineRequest> what =
      detail::timeline_request_of(detail::member(request, "record"));
  if (!what.ok()) return what.failure();
  return detail::read_as("request for a timeline", request, "", [&](const Json&) {
    Recording out{.what = what.value()};
    if (request.find("presumed") != nullptr)
      out.presumed = detail::member_texts(request, "presumed");
    return out;
  });
}

}  // namespace

std::string request_line(std::uint64_t id, std::uint64_t seed, std::string_view design,
                         const std::optional<Recording>& record) {
  std::string line = "{\"id\":" + std::to_string(id) + ",\"seed\":" + std::to_string(seed);
  if (record) line.append(",\"record\":").append(detail::encode(record->what));
  if (record && record->presumed) line.append(",\"presumed\":").append(encoded(*record->presumed));
  return line.append(",\"design\":").append(design).append("}");
}

WorkerRequest read_request(std::string_view line) {
  const std::optional<base::FlatJson> json = base::FlatJson::read(line);
  const auto find = [&json](const char* key, bool (Json::*is)() const) {
    const Json* member = json ? json->root().find(key) : nullptr;
    return member != nullptr && (member->*is)() ? member : nullptr;
  };
  WorkerRequest request{
      std::nullopt, 0,
      Failure{ExitCode::bad_input, "a request is one line {\"id\":n,\"seed\":n,\"design\":{...}}",
              ""}};
  const Json *id = find("id", &Json::is_whole), *seed = find("seed", &Json::is_whole);
  const Json* design = find("design", &Json::is_object);
  if (id == nullptr) return request;
  request.id = leading_id(line).value_or(id->whole());
  if (seed == nullptr || design == nullptr) return request;
  request.seed = seed->whole();
  if (json->root().find("record") != nullptr) {
    Result<Recording> record = recording_of(json->root());
    if (!record.ok()) {
      request.design = record.failure();
      return request;
    }
    request.record = std::move(record).value();
  }
  request.design = detail::design_of(*design);
  return request;
}

std::optional<std::uint64_t> request_id(std::string_view line) {
  const std::optional<std::uint64_t> id = leading_id(line);
  return id ? id : read_request(line).id;
}

std::optional<WorkerMessage> read_message(std::string_view line) {
  const std::optional<base::FlatJson> read = base::FlatJson::read(line);
  if (!read) return std::nullopt;
  const Json& json = read->root();
  const auto text_or = [&json](const char* key, const char* other) {
    return json.find(key) != nullptr ? detail::member_text(json, key) : std::string(other);
  };
  try {
    WorkerMessage message;
    message.type = type_of(detail::member_view(json, "type"));
    switch (message.type) {
      case WorkerMessage::Type::hello:
        message.protocol = member_int(json, "protocol");
        message.sandbox = text_or("sandbox", "none: an older worker");
        return message;
      case WorkerMessage::Type::progress:
        message.fraction = detail::member_number(json, "fraction");
        break;
      case WorkerMessage::Type::result:
        message.result = detail::run_result_of(detail::member(json, "result"));
        break;
      case WorkerMessage::Type::timeline:
        message.timeline = detail::timeline_of(detail::member(json, "timeline"));
        break;
      case WorkerMessage::Type::failed:
        message.reason = text_or("reason", "");
        if (json.find("signal") != nullptr) message.signal = member_int(json, "signal");
        message.message = text_or("message", "");
        break;
      case WorkerMessage::Type::other:
        return message;
    }
    message.id = detail::member_unsigned(json, "id");
    return message;
  } catch (const detail::Malformed&) {
    return std::nullopt;
  }
}

}  // namespace stallcast::codec
