#include <algorithm>
#include <cmath>

#include "stallcast/label.hpp"
#include "ui/desktop/variation.hpp"
#include "ui/desktop/workspace.hpp"

/// Which figures of a scenario can be moved, over which range, and how they are written.
namespace stallcast::desktop {
namespace {

constexpr double kFieldSpan = 8.0;  // a field without a range goes from 1/8 to 8 times its value

bool can_move(const client::FormField& field) {
  using enum Dimension;
  const bool is_number =
      field.dimension != boolean && field.dimension != text && field.dimension != text_list;
  return is_number && field.value.has_value() && std::isfinite(field.value->number);
}

/// Nothing changes with a rate of reads where nobody reads, nor of writes where nobody writes.
bool counts(const client::FormPart& part, std::string_view key) {
  return (part.is_read || !key.ends_with(".read")) && (part.is_written || !key.ends_with(".write"));
}

SliderSpec field_slider(const client::FormPart& part, const client::FormField& field) {
  SliderSpec out;
  out.path = QString::fromStdString(part.path + "." + field.key);
  out.label = QString::fromStdString(label::of_input(part.path + "." + field.key));
  out.doc = out.path + QStringLiteral(": ") + QString::fromStdString(field.doc);
  out.dimension = field.dimension;
  out.bare = field.dimension == Dimension::count || field.dimension == Dimension::number;
  out.whole = field.dimension == Dimension::count;
  out.value = field.value->number;
  out.written = QString::fromStdString(field.written);
  if (field.dimension == Dimension::ratio && field.maximum <= 1.0) {
    out.minimum = std::max(0.0, field.minimum);
    out.maximum = field.maximum;
  } else {
    const double middle = out.value > 0.0 ? out.value : 1.0;
    out.minimum = std::max(middle / kFieldSpan, field.minimum);
    out.maximum = std::min(middle * kFieldSpan, field.maximum);
    out.logarithmic = out.minimum > 0.0;
    if (out.whole) out.minimum = std::max(std::ceil(out.minimum), std::min(1.0, out.value));
    if (out.whole) out.maximum = std::floor(out.maximum);
  }
  return out;
}

SliderSpec parameter_slider(const Parameter& parameter, const Document& document) {
  SliderSpec out;
  out.path = QString::fromStdString("params." + parameter.name);
  out.label = QString::fromStdString(parameter.name);
  out.doc = QString::fromStdString(parameter.doc);
  out.dimension = client::dimension_of(parameter.text);
  out.bare = out.dimension == Dimension::number;
  if (!out.bare) out.written = QString::fromStdString(parameter.text);
  const auto in_base = [&](double number) {
    return client::in_unit_of(number, parameter.text, out.dimension);
  };
  out.value = in_base(parameter.value);
  const double middle = out.value != 0.0 ? std::abs(out.value) : 1.0;
  out.minimum =
      parameter.minimum ? in_base(*parameter.minimum) : std::min(0.0, -kFieldSpan * out.value);
  if (!parameter.minimum && out.value > 0.0) out.minimum = middle / kFieldSpan;
  out.maximum = parameter.maximum ? in_base(*parameter.maximum) : middle * kFieldSpan;
  out.step = parameter.step ? in_base(*parameter.step) : 0.0;
  const bool whole_numbers =
      out.bare && out.value == std::floor(out.value) && out.minimum == std::floor(out.minimum);
  out.whole = out.step == 0.0 && whole_numbers;
  out.logarithmic = out.minimum > 0.0 && out.maximum / out.minimum > 20.0;
  // "n": 40 and "n": { "value": 40 } are both allowed.
  const JsonNode* root = document.tree();
  const JsonNode* written = root != nullptr ? find(*root, parse_path(out.path)) : nullptr;
  if (written == nullptr || written->kind == JsonNode::Kind::object)
    out.path += QStringLiteral(".value");
  return out;
}

/// Three digits: "4.03 GB/s", not "4.0283719 GB/s".
double rounded(double value) {
  if (value == 0.0) return value;
  const double scale = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 2.0);
  return scale >= 1.0 ? std::round(value / scale) * scale
                      : std::round(value * (1.0 / scale)) / (1.0 / scale);
}

/// A range that holds the value even after it was typed in.
void include_value(SliderSpec& slider) {
  slider.minimum = std::min(slider.minimum, slider.value);
  slider.maximum = std::max(slider.maximum, slider.value);
  if (slider.maximum <= slider.minimum) slider.maximum = slider.minimum + 1.0;
}

}  // namespace

