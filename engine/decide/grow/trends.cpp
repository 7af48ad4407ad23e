#include "engine/decide/grow/trends.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "engine/base/design_values.hpp"
#include "engine/base/place_text.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/contract/capacity.hpp"
#include "models/contract/registry.hpp"

namespace stallcast::grow {
namespace {

constexpr int kShown = 4;  // digits of a parameter

using Values = std::vector<std::pair<std::string, const Value*>>;

/// "storage.ost.count" of "storage[scratch].ost.count".
std::string without_id(std::string path) {
  const std::size_t open = path.find('['), close = path.find(']');
  if (open != std::string::npos && close != std::string::npos) path.erase(open, close - open + 1);
  return path;
}

/// "jobs.train.loader.workers" of "job[train].loader.workers": one spelling for all.
std::string one_spelling(std::string_view path) {
  std::string out = base::plain_path(path);
  for (const auto& [said, meant] : {std::pair{"job.", "jobs."},
                                    {"tenant.", "tenants."},
                                    {"host.", "cluster.hosts."},
                                    {"fabric.", "cluster.fabric."}})
    if (out.starts_with(said)) return meant + out.substr(std::string_view(said).size());
  return out;
}

/// The one value of `design` that a path means; the last part is what could be meant otherwise.
const Values::value_type* find_value(const Values& values, std::string_view path) {
  const std::string wanted = one_spelling(path);
  const Values::value_type* found = nullptr;
  for (const auto& known : values) {
    if (one_spelling(known.first) == wanted) return &known;
    if (without_id(known.first) != wanted) continue;
    if (found != nullptr) return nullptr;  // two could be meant
    found = &known;
  }
  return found;
}

Failure fault(const GrowthTrend& trend, std::string message, std::string hint) {
  const std::string where = trend.position.line > 0 ? base::place_text(trend.position) + ": " : "";
  return {ExitCode::bad_input, where + std::move(message), std::move(hint)};
}

bool is_number(Dimension dimension) {
  return dimension != Dimension::text && dimension != Dimension::text_list &&
         dimension != Dimension::boolean;
}

/// What of the scenario may well grow: data, as it says how much there is, or hosts.
std::string example_of(const Values& values) {
  for (const char* usual : {"jobs.dataset.samples", "jobs.dataset.size", "cluster.hosts.count"})
    for (const auto& [path, value] : values)
      if (without_id(path) == usual) return base::plain_path(path);
  return "jobs.train.dataset.size";
}

/// How many samples there are is said by their number or by the size of all.
std::string other_way(const Values& values, const std::string& path) {
  const auto as = [&](std::string_view from, std::string_view to) {
    if (!path.ends_with(from)) return std::string();
    const std::string other = path.substr(0, path.size() - from.size()) + std::string(to);
    return find_value(values, other) != nullptr ? other : std::string();
  };
  const std::string size = as(".dataset.samples", ".dataset.size");
  return size.empty() ? as(".dataset.size", ".dataset.samples") : size;
}

/// Of a field that the scenario leaves out and that has no default beside what it says: what to do
/// to let it grow. "" of what is no field.
std::string to_give(const Design& design, const std::string& path) {
  const std::string wanted = one_spelling(path);
  std::string out;
  base::for_each_component(
      design, [&](const std::string& at, std::string_view role, const Component& component) {
        const models::RoleInfo* info = models::find_role(role);
        for (const std::string& name : {one_spelling(at), without_id(at)}) {
          if (info == nullptr || !wanted.starts_with(name + ".")) continue;
          const std::string key = wanted.substr(name.size() + 1);
          if (models::find_field(info->role, component, key) == nullptr) continue;
          out = "give it to " + std::string(role) + " \"" + component.id + "\" first";
          const models::KindInfo* kind = models::find_kind(info->role, component.kind);
          const bool of_room = std::ranges::any_of(
              models::capacity_fields(), [&](const auto& field) { return field.key == key; });
          if (!of_room || kind == nullptr || models::says_capacity(*kind, component)) continue;
          for (const models::PartInfo* part : models::parts_of(*kind))
            if (!part->capacity.empty())
              out = "say first how much \"" + component.id + "\" holds, as in \"" +
                    std::string(part->capacity) + "\"";
        }
      });
  return out;
}

/// Whether a parameter that is a whole number makes counts: on neither side of it is there a
/// design.
bool makes_counts(const std::string& path, double start, const Regrow& regrow) {
  constexpr double kSides[] = {0.37, -0.37};  // of which no usual multiple is whole
  return std::none_of(std::begin(kSides), std::end(kSides), [&](double side) {
    const Change between{path, Amount{start + side}};
    return regrow({&between, 1}).ok();
  });
}

/// A design with another value of a parameter that is `start` now.
std::optional<Design> with_another(const std::string& path, double start, const std::string& unit,
                                   const Regrow& regrow) {
  for (const double other : {2.0 * start, start + 1.0, 0.5 * start}) {
    const Change change{path, Amount{other, unit}};
    if (Result<Design> made = regrow({&change, 1}); other != start && made.ok()) return *made;
  }
  return std::nullopt;
}

}  // namespace

bool mean_the_same(const Design& design, const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto values = base::values_of(design);
  const auto* one = find_value(values, a);
  return one != nullptr && one == find_value(values, b);
}

Result<Trends> Trends::make(const GrowthSpec& spec, const Design& now,
                            std::span<const Parameter> params, const Regrow& regrow) {
  const auto values = base::values_of(now);
  if (spec.trends.empty())
    return Failure{ExitCode::bad_input, "the scenario does not say what grows",
                   R"(add "growth": { "of": { ")" + example_of(values) +
                       R"(": "4 %/month" } }, or --of PATH="4 %/month" to "grow")"};
  Trends out;
  for (const GrowthTrend& said : spec.trends) {
    Trend trend{.said = said, .path = said.path};
    if (said.path.starts_with("params.")) {
      const auto found = std::find_if(params.begin(), params.end(), [&](const Parameter& p) {
        return "params." + p.name == said.path;
      });
      const auto number =
          base::leading_number(found == params.end() ? std::string_view() : found->text);
      if (!number)
        return fault(said, "\"" + said.path + "\" is not a number that can grow",
                     "name a number of \"params\", or a path as --set takes it");
      trend.parameter = true;
      trend.start = number->first;
      trend.unit = number->second;
      trend.whole = trend.unit.empty() && trend.start == std::floor(trend.start) &&
                    makes_counts(trend.path, trend.start, regrow);
    } else {
      const auto* found = find_value(values, said.path);
      if (found == nullptr || !is_number(found->second->dimension)) {
        std::vector<std::string> names;
        for (const auto& [path, value] : values)
          if (is_number(value->dimension)) names.push_back(base::plain_path(path));
        const std::string other = other_way(values, said.path);
        const std::string near =
            other.empty() ? base::nearest(one_spelling(said.path), names) : other;
        if (const std::string give = found != nullptr ? "" : to_give(now, said.path);
            !give.empty() && other.empty())
          return fault(said, "\"" + said.path + "\" is left out of the scenario", give);
        return fault(said,
                     found != nullptr ? "\"" + said.path + "\" is not a number"
                                      : "\"" + said.path + "\" is no value of the scenario",
                     near.empty() ? "\"stallcast resolve\" lists all values"
                                  : "did you mean \"" + near + "\"?");
      }
      trend.path = found->first;
      trend.start = found->second->number;
      trend.dimension = found->second->dimension;
      trend.whole = trend.dimension == Dimension::count;
    }
    if (!said.added.empty()) {
      const bool less = said.added.starts_with('-');
      const std::string_view amount = base::trim(std::string_view(said.added).substr(less ? 1 : 0));
      const Dimension dimension =
          trend.dimension == Dimension::count ? Dimension::number : trend.dimension;
      const auto read = base::parse_quantity(amount, dimension);
      std::optional<double> number;  // a parameter's may be in another unit than it has itself
      if (trend.parameter && !trend.unit.empty())
        number = base::number_of_units(amount, trend.unit);
      if (!number) number = read.value;
      if (!number)
        return fault(said,
                     "\"" + said.path + "\" cannot grow by " + said.added + ": " + read.message,
                     "write for example \"+" +
                         (trend.unit.empty() ? std::string(base::dimension_example(dimension))
                                             : "1 " + trend.unit) +
                         "/month\"");
      trend.added = (less ? -1.0 : 1.0) * *number / said.months;
    }
    if (out.moves(trend.path))
      return fault(said, "\"" + said.path + "\" grows in two ways", "leave one of them out");
    out.trends_.push_back(std::move(trend));
  }
  for (const Trend& maker : out.trends_) {
    if (!maker.parameter) continue;
    const auto then = with_another(maker.path, maker.start, maker.unit, regrow);
    if (!then) continue;
    const auto made = base::values_of(*then);
    for (const Trend& trend : out.trends_) {
      const auto* value = trend.parameter ? nullptr : find_value(made, trend.path);
      if (value != nullptr && value->second->number != trend.start)
        return fault(trend.said,
                     "\"" + trend.said.path + "\" grows in two ways: by itself, and by \"" +
                         maker.path + "\", which makes it",
                     "leave one of them out");
    }
  }
  return out;
}

