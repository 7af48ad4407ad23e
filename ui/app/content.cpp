#include "ui/app/content.hpp"

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/sha256.hpp"
#include "engine/runtime/codec/codec.hpp"

namespace stallcast::client {

std::string content_hash(Design design) {
  design.file.clear();
  for (Expectation& e : design.expect) e.where.clear();
  std::string ranges;  // not part of what is simulated, but of what is said about it
  base::for_each_component(design, [&](const std::string& path, const auto&, Component& component) {
    for (auto& [key, value] : component.values) {
      if (value.source.kind == Source::Kind::scenario ||
          value.source.kind == Source::Kind::expression)
        value.source.where.clear();
      if (value.range)
        ranges += "\n" + path + "." + key + " " + base::shortest(value.range->low) + " " +
                  base::shortest(value.range->high) + " " + value.range->why;
    }
  });
  return base::sha256(codec::encode(design) + ranges);
}

std::string text_hash(const std::string& text) { return base::sha256(text); }

}  // namespace stallcast::client
