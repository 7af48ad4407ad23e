#include <array>
#include <utility>

#include "engine/sim/join.hpp"
#include "models/saving/checkpointer.hpp"

/// Saves into the page cache. docs/models/checkpoint.md, eq. 15.
namespace stallcast::models {

// t = max(passes + S' / cpu.copy, (S' - D) / d) + coordinate
sim::Task<void> Checkpointer::fill_cache(Save save) {
  sim::Context& context = mover_.context();
  const SavePoint point = *save.point;  // it may be stored before the coordinator has done
  fills_.clear();
  copied_.reset();
  context.spawn(flush(save));
  co_await copied_.wait();
  WaitSplit took = WaitSplit::longest(fills_);
  co_await context.sleep(p_.coordinate);
  took.add(Phase::metadata, p_.coordinate, mover_.own_resource("coordinate"));
  blamed_ += took;
  if (!lost(save)) copies_.arrived(0, point);
}

sim::Task<void> Checkpointer::through_cache(const Mover& mover, const Save& save, Course& course) {
  std::array<WaitSplit, 2> took;
  std::vector<sim::Task<void>> parts;
  parts.push_back(copy_in(mover, save.part, took[0]));
  parts.push_back(write_back(mover, save, took[1]));
  co_await sim::join(mover_.context(), std::move(parts));
  course.took = WaitSplit::longest(took);
  course.ended = mover_.context().now();
}

sim::Task<void> Checkpointer::copy_in(const Mover& mover, double part, WaitSplit& took) {
  co_await mover_.compute(mover, cached_.passes(mover, part), took);
  filled(took);
}

// The kernel writes while it takes in; beyond D each write waits for room.
sim::Task<void> Checkpointer::write_back(const Mover& mover, const Save& save, WaitSplit& took) {
  const double beyond = cached_.beyond(mover, save.part) / save.part;
  if (beyond > 0.0) co_await write(mover, save, 0, took, beyond);
  filled(took);
  if (beyond < 1.0) co_await write(mover, save, 0, took, 1.0 - beyond);
}

void Checkpointer::filled(const WaitSplit& took) {
  fills_.push_back(took);
  if (fills_.size() == 2 * writers_.size()) copied_.set();
}

}  // namespace stallcast::models
