#include "engine/runtime/codec/protocol.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "engine/runtime/codec/json_parts.hpp"
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

WorkerMessage::Type type_of(const std::string& name) {
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

Result<Recording> recording_of(const Json& request) {
  const Result<TimelineRequest> what = detail::timeline_request_of(request["record"]);
  if (!what.ok()) return what.failure();
  Recording out{.what = what.value()};
  try {
    if (request.contains("presumed")) out.presumed = detail::member_texts(request, "presumed");
  } catch (const detail::Malformed& error) {
    return detail::malformed("request for a timeline", error);
  }
  return out;
}

}  // namespace

std::string request_line(std::uint64_t id, std::uint64_t seed, std::string_view design,
                         const std::optional<Recording>& record) {
  std::string line = "{\"id\":" + std::to_string(id) + ",\"seed\":" + std::to_string(seed);
  if (record) line.append(",\"record\":").append(detail::encode(record->what));
  if (record && record->presumed)
    line.append(",\"presumed\":").append(detail::dump(*record->presumed));
  return line.append(",\"design\":").append(design).append("}");
}

WorkerRequest read_request(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  const auto has = [&json](const char* key, bool (Json::*is)() const noexcept) {
    return json.is_object() && json.contains(key) && (json.at(key).*is)();
  };
  WorkerRequest request{
      std::nullopt, 0,
      Failure{ExitCode::bad_input, "a request is one line {\"id\":n,\"seed\":n,\"design\":{...}}",
              ""}};
  if (!has("id", &Json::is_number_unsigned)) return request;
  request.id = leading_id(line).value_or(json["id"].get<std::uint64_t>());
  if (!has("seed", &Json::is_number_unsigned) || !has("design", &Json::is_object)) return request;
  request.seed = json["seed"].get<std::uint64_t>();
  if (json.contains("record")) {
    Result<Recording> record = recording_of(json);
    if (!record.ok()) {
      request.design = record.failure();
      return request;
    }
    request.record = std::move(record).value();
  }
  request.design = detail::design_of(json["design"]);
  return request;
}

std::optional<std::uint64_t> request_id(std::string_view line) {
  const std::optional<std::uint64_t> id = leading_id(line);
  return id ? id : read_request(line).id;
}

std::optional<WorkerMessage> read_message(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("type")) return std::nullopt;
  try {
    WorkerMessage message;
    message.type = type_of(json.at("type").get<std::string>());
    switch (message.type) {
      case WorkerMessage::Type::hello:
        message.protocol = member_int(json, "protocol");
        message.sandbox = json.value("sandbox", "none: an older worker");
        return message;
      case WorkerMessage::Type::progress:
        message.fraction = json.at("fraction").get<double>();
        break;
      case WorkerMessage::Type::result:
        message.result = detail::run_result_of(json.at("result"));
        break;
      case WorkerMessage::Type::timeline:
        message.timeline = detail::timeline_of(json.at("timeline"));
        break;
      case WorkerMessage::Type::failed:
        message.reason = json.value("reason", "");
        if (json.contains("signal")) message.signal = member_int(json, "signal");
        message.message = json.value("message", "");
        break;
      case WorkerMessage::Type::other:
        return message;
    }
    message.id = detail::member_unsigned(json, "id");
    return message;
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const detail::Malformed&) {
    return std::nullopt;
  }
}

}  // namespace stallcast::codec
