#include "models/saving/checkpointer.hpp"

/// How far saves go, and when their files are deleted. docs/models/checkpoint.md, eq. 10.
namespace stallcast::models {

bool Checkpointer::reaches(const Save& save, std::size_t tier) const {
  return tier + 1 < mover_.tiers().size() || save.drained || tier == durable_;
}

std::size_t Checkpointer::goes_to(const Save& save, std::size_t tier) const {
  const std::vector<std::string>& tiers = mover_.tiers();
  std::size_t next = tier + 1;
  while (next < tiers.size() && in_memory(tiers[next])) ++next;
  return next < tiers.size() && reaches(save, next) ? next : tiers.size();
}

// Nothing deletes a save that is still to be read.    [docs/models/checkpoint.md, eq. 10]
void Checkpointer::drained(const Save& save, std::size_t tier) {
  for (std::size_t from = 0; from < tier; ++from) {
    if (in_memory(mover_.tiers()[from]) || goes_to(save, from) != tier) continue;
    if (const double files = retention_[from].drained(save.point->number); files > 0.0)
      mover_.context().spawn(remove(mover_.tiers()[from], files));
  }
}

// Rank 0 deletes; an unlink costs the metadata servers what an open does (assumption).
sim::Task<void> Checkpointer::remove(std::string tier, double files) {
  for (const Mover& mover : writers_)
    if (mover.share.rank0) {
      const Mover rank0 = one_of(mover);
      co_await mover_.metadata(rank0, tier, files);
    }
}

std::map<std::string, Bytes> Checkpointer::most_waiting() const {
  std::map<std::string, Bytes> out;
  for (std::size_t t = 0; t < mover_.tiers().size(); ++t)
    if (const Bytes waiting = retention_[t].most_waiting(); waiting > Bytes{})
      out[mover_.tiers()[t]] = waiting;
  return out;
}

}  // namespace stallcast::models
