#include "scenarios/questions/sweep_reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"

namespace stallcast::scenarios {
namespace {

constexpr std::string_view kRange[] = {"from", "to", "n", "scale", "step"};
constexpr std::string_view kModes = "product, zip, latin:64 or sobol:64";
constexpr std::string_view kExample =
    "write [16, 32, 64] or { \"from\": 16, \"to\": 64, \"n\": 4 }";

struct Written {
  double number = 0.0;
  std::string unit;
};

std::optional<Written> written(std::string_view text) {
  const auto read = base::leading_number(base::trim(text));
  if (!read) return std::nullopt;
  return Written{read->first, std::string(read->second)};
}

/// Both ends in one unit: that of the first, where it has the same dimension as the second's.
bool in_one_unit(Written& from, Written& to) {
  if (from.unit == to.unit) return true;
  const auto number = base::number_of_units(base::shortest(to.number) + " " + to.unit, from.unit);
  if (!number) return false;
  to = {*number, from.unit};
  return true;
}

/// The range between two texts, or what is wrong with it.
struct MadeRange {
  std::optional<SweepRange> range;
  std::string message, hint;
};

MadeRange make_range(const std::string& from_text, const std::string& to_text, bool log) {
  auto from = written(from_text), to = written(to_text);
  for (const auto& [end, text] : {std::pair{&from, &from_text}, {&to, &to_text}})
    if (!*end)
      return {std::nullopt, "\"" + *text + "\" is not a number and cannot be an end of a range",
              "list the values"};
  if (!in_one_unit(*from, *to))
    return {std::nullopt, "\"" + from_text + "\" and \"" + to_text + "\" differ in kind",
            "give both ends the same unit"};
  if (log && (!(from->number > 0.0) || !(to->number > 0.0)))
    return {std::nullopt, "equal ratios need ends above 0",
            "leave out the scale, or begin above 0"};
  SweepRange range;
  range.from = from->number;
  range.to = to->number;
  range.unit = from->unit;
  range.log = log;
  range.exact[0] = parse_setting(from_text);
  range.exact[1] = parse_setting(to_text);
  return {range, "", ""};
}

/// A value of the file as `--set` takes it.
std::string as_set(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

class Reader {
 public:
  Reader(std::span<const Parameter> params, Reporter& report,
         std::span<const std::string_view> keys)
      : params_(params), report_(report), keys_(keys) {}

  SweepSpec read(const Tree& tree) {
    const Json* sweep = find(tree.root, "/sweep");
    if (sweep == nullptr || sweep->is_null()) return {};
    if (!sweep->is_object()) {
      report_.error("type", "/sweep", "\"sweep\" is an object of paths and values",
                    "write { \"storage.ost.count\": [16, 32, 64] }");
      return {};
    }
    spec_.mode_pointer = "/sweep";  // what is wrong with all values together
    spec_.mode_position = report_.place("/sweep");
    for (const auto& [path, values] : sweep->items()) {
      const std::string at = "/sweep" + base::pointer_token(path);
      if (path.starts_with("x-") || values.is_null()) continue;
      if (path == "mode")
        read_mode(at, values);
      else if (std::optional<SweepAxis> axis = read_axis(at, path, values, "sweeps over"))
        spec_.axes.push_back(*std::move(axis));
    }
    return std::move(spec_);
  }

  std::optional<SweepAxis> read_axis(const std::string& at, const std::string& path,
                                     const Json& values, std::string_view verb) {
    const auto parameter = std::ranges::find(params_, path, &Parameter::name);
    const bool is_parameter = parameter != params_.end();
    SweepAxis axis;
    axis.path = is_parameter ? "params." + path : path;
    axis.pointer = at;
    axis.position = report_.place(at);
    if (values.is_object()) {
      axis.range = read_range(at, path, values);
      if (!axis.range) return std::nullopt;
      // A parameter may say itself which values it takes, in a unit of its own.
      if (is_parameter && parameter->step && axis.range->step == 0.0) {
        Written from{axis.range->from, axis.range->unit}, step{*parameter->step, parameter->unit};
        if (in_one_unit(from, step)) axis.range->step = step.number;
      }
    } else if (values.is_array() && !values.empty()) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string item = at + base::pointer_token(i);
        axis.values.push_back({parse_setting(as_set(values[i])), item, report_.place(item)});
      }
    } else {
      report_.error("type", at,
                    "\"" + path + "\" " + std::string(verb) + " a list of values or a range",
                    std::string(kExample));
      return std::nullopt;
    }
    return axis;
  }

 private:
  void read_mode(const std::string& at, const Json& mode) {
    if (!mode.is_string() || !set_mode(mode.get<std::string>(), spec_))
      report_.error("type", at, "\"mode\" is " + std::string(kModes));
    spec_.mode_pointer = at;
    spec_.mode_position = report_.place(at);
  }

