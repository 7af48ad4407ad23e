#include "scenarios/questions/growth_reader.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/questions/plan_reader.hpp"

namespace stallcast::scenarios {
namespace {

constexpr double kLongest = 240.0;  // months: 20 years

constexpr std::array kGrowthFields = {
    base::FieldInfo{"months", Dimension::count, "36", "how far `stallcast grow` looks",
                    base::up_to(kLongest, base::assumed(base::kAtLeastOne))},
    base::FieldInfo{"every", Dimension::count, "3",
                    "months from one simulation to the next; where a target changes between two "
                    "of them, the months between are simulated as well",
                    base::up_to(kLongest, base::assumed(base::kAtLeastOne))}};

/// "4 %" and 12 of "4 %/year".
struct PerTime {
  std::string_view amount;
  double months = 1.0;
};

std::optional<PerTime> per_time(std::string_view text) {
  constexpr std::pair<std::string_view, double> kPeriods[] = {
      {"month", 1.0}, {"quarter", 3.0}, {"year", 12.0}};
  text = base::trim(text);
  for (const auto& [name, months] : kPeriods) {
    if (!text.ends_with(name)) continue;
    std::string_view rest = base::trim(text.substr(0, text.size() - name.size()));
    for (const std::string_view joint : {"/", " per", " a"})
      if (rest.ends_with(joint))
        return PerTime{base::trim(rest.substr(0, rest.size() - joint.size())), months};
  }
  return std::nullopt;
}

/// False for what is no trend.
bool read_trend(std::string_view text, GrowthTrend& out) {
  const std::optional<PerTime> said = per_time(text);
  if (!said || said->amount.empty()) return false;
  std::string_view amount = said->amount;
  const auto grow = [&](std::optional<double> factor) {
    if (!factor || !(*factor > 0.0) || !std::isfinite(*factor)) return false;
    out.factor = std::pow(*factor, 1.0 / said->months);
    return true;
  };
  if (amount.front() == 'x') return grow(base::parse_number(base::trim(amount.substr(1))));
  const bool less = amount.front() == '-', is_signed = less || amount.front() == '+';
  if (is_signed) amount = base::trim(amount.substr(1));
  if (amount.ends_with('%')) {
    const auto share = base::parse_number(base::trim(amount.substr(0, amount.size() - 1)));
    if (!share) return false;
    return grow(1.0 + (less ? -1.0 : 1.0) * *share / 100.0);
  }
  if (!is_signed || amount.empty()) return false;
  out.added = (less ? "-" : "") + std::string(amount);
  out.months = said->months;
  return true;
}

class GrowthReader {
 public:
  GrowthReader(ReadContext& context, std::span<const Parameter> params)
      : context_(context), params_(params) {}

  GrowthSpec read() {
    const Json* growth = find(context_.tree.root, "/growth");
    if (growth == nullptr || growth->is_null()) return {};
    if (!growth->is_object()) {
      report().error("type", "/growth",
                     "\"growth\" is an object, not " + std::string(type_name(*growth)),
                     R"(write { "of": { "jobs.train.dataset.size": "4 %/month" } })");
      return {};
    }
    std::vector<std::string_view> keys{"of"};
    for (const base::FieldInfo& field : kGrowthFields) keys.push_back(field.key);
    check_keys(*growth, "/growth", keys, "\"growth\"", report());
    read_count(kGrowthFields[0], *growth, out_.months);
    read_count(kGrowthFields[1], *growth, out_.every);
    if (const auto of = growth->find("of"); of != growth->end() && !of->is_null()) read_of(*of);
    return std::move(out_);
  }

 private:
  Reporter& report() { return context_.report; }

  void read_count(const base::FieldInfo& field, const Json& growth, int& to) {
    const auto node = growth.find(std::string(field.key));
    if (node == growth.end() || node->is_null()) return;
    const std::string at = "/growth/" + std::string(field.key);
    warn_deprecated(field, at, report());
    if (const auto value = read_value(context_, field, at, *node))
      to = static_cast<int>(value->number);
  }

