#include "tests/sim/context_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>

#include "tests/sim/programs.hpp"

namespace stallcast::tests {

using namespace stallcast::literals;
using sim::Context;
using sim::LinkId;
using Numbers = std::vector<double>;

bool near(double a, double b, double relative) {
  if (a == b) return true;
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

namespace {

double index_of(LinkId link) { return link.valid() ? static_cast<double>(link.index) : -1.0; }

Numbers horizon_dates(Context& context) {
  // 10 B at 1 B/s in repetition; the third ends at 30, beyond the horizon of 20.
  const LinkId link = context.add_link("link", 1_Bps);
  sim::FlowOutcome outcome;
  context.spawn(run_transfer(context, {.path = {link}, .bytes = b(10), .repeats = 3}, outcome));
  context.run(15_s);
  Numbers dates = {context.now().in(unit::s), outcome.ended.in(unit::s)};
  context.run(20_s);
  dates.push_back(context.now().in(unit::s));
  dates.push_back(outcome.ended.in(unit::s));
  context.run();
  dates.push_back(context.now().in(unit::s));
  return dates;
}

Numbers stopped_dates(Context& context) {
  const LinkId link = context.add_link("link", 1_Bps);
  sim::FlowOutcome outcome;
  context.spawn(run_transfer(context, {.path = {link}, .bytes = b(10)}, outcome));
  context.spawn([](Context& c) -> sim::Task<void> {
    co_await c.sleep(4_s);
    c.stop();
    co_await c.sleep(1_s);
    c.stop();
  }(context));
  Numbers dates;
  for (int i = 0; i < 3; ++i) {
    context.run();
    dates.push_back(context.now().in(unit::s));
  }
  return dates;
}

sim::Task<void> read_stripes(Context& context, std::span<const sim::Flow> flows,
                             std::span<sim::FlowOutcome> outcomes, double& resumed) {
  co_await context.transfer_all(flows, outcomes);
  resumed = context.now().in(unit::s);
}

Numbers stripes(Context& context) {
  // Two stripes of 12 B on links of 4 and 3 B/s, through a port of 6 B/s: 3 B/s each until 4. What
  // no link carries runs apart: nothing at once, 10 B at 2 B/s until 5. The program waits for all.
  const LinkId port = context.add_link("port", 6_Bps);
  const std::vector<LinkId> first{port, context.add_link("ost0", 4_Bps)};
  const std::vector<LinkId> second{port, context.add_link("ost1", 3_Bps)};
  const std::vector<sim::Flow> flows{{.path = first, .bytes = b(12)},
                                     {.path = second, .bytes = b(12)},
                                     {.path = first, .bytes = b(0)},
                                     {.path = {}, .bytes = b(10), .cap = 2_Bps}};
  std::vector<sim::FlowOutcome> with(flows.size()), without(2);
  double all = -1.0, linked = -1.0, none = -1.0;
  context.spawn(read_stripes(context, flows, with, all));
  context.run();
  // The same stripes again from 5 on, without the rest.
  context.spawn(read_stripes(context, std::span(flows).first(2), without, linked));
  context.spawn(read_stripes(context, {}, {}, none));
  context.run();
  Numbers out{all, linked, none, static_cast<double>(context.events())};
  for (const sim::FlowOutcome& outcome : with) out.push_back(outcome.ended.in(unit::s));
  out.push_back(index_of(with[1].binding));
  return out;
}

sim::Task<void> run_later(Context& context, Seconds delay, sim::Flow flow, sim::FlowOutcome& into) {
  into = co_await context.transfer_after(delay, flow);
}

// The same, kept by whoever waits.
sim::Task<void> keep_later(Context& context, Seconds delay, sim::Flow flow,
                           sim::FlowOutcome& into) {
  sim::Later kept;
  kept.start(context, delay, flow);
  into = co_await kept.end();
}

Numbers later(Context& context) {
  // 10 B on a link of 1 B/s from 2 on; from 4 on they share it with 5 B, which take until 14. What
  // no link carries runs apart, from 5 until 8; and one flow never starts.
  const std::vector<LinkId> link{context.add_link("link", 1_Bps)};
  std::vector<sim::FlowOutcome> went(4);
  context.spawn(run_later(context, 2_s, {.path = link, .bytes = b(10)}, went[0]));
  context.spawn(keep_later(context, 4_s, {.path = link, .bytes = b(5)}, went[1]));
  context.spawn(run_later(context, 5_s, {.path = {}, .bytes = b(3), .cap = 1_Bps}, went[2]));
  context.spawn(run_later(context, Seconds::infinity(), {.path = link, .bytes = b(1)}, went[3]));
  context.run(3_s);
  std::vector<Bytes> moved(1);
  context.add_running(moved);
  context.run();
  Numbers out{moved[0].in(unit::B), static_cast<double>(context.events())};
  for (const sim::FlowOutcome& outcome : went)
    out.insert(out.end(), {outcome.began.in(unit::s), outcome.ended.in(unit::s)});
  return out;
}

Numbers accounts(Context& context) {
  // Capacity 12: A has 3 members and 24 B each, B one member and 12 B capped at 1 B/s. A gets
  // 11 / 3 per member until it ends at 72 / 11, then B goes on at its cap until 12.
  const LinkId pool = context.add_link("pool", 12_Bps);
  const LinkId wide = context.add_link("wide", 100_Bps);
  sim::FlowOutcome a;
  sim::FlowOutcome capped;
  context.spawn(run_transfer(context, {.path = {wide, pool}, .bytes = b(24), .members = 3.0}, a));
  context.spawn(run_transfer(context, {.path = {pool}, .bytes = b(12), .cap = 1_Bps}, capped));
  context.run();
  const sim::LinkUse use = context.use(pool);
  return {a.ended.in(unit::s),
          index_of(a.binding),
          capped.ended.in(unit::s),
          index_of(capped.binding),
          use.carried.in(unit::B),
          use.peak_weight,
          use.capacity.in(unit::Bps),
          static_cast<double>(context.link_count()),
          static_cast<double>(context.events())};
}

Numbers spent_there(Context& context) {
  // Two of 20 B at 5 B/s each until 4; nothing until 10; then three members of 10 B until 13. Their
  // times add up to 2 x 4 + 3 x 3, of which 3 x 1 are over at 11 (Little: over 13 s, 17 / 13 are
  // there).
  const std::vector<LinkId> link{context.add_link("link", 10_Bps)};
  std::vector<sim::FlowOutcome> went(3);
  for (std::size_t i = 0; i < 2; ++i)
    context.spawn(run_later(context, 0_s, {.path = link, .bytes = b(20)}, went[i]));
  context.spawn(run_later(context, 10_s, {.path = link, .bytes = b(10), .members = 3.0}, went[2]));
  context.run(11_s);
  Numbers out{context.use(link[0]).spent.in(unit::s)};
  context.run();
  out.push_back(context.use(link[0]).spent.in(unit::s));
  return out;
}

Numbers last_of_many(Context& context) {
  // 100 B/s for four, 60 at most each: 25 until three have their bytes, then 60 for the last. Of
  // 80 B these are 3.2 s of its 3.53, of 50 B 2 s of 2.83; alone it takes 1.67.
  const LinkId link = context.add_link("link", 100_Bps);
  Numbers out;
  for (const double bytes : {80.0, 50.0}) {
    const Seconds start = context.now();
    std::array<sim::FlowOutcome, 4> flows{};
    for (std::size_t i = 0; i < flows.size(); ++i)
      context.spawn(run_transfer(
          context, {.path = {link}, .bytes = b(i == 0 ? 100.0 : bytes), .cap = 60_Bps}, flows[i]));
    context.run();
    out.push_back((flows[0].ended - start).in(unit::s));
    out.push_back(index_of(flows[0].binding));
    out.push_back(index_of(flows[1].binding));
  }
  return out;
}

Numbers alone_at_last(Context& context) {
  // Seven hosts and one share 48 B/s, so 6 each, through ports of 40 B/s a host. The one has a
  // little more to write, and its port to itself has less than all it shared: 40 B/s, or its cap.
  const LinkId pool = context.add_link("pool", 48_Bps);
  const LinkId many = context.add_link("many", 280_Bps), one = context.add_link("one", 40_Bps);
  Numbers out;
  for (const Rate cap : {Rate::infinity(), 7_Bps}) {
    const Seconds start = context.now();
    std::array<sim::FlowOutcome, 2> flows;
    context.spawn(run_transfer(
        context, {.path = {pool, many}, .bytes = b(60), .members = 7.0, .cap = cap}, flows[0]));
    context.spawn(
        run_transfer(context, {.path = {pool, one}, .bytes = b(60.024), .cap = cap}, flows[1]));
    context.run();
    out.push_back((flows[1].ended - start).in(unit::s));
    for (const sim::FlowOutcome& flow : flows) out.push_back(index_of(flow.binding));
  }
  return out;
}

Numbers late_link(Context& context) {
  const LinkId first = context.add_link("first", 10_Bps);
  double end = 0.0;
  context.spawn([](Context& c, LinkId before, double& out) -> sim::Task<void> {
    co_await c.transfer({.path = std::span(&before, 1), .bytes = b(10)});
    const LinkId path[] = {before, c.add_link("second", 5_Bps)};
    co_await c.transfer({.path = path, .bytes = b(10)});
    out = c.now().in(unit::s);
  }(context, first, end));
  context.run();
  return {end};
}

Numbers changed_capacity(Context& context) {
  const LinkId link = context.add_link("link", 10_Bps);
  sim::FlowOutcome outcome;
  context.spawn(run_transfer(context, {.path = {link}, .bytes = b(100)}, outcome));
  context.spawn([](Context& c, LinkId at) -> sim::Task<void> {
    co_await c.sleep(4_s);
    c.set_capacity(at, 30_Bps);
  }(context, link));
  context.run();
  return {outcome.ended.in(unit::s)};
}

Numbers tiny_flows(Context& context) {
  // 1500 B, 1 B and 0.3 B one after the other at 50 GB/s, and 2.5 members of 0.1 B at 1 B/s.
  const LinkId fast = context.add_link("fast", 50_GBps);
  const LinkId slow = context.add_link("slow", 1_Bps);
  return ends_of(context, {{.path = {fast}, .bytes = b(1500)},
                           {.path = {fast}, .bytes = b(1), .start = s(1e-6)},
                           {.path = {fast}, .bytes = b(0.3), .start = s(2e-6)},
                           {.path = {slow}, .bytes = b(0.1), .members = 2.5}});
}

Numbers wide_range(Context& context) {
  // 1e5 members and one share 1e5 + 1; on the slow link operations go at 3 per s.
  const LinkId pool = context.add_link("pool", bps(100'001.0));
  const LinkId slow = context.add_link("slow", 3_Bps);
  return ends_of(context, {{.path = {pool}, .bytes = b(10), .members = 1e5},
                           {.path = {pool}, .bytes = b(10)},
                           {.path = {slow}, .bytes = b(1)},
                           {.path = {slow}, .bytes = b(1)},
                           {.path = {slow}, .bytes = b(1), .members = 0.01}});
}

Numbers strict_classes(Context& context) {
  // 60 and 40 B of shares 1000 and 1/1000, as sim::weighted makes them: the higher class has
  // 1e6 / (1e6 + 1) of 10 B/s, and both are done when the link has carried 100 B.
  const LinkId link = context.add_link("link", bps(10));
  return ends_of(context, {{.path = {link}, .bytes = b(0.06), .members = 1000},
                           {.path = {link}, .bytes = b(40'000), .members = 0.001}});
}

Numbers nearly_full(Context& context) {
  // The capped class leaves 1e9 - 999'999 x 999.999 = 1999.999 B/s, 2e-6 of the link, to the other.
  const LinkId link = context.add_link("link", bps(1e9));
  return ends_of(context,
                 {{.path = {link}, .bytes = b(999.999), .members = 999'999.0, .cap = bps(999.999)},
                  {.path = {link}, .bytes = b(1999.999)}});
}

}  // namespace

std::vector<ContextCase> context_cases() {
  std::vector<ContextCase> cases;
  cases.push_back({"nothing to move or nothing to wait for ends at once",
                   [](Context& context) {
                     const LinkId link = context.add_link("link", 1_Bps);
                     return ends_of(context, {{.path = {link}, .bytes = 0_B, .start = 3_s},
                                              {.path = {}, .bytes = 5_GB, .start = 3_s}});
                   },
                   {3, 3}});
  cases.push_back({"a cap without a path is a delay",
                   [](Context& context) {
                     return ends_of(context, {{.path = {}, .bytes = b(12), .cap = 4_Bps}});
                   },
                   {3}});
  cases.push_back({"tiny flows are exact",
                   tiny_flows,
                   {1500 / 50e9, 1e-6 + 1 / 50e9, 2e-6 + 0.3 / 50e9, 0.25}});
  cases.push_back({"a run stops at its horizon and goes on", horizon_dates, {15, 10, 20, 20, 30}});
  cases.push_back({"stop leaves the rest to the next run", stopped_dates, {4, 5, 10}});
  cases.push_back({"a program waits for all its stripes", stripes, {5, 9, 5, 3, 4, 4, 0, 5, 2}});
  cases.push_back({"a flow can start later", later, {1, 6, 2, 17, 4, 14, 5, 8, 0, 0}});
  cases.push_back({"outcome and use of links", accounts, {72.0 / 11, 0, 12, -1, 84, 4, 12, 2, 4}});
  cases.push_back({"the time that members spend on a link", spent_there, {11, 17}});
  cases.push_back({"what held a flow up for most of its time limited it",
                   last_of_many,
                   {3.2 + 20.0 / 60, 0, 0, 2.0 + 50.0 / 60, -1, 0}});
  cases.push_back({"what a flow shared limited it, not what it had alone at last",
                   alone_at_last,
                   {10 + 0.024 / 40, 0, 0, 10 + 0.024 / 7, 0, 0}});
  cases.push_back({"a link can be added while the simulation runs", late_link, {3}});
  cases.push_back({"a capacity can change under a flow", changed_capacity, {6}});
  cases.push_back({"petabytes",
                   [](Context& context) {
                     const LinkId link = context.add_link("link", 10_TBps);
                     return ends_of(context, {{.path = {link}, .bytes = 1_TB, .members = 12'500}});
                   },
                   {1250}});
  // Slow link: weight 2.01, so 3 / 2.01 B/s per member until all end together.
  cases.push_back(
      {"weights and rates of very different size", wide_range, {10, 10, 0.67, 0.67, 0.67}});
  cases.push_back({"a higher class is served first", strict_classes, {6 * (1 + 1e-6), 10}});
  cases.push_back({"the rest of an almost full link", nearly_full, {1, 1}});
  return cases;
}

}  // namespace stallcast::tests
