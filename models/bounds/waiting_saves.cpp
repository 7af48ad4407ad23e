#include "models/bounds/waiting_saves.hpp"

#include "models/bounds/kept_saves.hpp"
#include "models/bounds/parts.hpp"
#include "models/stage/job_order.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::models {

// Of jobs in a row each drains what it saved before the next begins to wait.
void add_waiting(const Design& design, const std::vector<BytesOfTier>& waiting,
                 std::vector<Room>& rooms) {
  const JobOrder order(design);
  for (Room& room : rooms) {
    std::vector<double> bytes(waiting.size());
    for (std::size_t j = 0; j < waiting.size(); ++j) {
      const auto found = waiting[j].find(room.storage);
      if (found == waiting[j].end()) continue;
      const double holders = room.per_host ? kept_saves(design, design.jobs[j]).holders : 1.0;
      bytes[j] = found->second.in(unit::B) / holders;
    }
    for (const std::size_t j : heaviest_at_one_time(
             bytes, [&](std::size_t a, std::size_t b) { return order.before(a, b); }))
      room.stored.push_back({metric::of_job(design.jobs[j].job.id, "checkpoints." + room.storage),
                             Bytes::from(bytes[j], unit::B), "saves that wait for their drain"});
  }
}

}  // namespace stallcast::models
