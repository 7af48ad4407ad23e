#pragma once

#include <limits>
#include <vector>

#include "engine/sim/event_context.hpp"
#include "engine/sim/fluid_solver.hpp"

namespace stallcast::sim {

/// An EventContext whose flows a FluidSolver shares. It knows all dates, the next event's and the
/// next flow's, but does not move them itself: whoever owns the clock asks for `next_date`, moves
/// there and says so. Programs resume once per date, so both owners of a clock (fluid_context.cpp,
/// simgrid_fluid.cpp) give the same bits.
class FluidLoop : public EventContext {
 protected:
  static constexpr double kNoDate = std::numeric_limits<double>::infinity();

  /// Before anything else of a run until `horizon`: resumes what is due now.
  void begin(Seconds horizon);
  /// Where the clock has to go next, in s and never beyond the horizon; kNoDate when the run is
  /// over.
  [[nodiscard]] double next_date();
  /// The clock is at `date`: ends flows and resumes programs, until nothing is left to do there.
  /// REQUIRES: now <= date <= next_date().
  void arrive(double date);
  /// Ends the run: the next one may begin. Throws what a program threw.
  void finish();

 private:
  void open_link(LinkId link, Rate capacity) final;
  void resize_link(LinkId link, Rate capacity) final;
  void open_flow(FlowKey key, const Flow& flow) final;
  void prefetch_link(LinkId link) const final { solver_.prefetch_link(link); }
  [[nodiscard]] double left_of(FlowKey key) const final { return solver_.left_of(key); }
  double next_change();
  void settle();

  FluidSolver solver_;
  std::vector<FlowKey> ended_;
  double horizon_ = 0.0;
  bool over_ = true;
};

}  // namespace stallcast::sim
