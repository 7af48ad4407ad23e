#pragma once

#include <vector>

#include "engine/sim/context.hpp"

/// What programs of tests write down: who was where at which date.
namespace stallcast::tests::notes {

struct Note {
  double date;
  int who;
  bool operator==(const Note&) const = default;
};
using Notes = std::vector<Note>;

inline void note(Notes& notes, sim::Context& context, int who) {
  notes.push_back({context.now().in(unit::s), who});
}

}  // namespace stallcast::tests::notes
