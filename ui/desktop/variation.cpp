#include "ui/desktop/variation.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::desktop {

std::optional<QString> text_with(Workspace& workspace, std::span<const Move> moves) {
  QString text = workspace.document().text();
  for (const Move& move : moves) {
    const std::optional<TextEdit> edit =
        set_value(text, parse_path(move.slider.path), Workspace::literal(move.slider, move.value));
    if (!edit) return std::nullopt;
    text = apply(*edit, text);
  }
  return text;
}

std::optional<Design> design_with(Workspace& workspace, std::span<const Move> moves) {
  const std::optional<QString> text = text_with(workspace, moves);
  if (!text) return std::nullopt;
  client::Source source = workspace.source();
  source.text = text->toStdString();
  return workspace.session().read(source).design;
}

std::vector<SliderSpec> variables(const Workspace& workspace, std::size_t most) {
  std::vector<SliderSpec> out = workspace.sliders();
  for (const client::FormPart& part : workspace.form().parts)
    for (const client::FormField& field : part.fields) {
      if (out.size() >= most) return out;
      if (!field.value || field.value->source.kind != stallcast::Source::Kind::scenario) continue;
      if (field.value->number == 0.0) continue;
      const std::optional<SliderSpec> slider =
          workspace.slider_of(QString::fromStdString(part.path + "." + field.key));
      const auto same = [&](const SliderSpec& s) { return slider && s.path == slider->path; };
      if (slider && part.role != "run" && std::none_of(out.begin(), out.end(), same))
        out.push_back(*slider);
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
  return QString::fromStdString(client::print_quantity(value, slider.dimension));
}

}  // namespace stallcast::desktop
