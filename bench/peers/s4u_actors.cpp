#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

/// The job of bench/scenarios/1000-hosts.json as one writes it with SimGrid alone: a program
/// (actor) for each loader worker, trainer and checkpoint writer of each host, a link for each
/// network port, a transfer (Comm) for each read. Nothing is folded or skipped.
///
/// Usage: s4u_actors [HOSTS [STEPS]]; prints what the report of a run calls so, in seconds.
namespace sg4 = simgrid::s4u;

namespace {

// Numbers of the scenario.
constexpr double kNic = 25e9;                             // nic.rate, bytes/s
constexpr double kOsts = 100, kRead = 5e9, kWrite = 4e9;  // ost
constexpr double kSample = 40.0 * 1024 * 1024;            // dataset.sample
constexpr double kState = 14.0 * 70e9;                    // 14 bytes for each parameter
constexpr double kCompute = 0.1, kRelease = 20e-6;        // step.compute, barrier.base
constexpr double kCopy = 55e9;                            // gpu.copy
constexpr int kWorkers = 2, kPrefetch = 2, kSaveEvery = 100;

struct Job {
  int hosts, steps;
  sg4::Host* storage = nullptr;
  sg4::BarrierPtr barrier;
  std::vector<double> step_times;
  double saving = 0.0;
  int saves = 0;
};

/// What the actors of one host share.
struct Node {
  sg4::Host* host;
  std::vector<sg4::SemaphorePtr> slots, ready;  // of each worker: batches it may load, has loaded
  sg4::SemaphorePtr to_save = sg4::Semaphore::create(0), buffer = sg4::Semaphore::create(1);
};

void load(const Job& job, const Node& node, int worker) {
  for (int batch = worker; batch < job.steps; batch += kWorkers) {
    node.slots[worker]->acquire();
    sg4::Comm::sendto(job.storage, node.host, static_cast<std::uint64_t>(kSample));
    node.ready[worker]->release();
  }
}

void write_saves(Job& job, const Node& node, bool first) {
  for (int save = 0; save < job.steps / kSaveEvery; ++save) {
    node.to_save->acquire();
    const double began = sg4::Engine::get_clock();
    sg4::Comm::sendto(node.host, job.storage, static_cast<std::uint64_t>(kState / job.hosts));
    if (first) job.saving += sg4::Engine::get_clock() - began, ++job.saves;
    node.buffer->release();
  }
}

void train(Job& job, const Node& node, bool first) {
  for (int step = 0; step < job.steps; ++step) {
    const double began = sg4::Engine::get_clock();
    node.ready[step % kWorkers]->acquire();
    node.slots[step % kWorkers]->release();
    sg4::this_actor::sleep_for(kCompute);
    job.barrier->wait();
    sg4::this_actor::sleep_for(kRelease);
    if (first) job.step_times.push_back(sg4::Engine::get_clock() - began);
    if ((step + 1) % kSaveEvery != 0) continue;
    node.buffer->acquire();
    sg4::this_actor::sleep_for(kState / job.hosts / kCopy);
    node.to_save->release();
  }
}

sg4::LinkInRoute link(sg4::NetZone* zone, const std::string& name, double rate) {
  return sg4::LinkInRoute(zone->create_link(name, rate)->set_latency(0.0)->seal());
}

/// Hosts with a port each way, around the pool of OSTs: what is read leaves it, what is written
/// enters it.
void build(Job& job, std::vector<Node>& nodes) {
  sg4::NetZone* zone = sg4::create_star_zone("cluster");
  const sg4::LinkInRoute pool = link(zone, "ost", kOsts * std::max(kRead, kWrite));
  job.storage = zone->create_host("storage", 1.0);
  zone->add_route(job.storage->get_netpoint(), nullptr, nullptr, nullptr, {pool}, false);
  zone->add_route(nullptr, job.storage->get_netpoint(), nullptr, nullptr,
                  {link(zone, "ost.write", kOsts * kWrite), pool}, false);
  for (int h = 0; h < job.hosts; ++h) {
    const std::string name = "gpu-" + std::to_string(h);
    sg4::Host* host = zone->create_host(name, 1.0);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr,
                    {link(zone, name + ".out", kNic)}, false);
    zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr,
                    {link(zone, name + ".in", kNic)}, false);
    nodes.push_back({host, {}, {}});
  }
  zone->seal();
}

}  // namespace

int main(int argc, char** argv) {
  // What RDMA does not do, off: TCP windows, headers, reverse traffic. The rest is the default.
  std::vector<std::string> words{argv[0],
                                 "--log=xbt_cfg.thres:warning",
                                 "--cfg=network/model:CM02",
                                 "--cfg=network/crosstraffic:0",
                                 "--cfg=network/TCP-gamma:1e30",
                                 "--cfg=network/weight-S:0",
                                 "--cfg=network/bandwidth-factor:1",
                                 "--cfg=network/latency-factor:1"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  sg4::Engine engine(&count, arguments.data());

  Job job{argc > 1 ? std::atoi(argv[1]) : 1000, argc > 2 ? std::atoi(argv[2]) : 1000};
  std::vector<Node> nodes;
  build(job, nodes);
  job.barrier = sg4::Barrier::create(static_cast<unsigned>(job.hosts));
  for (Node& node : nodes) {
    const bool first = &node == &nodes.front();
    for (int w = 0; w < kWorkers; ++w) {
      node.slots.push_back(sg4::Semaphore::create(kPrefetch));
      node.ready.push_back(sg4::Semaphore::create(0));
      sg4::Actor::create("loader", node.host, [&job, &node, w] { load(job, node, w); });
    }
    sg4::Actor::create("trainer", node.host, [&job, &node, first] { train(job, node, first); });
    sg4::Actor::create("saver", node.host, [&job, &node, first] { write_saves(job, node, first); });
  }
  engine.run();

  double sum = 0.0;
  for (const double time : job.step_times) sum += time;
  std::printf("step.time %.12f\nstep.time.max %.12f\nsteps %zu\n",
              sum / static_cast<double>(job.step_times.size()),
              *std::max_element(job.step_times.begin(), job.step_times.end()),
              job.step_times.size());
  if (job.saves > 0) std::printf("checkpoint.duration %.12f\n", job.saving / job.saves);
  return 0;
}
