#include "engine/runtime/run/result_cache.hpp"

namespace stallcast::run {

std::optional<RunResult> ResultCache::find(const std::string& design_hash, std::uint64_t seed) {
  const auto place = places_.find({design_hash, seed});
  if (place == places_.end()) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->result;
}

void ResultCache::keep(const std::string& design_hash, const RunResult& result) {
  const Key key{design_hash, result.seed};
  if (capacity_ == 0 || places_.contains(key)) return;
  if (places_.size() == capacity_) {
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({key, result});
  places_.emplace(key, entries_.begin());
}

}  // namespace stallcast::run