std::optional<SliderSpec> Workspace::slider_of(const QString& path) const {
  for (const Parameter& p : form_.parameters) {
    const QString own = QString::fromStdString("params." + p.name);
    if (path == own || path == own + QStringLiteral(".value"))
      return parameter_slider(p, document_);
  }
  for (const client::FormPart& part : form_.parts)
    for (const client::FormField& field : part.fields)
      if (QString::fromStdString(part.path + "." + field.key) == path && can_move(field))
        return field_slider(part, field);
  return std::nullopt;
}

/// Parameters first, then what the scenario itself sets, then what usually decides.
void Workspace::choose_sliders() {
  constexpr std::size_t kEnough = 6;
  choose_sliders_ = false;
  slider_paths_.clear();
  sliders_.clear();
  for (const Parameter& p : form_.parameters)
    slider_paths_.push_back(QString::fromStdString("params." + p.name));
  const char* kUsual[] = {"ost.write",   "ost.read",  "count",   "compute",  "every",
                          "every_steps", "ost.count", "workers", "prefetch", "nic.rate"};
  for (const char* key : kUsual)
    for (const client::FormPart& part : form_.parts)
      for (const client::FormField& field : part.fields)
        if (field.key == key && can_move(field) && counts(part, key) &&
            slider_paths_.size() < kEnough && field.value->source.kind == Source::Kind::scenario)
          slider_paths_.push_back(QString::fromStdString(part.path + "." + field.key));
}

void Workspace::refresh_sliders() {
  std::vector<SliderSpec> now;
  for (const QString& path : slider_paths_)
    if (std::optional<SliderSpec> slider = slider_of(path)) now.push_back(*std::move(slider));
  const auto same_path = [](const SliderSpec& a, const SliderSpec& b) { return a.path == b.path; };
  const bool same = std::equal(now.begin(), now.end(), sliders_.begin(), sliders_.end(), same_path);
  // The range of a field follows from its first value: a slider must not flee from the hand.
  for (SliderSpec& slider : now) {
    const auto before = std::find_if(sliders_.begin(), sliders_.end(),
                                     [&](const SliderSpec& s) { return s.path == slider.path; });
    if (before != sliders_.end()) {
      slider.minimum = before->minimum;
      slider.maximum = before->maximum;
      slider.logarithmic = before->logarithmic;
    } else if (slider.step == 0.0) {
      slider.minimum = end_that_holds(*this, slider, slider.minimum);
      slider.maximum = end_that_holds(*this, slider, slider.maximum);
    }
  }
  for (SliderSpec& slider : now) include_value(slider);
  sliders_ = std::move(now);
  if (!same) emit sliders_changed();
}

void Workspace::add_slider(const QString& path) {
  if (std::find(slider_paths_.begin(), slider_paths_.end(), path) != slider_paths_.end()) return;
  slider_paths_.push_back(path);
  refresh_sliders();
}

void Workspace::set_sliders(std::vector<QString> paths) {
  slider_paths_ = std::move(paths);
  choose_sliders_ = false;
  refresh_sliders();
}

void Workspace::remove_slider(const QString& path) {
  const QString own =
      path.endsWith(QLatin1String(".value")) && path.startsWith(QLatin1String("params."))
          ? path.chopped(6)
          : path;
  std::erase(slider_paths_, path);
  std::erase(slider_paths_, own);
  refresh_sliders();
}

QStringList Workspace::possible_sliders() const {
  QStringList out;
  const auto add = [&](const QString& path) {
    if (std::find(slider_paths_.begin(), slider_paths_.end(), path) == slider_paths_.end())
      out.push_back(path);
  };
  for (const Parameter& p : form_.parameters) add(QString::fromStdString("params." + p.name));
  for (const client::FormPart& part : form_.parts)
    for (const client::FormField& field : part.fields)
      if (can_move(field)) add(QString::fromStdString(part.path + "." + field.key));
  return out;
}

double Workspace::snapped(const SliderSpec& slider, double value) {
  const std::string like = slider.written.toStdString();
  if (slider.step > 0.0)
    value = slider.minimum + std::round((value - slider.minimum) / slider.step) * slider.step;
  else
    value = slider.whole
                ? std::round(value)
                : client::in_unit_of(rounded(value / client::unit_of(like, slider.dimension)), like,
                                     slider.dimension);
  return std::clamp(value, slider.minimum, slider.maximum);
}

QString Workspace::literal(const SliderSpec& slider, double value) {
  const QString text = QString::fromStdString(
      client::write_quantity(value, slider.dimension, slider.written.toStdString()));
  return slider.bare ? text : quoted(text);
}

void Workspace::move_slider(const SliderSpec& slider, double value, int merge) {
  document_.set(slider.path, literal(slider, snapped(slider, value)), merge);
}

}  // namespace stallcast::desktop
