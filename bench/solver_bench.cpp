#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <span>
#include <vector>

#include "engine/sim/simgrid_context.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/programs.hpp"

/// What transfers cost on the two back ends, without models: Markdown for bench/bench.py.
using namespace stallcast;
using sim::FlowBackend;
using sim::LinkId;
using tests::b;
using tests::bps;
using tests::Transfer;

namespace {

constexpr int kRuns = 5;

double since(std::clock_t began) {
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

// Median of what `run` returns, each time in a process of its own.
template <class Run>
double median(Run run) {
  std::vector<double> taken;
  for (int i = 0; i < kRuns; ++i)
    taken.push_back(tests::in_child([&] { return std::vector<double>{run()}; })[0]);
  std::sort(taken.begin(), taken.end());
  return taken[kRuns / 2];
}

// CPU seconds that the transfers of `build` take, from their starts to the last end.
template <class Build>
double seconds(FlowBackend backend, Build build) {
  return median([&] {
    const auto context = sim::make_simgrid_context(backend);
    const std::vector<Transfer> transfers = build(*context);
    const std::clock_t began = std::clock();
    static_cast<void>(tests::ends_of(*context, transfers));
    return since(began);
  });
}

// Nothing: transfers of no bytes, which leave the solver out.
enum class Ends { nothing, together, by_client, by_stripe };

struct Stripes {
  int clients, osts, rounds;
  Ends ends;

  [[nodiscard]] double size(int client, int ost) const {
    const double times = ends == Ends::nothing    ? 0.0
                         : ends == Ends::together ? 1.0
                         : ends == Ends::by_client
                             ? 1.0 + 0.01 * client
                             : 1.0 + 1e-5 * ((client * 7919 + ost * 104729) % 100003);
    return 64e6 * times;
  }
};

// Reads its files one after the other, each a stripe on every OST, through its own network link.
sim::Task<void> client(sim::Context& context, const Stripes& of, int number, LinkId nic,
                       std::span<const LinkId> osts, std::vector<sim::Flow>& flows) {
  std::vector<sim::FlowOutcome> outcomes(osts.size());
  std::vector<std::array<LinkId, 2>> paths;
  for (const LinkId ost : osts) paths.push_back({nic, ost});
  for (int round = 0; round < of.rounds; ++round) {
    flows.clear();
    for (std::size_t o = 0; o < osts.size(); ++o)
      flows.push_back({.path = paths[o], .bytes = b(of.size(number, static_cast<int>(o)))});
    co_await context.transfer_all(flows, outcomes);
  }
}

// A program for each client, which waits for all its stripes.
double seconds(const Stripes& of) {
  return median([&] {
    const auto context = sim::make_simgrid_context(FlowBackend::fluid);
    std::vector<LinkId> osts, nics;
    for (int o = 0; o < of.osts; ++o) osts.push_back(context->add_link("ost", bps(4e9)));
    for (int c = 0; c < of.clients; ++c) nics.push_back(context->add_link("nic", bps(50e9)));
    std::vector<sim::Flow> flows;
    const std::clock_t began = std::clock();
    for (int c = 0; c < of.clients; ++c)
      context->spawn(client(*context, of, c, nics[static_cast<std::size_t>(c)], osts, flows));
    context->run();
    return since(began);
  });
}

// The same with a program for every stripe.
std::vector<Transfer> apart(sim::Context& context, const Stripes& of) {
  std::vector<LinkId> pool;
  for (int o = 0; o < of.osts; ++o) pool.push_back(context.add_link("ost", bps(4e9)));
  std::vector<Transfer> out;
  for (int c = 0; c < of.clients; ++c) {
    const LinkId nic = context.add_link("nic", bps(50e9));
    for (int o = 0; o < of.osts; ++o)
      out.push_back({.path = {nic, pool[static_cast<std::size_t>(o)]},
                     .bytes = b(of.size(c, o)),
                     .repeats = of.rounds});
  }
  return out;
}

// Every client reads a file of its own size from a pool, `rounds` times, through its own link.
std::vector<Transfer> clients_of_pool(sim::Context& context, int clients, int rounds) {
  const LinkId pool = context.add_link("pool", bps(1e9 * clients));
  std::vector<Transfer> out;
  for (int c = 0; c < clients; ++c)
    out.push_back({.path = {context.add_link("nic", bps(50e9)), pool},
                   .bytes = b(1e8 * (1.0 + 0.6180339887 * (c % 1009) + 1e-6 * c)),
                   .repeats = rounds});
  return out;
}

void stripe_table() {
  std::printf(
      "\n### Stripes: every client reads from every OST, each stripe a transfer, CPU s\n\n");
  std::printf(
      "| clients x OSTs | transfers | end together, first | later steps | apart by client, first | "
      "later | all apart, first | a program each: without bytes | together, first |\n");
  std::printf("|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  struct Size {
    int clients, osts;
  };
  for (const Size size : {Size{10, 10}, {100, 40}, {500, 100}, {1000, 100}}) {
    const auto time = [&](Ends ends, int rounds) {
      return seconds(Stripes{size.clients, size.osts, rounds, ends});
    };
    const auto one_each = [&](Ends ends) {
      return seconds(FlowBackend::fluid, [&](sim::Context& context) {
        return apart(context, {size.clients, size.osts, 1, ends});
      });
    };
    // What the first step adds is that every flow's group is new.
    constexpr int kMore = 4;
    const double together = time(Ends::together, 1), by_client = time(Ends::by_client, 1);
    const double together_later = (time(Ends::together, 1 + kMore) - together) / kMore;
    const double by_client_later = (time(Ends::by_client, 1 + kMore) - by_client) / kMore;
    std::printf("| %d x %d | %d | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f |\n", size.clients,
                size.osts, size.clients * size.osts, together, together_later, by_client,
                by_client_later, time(Ends::by_stripe, 1), one_each(Ends::nothing),
                one_each(Ends::together));
    if (size.clients < 1000) continue;
    const char* const what = "1,000 clients x 100 OSTs, explicit stripes, one step";
    std::printf("RESULT\t%s, ending together (first; later)\t%.0f; %.0f ms\t50 ms\n", what,
                together * 1e3, together_later * 1e3);
    std::printf("RESULT\t%s, ending apart (first; later)\t%.2f; %.2f s\t1 s\n", what, by_client,
                by_client_later);
  }
}

// The same programs, and each sleeps as long as its transfer may take: what is left is the list of
// dates and programs that the cache no longer holds.
std::vector<Transfer> sleepers(int clients, int rounds) {
  std::vector<Transfer> out;
  for (int c = 0; c < clients; ++c)
    out.push_back({.path = {},
                   .bytes = b(1e8 * (1.0 + 0.6180339887 * (c % 1009) + 1e-6 * c)),
                   .cap = bps(1e9),
                   .repeats = rounds});
  return out;
}

void pool_table() {
  std::printf(
      "\n### One pool: every client with a link and a size of its own, us per transfer\n\n");
  std::printf(
      "| clients | SimGrid's transfers | our solver | first of each | later ones | programs "
      "alone, later |\n|---:|---:|---:|---:|---:|---:|\n");
  double at_hundred = 0.0, later_at_hundred = 0.0;
  for (const int clients : {1, 10, 100, 1000, 10'000, 100'000}) {
    const int rounds = std::max(1, 20'000 / clients);
    const int more = std::max(4, rounds);
    const auto time = [&](FlowBackend backend, int times) {
      return seconds(
          backend, [&](sim::Context& context) { return clients_of_pool(context, clients, times); });
    };
    const auto asleep = [&](int times) {
      return seconds(FlowBackend::fluid, [&](sim::Context&) { return sleepers(clients, times); });
    };
    const auto each = [&](double taken, int times) { return taken / clients / times * 1e6; };
    const double first = time(FlowBackend::fluid, 1);
    const double ours = each(time(FlowBackend::fluid, rounds), rounds);
    const double later = each(time(FlowBackend::fluid, 1 + more) - first, more);
    const double alone = each(asleep(1 + more) - asleep(1), more);
    if (clients <= 1000) {
      const int times = std::min(rounds, 1000 / clients + 1);
      std::printf("| %d | %.2f", clients, each(time(FlowBackend::comm, times), times));
    } else {
      std::printf("| %d | -", clients);
    }
    std::printf(" | %.2f | %.2f | %.2f | %.2f |\n", ours, each(first, 1), later, alone);
    if (clients == 100) {
      at_hundred = ours;
      later_at_hundred = later;
    }
    if (clients == 10'000)
      std::printf(
          "RESULT\tcost of a transfer on one pool: 10,000 concurrent over 100 (with first ones; "
          "later ones)\t%.1f; %.1f\t%.1f (n log n)\n",
          ours / at_hundred, later / later_at_hundred, std::log(1e4) / std::log(1e2));
  }
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // nothing for children to print again
  stripe_table();
  pool_table();
}
