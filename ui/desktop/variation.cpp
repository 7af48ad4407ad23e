#include "ui/desktop/variation.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::desktop {

std::optional<QString> text_with(const QString& before, std::span<const Move> moves) {
  QString text = before;
  for (const Move& move : moves) {
    const std::optional<JsonNode> root = parse_tree(text);
    if (!root) return std::nullopt;
    const std::optional<TextEdit> edit = set_value(text, *root, parse_path(move.slider.path),
                                                   Workspace::literal(move.slider, move.value));
    if (!edit) return std::nullopt;
    text = apply(*edit, text);
  }
  return text;
}

std::vector<Change> changes_of(std::span<const Move> moves) {
  std::vector<Change> out;
  for (const Move& move : moves)
    out.push_back(
        {set_path(move.slider.path).toStdString(), setting_of(move.value, move.slider.dimension)});
  return out;
}

namespace {

/// Predictions of the scenarios that are ok, each in its place.
std::vector<std::optional<Prediction>> predict_each(client::Session& session,
                                                    std::span<const std::optional<Scenario>> all,
                                                    const Engine::Progress& progress) {
  std::vector<Design> designs;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i] || !all[i]->ok()) continue;
    designs.push_back(all[i]->design());
    places.push_back(i);
  }
  std::vector<std::optional<Prediction>> out(all.size());
  const auto results = session.predict_all(designs, {.on_progress = progress});
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].ok()) out[places[i]] = results[i].value();
  return out;
}

}  // namespace

std::vector<std::optional<Prediction>> predict_changes(client::Session& session,
                                                       const Scenario& scenario,
                                                       std::span<const std::vector<Change>> changes,
                                                       const Engine::Progress& progress) {
  std::vector<std::optional<Scenario>> all;
  for (const std::vector<Change>& some : changes) all.emplace_back(scenario.with(some));
  return predict_each(session, all, progress);
}

std::vector<std::optional<Prediction>> predict_texts(client::Session& session,
                                                     const ScenarioFile& source,
                                                     std::span<const QString> texts,
                                                     const Engine::Progress& progress) {
  std::vector<std::optional<Scenario>> all;
  for (const QString& text : texts) {
    ScenarioFile changed = source;
    changed.text = text.toStdString();
    all.push_back(session.read(changed).scenario);
  }
  return predict_each(session, all, progress);
}

std::pair<double, double> range_around(const SliderSpec& slider, double span) {
  const double least = slider.whole ? 1.0 : 0.0;  // whole numbers move by one at least
  const double by = std::max(least, std::abs(slider.value) * span);
  SliderSpec wide = slider;  // a percentage may lead out of what the slider shows
  if (slider.step == 0.0 && !slider.path.startsWith(QLatin1String("params."))) {
    wide.minimum = std::min(wide.minimum, slider.value * (1.0 - span));
    wide.maximum = std::max(wide.maximum, slider.value + by);
    if (slider.whole) wide.minimum = std::ceil(wide.minimum);
    if (slider.whole) wide.maximum = std::floor(wide.maximum);
  }
  return {Workspace::snapped(wide, slider.value - by), Workspace::snapped(wide, slider.value + by)};
}

double end_that_holds(const Workspace& workspace, const SliderSpec& slider, double end) {
  if (!workspace.scenario() || workspace.has_errors() || end == slider.value) return end;
  const auto holds = [&](double value) {
    const Move move[] = {{slider, value}};
    return workspace.scenario()->with(changes_of(move)).ok();
  };
  if (holds(end)) return end;
  SliderSpec between = slider;
  between.minimum = std::min(slider.value, end), between.maximum = std::max(slider.value, end);
  double good = slider.value, bad = end;
  constexpr int kMostSteps = 20;  // three digits have fewer
  for (int i = 0; i < kMostSteps; ++i) {
    const double middle = Workspace::snapped(between, (good + bad) / 2.0);
    if (middle == good || middle == bad) break;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

namespace {

constexpr std::size_t kAfterAllParts = 1000;  // more than a part has fields

}  // namespace

QString set_path(const QString& path) {
  QString out = path;
  out.replace(u'[', u'.').remove(u']');
  if (out.startsWith(QLatin1String("params.")) && out.endsWith(QLatin1String(".value")))
    out.chop(6);
  return out;
}

std::optional<SliderSpec> input_of(const Workspace& workspace, const QString& path) {
  for (const Parameter& p : workspace.form().parameters)
    if (const QString own = QString::fromStdString("params." + p.name); own == path)
      return workspace.slider_of(own);
  for (const client::FormPart& part : workspace.form().parts)
    for (const client::FormField& field : part.fields)
      if (const QString own = QString::fromStdString(part.path + "." + field.key);
          set_path(own) == path)
        return workspace.slider_of(own);
  return std::nullopt;
}

Variables variables(const Workspace& workspace, std::size_t most) {
  // By the turn in which a part has its say: prices and power, which move no time, after all else.
  std::vector<std::pair<std::size_t, SliderSpec>> by_turn;
  for (const client::FormPart& part : workspace.form().parts) {
    if (part.role == "run") continue;
    std::size_t turn = 0, late = part.fields.size() + kAfterAllParts;
    for (const client::FormField& field : part.fields) {
      if (!field.value || field.value->source.kind != Source::Kind::scenario) continue;
      if (field.value->number == 0.0) continue;
      if (const auto slider =
              workspace.slider_of(QString::fromStdString(part.path + "." + field.key)))
        by_turn.emplace_back(field.is_of_costs() ? late++ : turn++, *slider);
    }
  }
  std::stable_sort(by_turn.begin(), by_turn.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Variables out{workspace.sliders(), 0};
  for (auto& [turn, slider] : by_turn) {
    const auto same = [&](const SliderSpec& s) { return s.path == slider.path; };
    if (std::any_of(out.shown.begin(), out.shown.end(), same)) continue;
    if (out.shown.size() < most)
      out.shown.push_back(std::move(slider));
    else
      ++out.left_out;
  }
  return out;
}

std::vector<double> values_between(const SliderSpec& slider, double low, double high, int n) {
  std::vector<double> out;
  for (int i = 0; i < n; ++i) {
    const double at = n == 1 ? 0.0 : static_cast<double>(i) / (n - 1);
    double value =
        slider.logarithmic && low > 0.0 ? low * std::pow(high / low, at) : low + at * (high - low);
    value = Workspace::snapped(slider, value);
    if (out.empty() || value > out.back()) out.push_back(value);
  }
  return out;
}

QString value_text(const SliderSpec& slider, double value) {
  return QString::fromStdString(
      slider.written.isEmpty()
          ? client::print_quantity(value, slider.dimension)
          : client::write_quantity(value, slider.dimension, slider.written.toStdString()));
}

}  // namespace stallcast::desktop