bool Trends::moves(std::string_view path) const {
  return std::any_of(trends_.begin(), trends_.end(), [&](const Trend& t) {
    return one_spelling(t.path) == one_spelling(path) || without_id(t.path) == one_spelling(path);
  });
}

const Setting* Trends::step_at(const Trend& trend, int month) {
  const auto later = trend.said.steps.upper_bound(month);
  return later == trend.said.steps.begin() ? nullptr : &std::prev(later)->second;
}

double Trends::number_at(const Trend& trend, int month) {
  const double number = trend.start * std::pow(trend.said.factor, month) + trend.added * month;
  return trend.whole ? std::round(number) : number;
}

Setting Trends::value_at(const Trend& trend, int month) {
  if (const Setting* step = step_at(trend, month)) return *step;
  const double number = number_at(trend, month);
  if (trend.parameter) return Amount{number, trend.unit};
  return setting_of(number, trend.dimension);
}

std::string Trends::text_at(const Trend& trend, int month) {
  if (step_at(trend, month) != nullptr) return text_of(value_at(trend, month));
  if (trend.parameter)
    return text_of(Amount{base::rounded_to(number_at(trend, month), kShown), trend.unit});
  return base::print_quantity(number_at(trend, month), trend.dimension);
}

std::vector<Change> Trends::at(int month) const {
  std::vector<Change> out;
  for (const Trend& trend : trends_) {
    const bool moved = trend.said.steps.empty() ? month > 0 : step_at(trend, month) != nullptr;
    if (moved) out.push_back({trend.path, value_at(trend, month)});
  }
  return out;
}

std::vector<GrownValue> Trends::described(int until) const {
  std::vector<GrownValue> out;
  for (const Trend& trend : trends_)
    out.push_back({base::plain_path(trend.path), trend.said.written, text_at(trend, 0),
                   text_at(trend, until)});
  return out;
}

std::vector<int> Trends::steps() const {
  std::set<int> out;
  for (const Trend& trend : trends_)
    for (const auto& [month, value] : trend.said.steps) out.insert(month);
  return {out.begin(), out.end()};
}

}  // namespace stallcast::grow
