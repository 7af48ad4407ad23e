#include "ui/app/content.hpp"

#include "engine/base/design_values.hpp"
#include "engine/base/sha256.hpp"
#include "engine/runtime/codec/codec.hpp"

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

std::string text_hash(const std::string& text) { return base::sha256(text); }

}  // namespace stallcast::client
