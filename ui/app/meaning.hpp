#pragma once

#include <string>

/// What a word of scenarios and reports means.
namespace stallcast::client {

/// What is documented of `word`, as lines for people: a key of a scenario
/// ("storage[scratch].ost.read", "jobs.train.loader.workers", "ost.read"), a metric
/// ("job.train.gpu.utilization", "gpu.utilization"), or both. "" where it is neither.
[[nodiscard]] std::string meaning_of(const std::string& word);

}  // namespace stallcast::client
