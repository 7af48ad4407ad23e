#include "calibration/observe/json_walk.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <istream>
#include <nlohmann/json.hpp>

#include "engine/base/text.hpp"

namespace stallcast::calibration {

/// What nlohmann/json calls while it reads.
class JsonWalk {
 public:
  explicit JsonWalk(JsonVisitor& visitor, const TraceFile* file = nullptr)
      : visitor_(visitor), file_(file) {}
  using Sax = nlohmann::json;

  bool null() { return scalar({}); }
  bool boolean(bool value) { return scalar({JsonScalar::Kind::other, {}, 0, 0.0, value}); }
  bool number_integer(std::int64_t value) {
    return scalar({JsonScalar::Kind::integer, {}, value, static_cast<double>(value), false});
  }
  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(INT64_MAX))
      return scalar({JsonScalar::Kind::real, {}, 0, static_cast<double>(value), false});
    return number_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& text) {
    return scalar({JsonScalar::Kind::real, text, 0, value, false});
  }
  bool string(std::string& text) { return scalar({JsonScalar::Kind::text, text, 0, 0.0, false}); }
  bool binary(Sax::binary_t&) { return true; }
  bool start_object(std::size_t) { return open(); }
  bool key(std::string& name) {
    visitor_.keys_[depth_] = name;
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& e) {
    byte = position;
    message = e.what();
    return false;
  }

  std::size_t byte = 0;
  std::string message;

 private:
  bool open() {
    if (depth_ >= kDeepest) {
      message = "it is nested deeper than 512 levels";
      return false;
    }
    visitor_.enter(depth_);
    ++depth_;
    if (visitor_.keys_.size() <= depth_) visitor_.keys_.resize(depth_ + 1);
    visitor_.keys_[depth_].clear();
    return true;
  }
  bool close() {
    --depth_;
    visitor_.leave(depth_);
    return true;
  }
  bool scalar(const JsonScalar& value) {
    // A number at the end of a cut text may have had more digits.
    if (file_ != nullptr && file_->asked_beyond()) return false;
    visitor_.value(depth_, value);
    return true;
  }

  static constexpr std::size_t kDeepest = 512;
  JsonVisitor& visitor_;
  const TraceFile* file_;
  std::size_t depth_ = 0;
};

namespace {

/// "parse error at line 3, column 5: syntax error while ...": line, column, and the rest.
struct ParseFault {
  std::uint64_t line = 0;
  std::size_t column = 0;
  std::string what;
};
ParseFault parse_fault(const std::string& message) {
  ParseFault fault;
  const std::size_t at = message.find("at line ");
  unsigned long long line = 0, column = 0;
  int used = 0;
  if (at != std::string::npos && std::sscanf(message.c_str() + at, "at line %llu, column %llu: %n",
                                             &line, &column, &used) >= 2) {
    fault.line = line;
    fault.column = static_cast<std::size_t>(column);
    fault.what = message.substr(at + static_cast<std::size_t>(used));
  } else {
    fault.what = message;
  }
  if (fault.what.size() > 120) fault.what = fault.what.substr(0, 120) + "...";
  for (char& c : fault.what)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return fault;
}

}  // namespace

void walk_json(TraceFile& file, JsonVisitor& visitor) { walk_json(file, file.bytes(), visitor); }

void walk_json(TraceFile& file, std::streambuf& content, JsonVisitor& visitor) {
  JsonWalk walk(visitor, &file);
  std::istream stream(&content);
  if (nlohmann::json::sax_parse(stream, &walk)) return;
  if (file.at_end())
    return file.cut("byte " + std::to_string(file.position()) +
                    " of the content: the JSON text ends too early");
  ParseFault fault = parse_fault(walk.message);
  if (fault.line == 0)
    fault.what += ", at byte " + std::to_string(file.position()) + " of the content";
  file.error("syntax", fault.line, fault.column, "this is not JSON: " + fault.what,
             "was the file changed, or written by two at once?");
}

std::optional<JsonFault> walk_json(std::string_view line, JsonVisitor& visitor) {
  JsonWalk walk(visitor);
  if (nlohmann::json::sax_parse(line.begin(), line.end(), &walk)) return std::nullopt;
  return JsonFault{walk.byte, walk.byte > line.size(), parse_fault(walk.message).what};
}

void EventFields::add(std::string_view key, bool in_args, const JsonScalar& scalar) {
  if (used_ == fields_.size()) fields_.emplace_back();
  Field& field = fields_[used_++];
  field.key = key;
  field.in_args = in_args;
  field.kind = scalar.kind;
  field.text = scalar.text;
  field.integer = scalar.integer;
  field.number = scalar.number;
  if (scalar.kind == JsonScalar::Kind::integer) field.text = std::to_string(scalar.integer);
}

const EventFields::Field* EventFields::find(std::string_view key, bool in_args) const {
  for (std::size_t i = 0; i < used_; ++i)
    if (fields_[i].in_args == in_args && fields_[i].key == key) return &fields_[i];
  return nullptr;
}

std::string_view EventFields::text(std::string_view key, bool in_args) const {
  const Field* field = find(key, in_args);
  return field == nullptr ? std::string_view() : std::string_view(field->text);
}

bool EventFields::is_text(std::string_view key) const {
  const Field* field = find(key, false);
  return field != nullptr && field->kind == JsonScalar::Kind::text;
}

std::optional<std::int64_t> EventFields::integer(std::string_view key, bool in_args) const {
  const Field* field = find(key, in_args);
  if (field == nullptr) return std::nullopt;
  if (field->kind == JsonScalar::Kind::integer) return field->integer;
  std::int64_t value = 0;
  const char* end = field->text.data() + field->text.size();
  const auto [stop, error] = std::from_chars(field->text.data(), end, value);
  if (error == std::errc() && stop == end) return value;
  if (field->kind == JsonScalar::Kind::real && field->number == std::floor(field->number) &&
      std::abs(field->number) < 9e15)
    return static_cast<std::int64_t>(field->number);
  return std::nullopt;
}

std::optional<double> EventFields::number(std::string_view key, bool in_args) const {
  const Field* field = find(key, in_args);
  if (field == nullptr) return std::nullopt;
  if (field->kind == JsonScalar::Kind::integer || field->kind == JsonScalar::Kind::real)
    return field->number;
  return base::parse_number(field->text);
}

std::optional<std::int64_t> EventFields::microseconds(std::string_view key) const {
  const Field* field = find(key, false);
  return field == nullptr ? std::nullopt : nanoseconds_of(field->text);
}

std::optional<std::int64_t> nanoseconds_of(std::string_view text) {
  constexpr std::int64_t kMost = 9'000'000'000'000'000;  // beyond, nanoseconds leave 64 bits
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, whole);
  if (error != std::errc() || whole > kMost || whole < -kMost) return std::nullopt;
  std::int64_t part = 0;
  if (stop != end) {
    if (*stop != '.') {  // an exponent
      const std::optional<double> number = base::parse_number(text);
      if (!number || !(std::abs(*number) < static_cast<double>(kMost))) return std::nullopt;
      return std::llround(*number * 1e3);
    }
    const char* digit = stop + 1;
    for (std::int64_t scale = 100; digit != end && base::is_digit(*digit); ++digit, scale /= 10)
      part += scale * (*digit - '0');
    if (digit != end) {
      const std::optional<double> number = base::parse_number(text);
      if (!number || !(std::abs(*number) < static_cast<double>(kMost))) return std::nullopt;
      return std::llround(*number * 1e3);
    }
  }
  return whole * 1000 + (text.front() == '-' ? -part : part);
}

}  // namespace stallcast::calibration
