#pragma once

#include <catch2/catch.hpp>

#include "engine/decide/explain/explain.hpp"
#include "tests/support/designs.hpp"

namespace stallcast::testing {

/// Of small_design, saving 96 GB every 20 s.
inline Design saving() {
  Design design = small_design();
  design.jobs[0].checkpoint =
      component(models::Role::checkpoint, "sync", "checkpoint",
                {{"to", "scratch"}, {"every", "20 s"}, {"size", "96 GB"}, {"serializer", "none"}});
  return design;
}

/// That each equation of a tree gives the value beside it.
inline void check_evaluates(const ExplainNode& node) {
  INFO(node.name << " = " << node.equation);
  if (!node.equation.empty())
    CHECK(explain::evaluated(node).value() == Approx(node.value).epsilon(1e-9).margin(1e-15));
  for (const ExplainNode& child : node.children) check_evaluates(child);
}

}  // namespace stallcast::testing