  std::optional<SweepRange> read_range(const std::string& at, const std::string& path,
                                       const Json& range) {
    check_keys(range, at, keys_, "the range of \"" + path + "\"", report_);
    for (const char* key : {"from", "to"})
      if (!range.contains(key) || range[key].is_null()) {
        report_.error("missing", at, "the range of \"" + path + "\" has no \"" + key + "\"",
                      "write { \"from\": 16, \"to\": 64, \"n\": 4 }");
        return std::nullopt;
      }
    const auto given = [&](const char* key) {
      const auto found = range.find(key);
      return found == range.end() || found->is_null() ? nullptr : &*found;
    };
    const Json* said = given("scale");
    const Json scale = said == nullptr ? Json("lin") : *said;
    if (scale != "lin" && scale != "log") {
      report_.error("choice", at + "/scale", "\"scale\" is lin or log");
      return std::nullopt;
    }
    MadeRange made = make_range(as_set(range["from"]), as_set(range["to"]), scale == "log");
    if (!made.range) {
      report_.error("sweep", at, made.message, made.hint);
      return std::nullopt;
    }
    if (const Json* n = given("n")) {
      if (!n->is_number_integer() || n->get<std::int64_t>() < 1) {
        report_.error("type", at + "/n", "\"n\" is a whole number of at least 1");
        return std::nullopt;
      }
      made.range->n = n->get<std::int64_t>();
    }
    if (const Json* step = given("step")) {
      if (!step->is_number() || !(step->get<double>() > 0.0)) {
        report_.error("type", at + "/step",
                      "\"step\" is a number above 0, in the unit of \"from\"");
        return std::nullopt;
      }
      made.range->step = step->get<double>();
    }
    return made.range;
  }

  std::span<const Parameter> params_;
  Reporter& report_;
  std::span<const std::string_view> keys_;  ///< of a range
  SweepSpec spec_;
};

/// "a,[b,c],\"d,e\"" as three texts.
std::vector<std::string> separated(std::string_view text) {
  std::vector<std::string> out(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && !quoted && depth == 0)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

/// The range of "16..64:4:log", or what is wrong with it.
MadeRange range_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  std::vector<std::string> parts = base::split(text.substr(dots + 2), ':');
  bool log = false;
  if (parts.size() > 1 && (parts.back() == "log" || parts.back() == "lin")) {
    log = parts.back() == "log";
    parts.pop_back();
  }
  std::int64_t n = 0;
  if (parts.size() > 2)
    return {std::nullopt, "\"" + text + "\" is not a range", "write from..to:n or from..to:n:log"};
  if (parts.size() == 2) {
    const auto end = std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), n);
    if (end.ec != std::errc{} || end.ptr != parts[1].data() + parts[1].size() || n < 1)
      return {std::nullopt, "\"" + parts[1] + "\" is not a number of values",
              "write from..to:n or from..to:n:log"};
  }
  MadeRange made = make_range(std::string(base::trim(std::string_view(text).substr(0, dots))),
                              std::string(base::trim(parts[0])), log);
  if (made.range) made.range->n = n;
  return made;
}

}  // namespace

SweepSpec read_sweep(const Tree& tree, std::span<const Parameter> params, Reporter& report) {
  return Reader(params, report, kRange).read(tree);
}

std::optional<SweepAxis> read_axis(std::span<const Parameter> params, Reporter& report,
                                   const std::string& at, const std::string& path,
                                   const Json& values, std::span<const std::string_view> more) {
  std::vector<std::string_view> keys(std::begin(kRange), std::end(kRange));
  keys.insert(keys.end(), more.begin(), more.end());
  return Reader(params, report, keys).read_axis(at, path, values, "takes");
}

std::optional<SweepAxis> axis_of(const std::string& option, const std::string& what,
                                 Diagnostics& diags) {
  const Position position{what + " " + option, 0, 0};
  const auto fault = [&](std::string message, std::string hint) {
    diags.add({Severity::error, "vary", "", position, std::move(message), std::move(hint)});
    return std::nullopt;
  };
  const std::size_t equals = option.find('=');
  SweepAxis axis;
  axis.path = base::trim(std::string_view(option).substr(0, equals));
  axis.position = position;
  if (equals == std::string::npos || axis.path.empty() || equals + 1 == option.size())
    return fault(
        "\"" + option + "\" is not path=values",
        "write " + what + " storage.ost.count=16,32,64 or " + what + " storage.ost.count=16..64:4");
  const std::string text = option.substr(equals + 1);
  if (text.find("..") != std::string::npos && text.find(',') == std::string::npos) {
    MadeRange made = range_of(text);
    if (!made.range) return fault(made.message, made.hint);
    axis.range = made.range;
  } else {
    for (const std::string& value : separated(text)) {
      if (base::trim(value).empty())
        return fault("a value of \"" + option + "\" is empty", "write a,b,c");
      axis.values.push_back({parse_setting(value), "", position});
    }
  }
  return axis;
}

void add_vary(const std::string& option, SweepSpec& spec, Diagnostics& diags) {
  std::optional<SweepAxis> axis = axis_of(option, "--vary", diags);
  if (!axis) return;
  const auto same = std::find_if(spec.axes.begin(), spec.axes.end(),
                                 [&](const SweepAxis& a) { return a.path == axis->path; });
  if (same != spec.axes.end())
    *same = *std::move(axis);
  else
    spec.axes.push_back(*std::move(axis));
}

bool set_mode(const std::string& text, SweepSpec& spec) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const bool samples = name == "latin" || name == "sobol";
  if (!samples) {
    if (colon != std::string::npos || (name != "product" && name != "zip")) return false;
    spec.mode = name == "zip" ? SweepMode::zip : SweepMode::product;
    spec.samples = 0;
    return true;
  }
  std::int64_t n = 0;
  const char* end = text.data() + text.size();
  if (colon == std::string::npos) return false;
  if (const auto read = std::from_chars(text.data() + colon + 1, end, n);
      read.ec != std::errc{} || read.ptr != end || n < 1)
    return false;
  spec.mode = name == "latin" ? SweepMode::latin : SweepMode::sobol;
  spec.samples = n;
  return true;
}

}  // namespace stallcast::scenarios
