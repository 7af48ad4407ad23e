#include "ui/app/content.hpp"

#include "engine/base/design_values.hpp"
#include "engine/base/sha256.hpp"
#include "engine/runtime/codec/codec.hpp"
#include "ui/app/values.hpp"

namespace stallcast::client {

std::string content_hash(Design design) {
  design.file.clear();
  for (Expectation& e : design.expect) e.where.clear();
  base::for_each_component(design, [](const auto&, const auto&, Component& component) {
    for (auto& [key, value] : component.values)
      if (value.source.kind == Source::Kind::scenario ||
          value.source.kind == Source::Kind::expression)
        value.source.where.clear();
  });
  return base::sha256(codec::encode(design));
}

std::string counted_hash(const Scenario& scenario) {
  std::string all;
  const auto add = [&all](const std::string& text) { all += text + '\n'; };
  for (const auto& [pointer, parameters] : scenario.written().needs) {
    add(pointer);
    for (const std::string& name : parameters) add("\t" + name);
  }
  for (const Parameter& p : scenario.parameters()) {
    add(p.name + "\t" + std::to_string(p.value) + "\t" + std::to_string(p.step.value_or(0.0)));
    for (const std::string& name : p.needs) add("\t" + name);
  }
  const PlanSpec& plan = scenario.questions().plan;
  add(plan.storage);
  for (const PlanDimension& d : plan.over) add(d.axis.path + "\t" + std::to_string(d.unit));
  return base::sha256(all);
}

std::string read_hash(const Scenario& scenario) {
  return base::sha256(merged(scenario) + codec::encode(scenario.design()));
}

std::string text_hash(const std::string& text) { return base::sha256(text); }

}  // namespace stallcast::client