  void read_of(const Json& of) {
    if (!of.is_object()) {
      report().error("type", "/growth/of", "\"of\" is an object of paths and how they grow",
                     R"(write { "jobs.train.dataset.size": "4 %/month" })");
      return;
    }
    for (const auto& [path, how] : of.items()) {
      if (path.starts_with("x-") || how.is_null()) continue;
      GrowthTrend trend;
      trend.path = parameter_path(path, params_);
      trend.pointer = "/growth/of" + base::pointer_token(path);
      trend.position = report().place(trend.pointer);
      if (how.is_object() ? read_steps(how, trend) : read_text_of(how, trend))
        out_.trends.push_back(std::move(trend));
    }
  }

  bool read_text_of(const Json& how, GrowthTrend& trend) {
    if (how.is_string()) trend.written = how.get<std::string>();
    if (how.is_string() && read_trend(trend.written, trend)) return true;
    report().error("trend", trend.pointer, "this does not say how \"" + trend.path + "\" grows",
                   "write " + std::string(kTrendForms) +
                       ", or what it is from which month on: { \"12\": 24 }");
    return false;
  }

  bool read_steps(const Json& how, GrowthTrend& trend) {
    for (const auto& [key, value] : how.items()) {
      const std::string at = trend.pointer + base::pointer_token(key);
      int month = 0;
      const auto end = std::from_chars(key.data(), key.data() + key.size(), month);
      if (end.ec != std::errc{} || end.ptr != key.data() + key.size() || month < 0 ||
          month > static_cast<int>(kLongest)) {
        report().error("trend", at, "\"" + key + "\" is no month",
                       "write from which month on it is what: { \"12\": 24 }; 0 is now");
        return false;
      }
      if (!value.is_string() && !value.is_number()) {
        report().error("type", at, "this takes what the value is from then on",
                       "{ \"12\": 24 } or { \"12\": \"4 GB/s\" }");
        return false;
      }
      trend.steps[month] =
          parse_setting(value.is_string() ? value.get<std::string>() : value.dump());
    }
    for (const auto& [month, value] : trend.steps)
      trend.written += (trend.written.empty() ? "" : ", ") + text_of(value) + " from month " +
                       std::to_string(month);
    if (!trend.steps.empty()) return true;
    report().error("trend", trend.pointer, "no month is said", "{ \"12\": 24 }");
    return false;
  }

  ReadContext& context_;
  std::span<const Parameter> params_;
  GrowthSpec out_;
};

}  // namespace

std::span<const base::FieldInfo> growth_fields() { return kGrowthFields; }

GrowthSpec read_growth(ReadContext& context, std::span<const Parameter> params) {
  return GrowthReader(context, params).read();
}

void add_trend(const std::string& option, std::span<const Parameter> params, GrowthSpec& spec,
               Diagnostics& diags) {
  GrowthTrend trend;
  trend.position = {"--of " + option, 0, 0};
  const std::size_t equals = option.find('=');
  const std::string path(base::trim(std::string_view(option).substr(0, equals)));
  if (equals != std::string::npos)
    trend.written = base::trim(std::string_view(option).substr(equals + 1));
  if (path.empty() || !read_trend(trend.written, trend)) {
    diags.add({Severity::error, "trend", "", trend.position,
               "\"" + option + "\" does not say how a value grows",
               "write PATH=TREND with " + std::string(kTrendForms)});
    return;
  }
  trend.path = parameter_path(path, params);
  std::erase_if(spec.trends, [&](const GrowthTrend& t) { return t.path == trend.path; });
  spec.trends.push_back(std::move(trend));
}

std::optional<int> months_of(std::string_view text) {
  const auto read = base::leading_number(base::trim(text));
  if (!read) return std::nullopt;
  auto [number, unit] = *read;
  const bool years = unit == "y" || unit == "year" || unit == "years";
  if (!years && !unit.empty() && unit != "mo" && unit != "month" && unit != "months")
    return std::nullopt;
  if (years) number *= 12.0;
  if (number != std::floor(number) || number < 1.0 || number > kLongest) return std::nullopt;
  return static_cast<int>(number);
}

}  // namespace stallcast::scenarios
