#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

/// The job of bench/scenarios/1000-hosts.json as an event loop written by hand for it, rank by
/// rank: the least that this job takes. It knows that there is one pool, and it reports one time.
///
/// Usage: event_loop [HOSTS [STEPS]]; prints what the report of a run calls so, in seconds.
namespace {

// Numbers of the scenario.
constexpr double kNic = 25e9;                                     // nic.rate, bytes/s
constexpr double kPool = 500e9, kWrites = 400e9;                  // ost
constexpr double kSample = 40.0 * 1024 * 1024;                    // dataset.sample
constexpr double kState = 14.0 * 70e9;                            // 14 bytes for each parameter
constexpr double kCompute = 0.1, kRelease = 20e-6, kCopy = 55e9;  // step, barrier.base, gpu.copy
constexpr int kWorkers = 2, kPrefetch = 2, kSaveEvery = 100;
constexpr double kRest = 0.1;  // bytes: more than rounding leaves of a transfer after hours

struct Node {
  int slots[kWorkers] = {kPrefetch, kPrefetch}, ready[kWorkers] = {}, next[kWorkers] = {0, 1};
  bool loading[kWorkers] = {}, waits = false;                               // for a batch
  bool buffered = false, writing = false, copied = false, blocked = false;  // a save
  int step = 0, reads = 0;
  double began = 0.0, save_began = 0.0;
};
struct Transfer {
  double left, rate;
  int host, worker;  // worker -1: a save
};
enum class What { computed, released, copied };
struct Event {
  double date;
  std::uint64_t order;
  What what;
  int host;
  bool operator>(const Event& other) const {
    return date != other.date ? date > other.date : order > other.order;
  }
};

class Loop {
 public:
  Loop(int hosts, int steps) : steps_(steps), nodes_(static_cast<std::size_t>(hosts)) {
    for (int h = 0; h < hosts; ++h) {
      for (int w = 0; w < kWorkers; ++w) load(h, w);
      begin_step(h);
    }
  }
  void run() {
    while (!events_.empty() || !transfers_.empty()) {
      if (changed_) share();
      double next = events_.empty() ? 1e300 : events_.top().date;
      for (const Transfer& one : transfers_) next = std::min(next, now_ + one.left / one.rate);
      for (Transfer& one : transfers_) one.left -= one.rate * (next - now_);
      now_ = next;
      for (std::size_t i = 0; i < transfers_.size();) {
        const Transfer one = transfers_[i];
        if (one.left > kRest) {
          ++i;
          continue;
        }
        transfers_[i] = transfers_.back();
        transfers_.pop_back();
        changed_ = true;
        ended(one);
      }
      while (!events_.empty() && events_.top().date <= now_) {
        const Event event = events_.top();
        events_.pop();
        happen(event.what, event.host);
      }
    }
  }
  void print() const {
    double sum = 0.0;
    for (const double time : times_) sum += time;
    std::printf("step.time %.12f\nstep.time.max %.12f\nsteps %zu\n",
                sum / static_cast<double>(times_.size()),
                *std::max_element(times_.begin(), times_.end()), times_.size());
    if (saves_ > 0) std::printf("checkpoint.duration %.12f\n", saving_ / saves_);
  }

 private:
  void later(double delay, What what, int host) {
    events_.push({now_ + delay, order_++, what, host});
  }
  void start(double bytes, int host, int worker) {
    transfers_.push_back({bytes, 0.0, host, worker});
    changed_ = true;
  }
  Node& at(int host) { return nodes_[static_cast<std::size_t>(host)]; }

  void load(int host, int worker) {
    Node& node = at(host);
    if (node.loading[worker] || node.slots[worker] == 0 || node.next[worker] >= steps_) return;
    --node.slots[worker];
    node.next[worker] += kWorkers;
    node.loading[worker] = true;
    ++node.reads;
    start(kSample, host, worker);
  }
  void ended(const Transfer& one) {
    Node& node = at(one.host);
    if (one.worker < 0) {
      if (one.host == 0) saving_ += now_ - node.save_began, ++saves_;
      node.buffered = node.writing = false;
      if (std::exchange(node.blocked, false)) copy(one.host);
      return;
    }
    --node.reads;
    node.loading[one.worker] = false;
    ++node.ready[one.worker];
    load(one.host, one.worker);
    if (node.waits && node.step % kWorkers == one.worker) take(one.host);
  }
  void begin_step(int host) {
    Node& node = at(host);
    if (node.step == steps_) return;
    node.began = now_;
    node.waits = true;
    if (node.ready[node.step % kWorkers] > 0) take(host);
  }
  void take(int host) {
    Node& node = at(host);
    const int worker = node.step % kWorkers;
    node.waits = false;
    --node.ready[worker];
    ++node.slots[worker];
    load(host, worker);
    later(kCompute, What::computed, host);
  }
  void copy(int host) {
    at(host).buffered = true;
    later(kState / static_cast<double>(nodes_.size()) / kCopy, What::copied, host);
  }
  void happen(What what, int host) {
    Node& node = at(host);
    if (what == What::computed) {
      if (++arrived_ < nodes_.size()) return;
      arrived_ = 0;
      for (std::size_t h = 0; h < nodes_.size(); ++h)
        later(kRelease, What::released, static_cast<int>(h));
    } else if (what == What::released) {
      if (host == 0) times_.push_back(now_ - node.began);
      if (++node.step % kSaveEvery != 0)
        begin_step(host);
      else if (node.buffered)
        node.blocked = true;
      else
        copy(host);
    } else {
      node.save_began = now_;
      start(kState / static_cast<double>(nodes_.size()), host, -1);
      begin_step(host);
    }
  }

  // The level at which transfers with these caps, so many of each, fill `capacity`.
  static double level(std::vector<std::pair<double, int>> caps, double capacity) {
    std::sort(caps.begin(), caps.end());
    int left = 0;
    for (const auto& [cap, count] : caps) left += count;
    for (const auto& [cap, count] : caps) {
      if (cap * left >= capacity) break;
      capacity -= cap * count;
      left -= count;
    }
    return left > 0 ? capacity / left : 1e300;
  }
  // Max-min: ports, then what is written, then the pool.
  void share() {
    changed_ = false;
    std::vector<std::pair<double, int>> reads(kWorkers), all;
    int saves = 0;
    for (const Transfer& one : transfers_) {
      if (one.worker < 0) {
        ++saves;
        continue;
      }
      auto& [cap, count] = reads[static_cast<std::size_t>(at(one.host).reads) - 1];
      cap = kNic / at(one.host).reads;
      ++count;
    }
    for (const auto& one : reads)
      if (one.second > 0) all.push_back(one);
    const double write = saves > 0 ? std::min(kNic, kWrites / saves) : kNic;
    if (saves > 0) all.emplace_back(write, saves);
    const double pool = level(all, kPool);
    for (Transfer& one : transfers_)
      one.rate = std::min(pool, one.worker < 0 ? write : kNic / at(one.host).reads);
  }

  int steps_;
  std::vector<Node> nodes_;
  std::vector<Transfer> transfers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::size_t arrived_ = 0;
  double now_ = 0.0, saving_ = 0.0;
  int saves_ = 0;
  bool changed_ = false;
  std::vector<double> times_;
};

}  // namespace

int main(int argc, char** argv) {
  Loop loop(argc > 1 ? std::atoi(argv[1]) : 1000, argc > 2 ? std::atoi(argv[2]) : 1000);
  loop.run();
  loop.print();
  return 0;
}
