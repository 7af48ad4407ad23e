#include "models/contract/operations.hpp"

#include <algorithm>
#include <utility>

namespace stallcast::models {

OperationLine::OperationLine(sim::Context& context, ResourceTable& resources, std::string name,
                             OpRate rate)
    : name_(std::move(name)), rate_(rate), resource_(resources.index(name_)), line_(context, 1) {}

// t = members (named + max(files, bytes / 4 MiB)) / rate, behind those that came before
Seconds OperationLine::admit(const Client& client, double named, Bytes bytes, double files) {
  const double each = named + std::max(files, bytes / kLargestRequest);
  return line_.admit(1.0, Ops::from(each * client.members, unit::ops) / rate_);
}

ResourceUse OperationLine::use(Seconds wall) const {
  ResourceUse out{.name = name_, .unit = "1/s"};
  out.capacity = rate_.in(unit::per_s);
  out.throughput = out.capacity * (line_.worked() / wall);
  return out;
}

}  // namespace stallcast::models
