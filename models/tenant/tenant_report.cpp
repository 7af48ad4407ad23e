#include <algorithm>

#include "engine/base/quantity_text.hpp"
#include "models/tenant/answers.hpp"
#include "models/tenant/tenant.hpp"
#include "stallcast/metric.hpp"

// What a tenant says of itself when the run is over.
namespace stallcast::models {

bool Tenant::tell_open(double part, std::string_view what, RunResult& out,
                       std::string_view of) const {
  if (part <= kMuch) return false;
  out.warnings.push_back(
      "tenant." + id_ + ": " + base::percent(part, 0) + " of its " + std::string(of) + " had no " +
      std::string(what) +
      " when the run ended: it asks for more than it is given, and latencies grow as long as it "
      "does, or the run is short for them; they count with the time until then");
  return true;
}

std::optional<ResourceUse> Tenant::limit_use(Seconds wall) const {
  std::optional<ResourceUse> out;
  const auto add = [&](double moved, double limit, const char* unit) {
    const double rate = std::min(moved / wall.in(unit::s), limit);  // the bucket was full at first
    const double in_use =
        active() < kShortest ? 0.0 : std::min(moved / active().in(unit::s), limit);
    if (out && rate / limit <= out->utilization()) return;
    out = ResourceUse{metric::of_tenant(id_, "limit"), unit, limit, rate, in_use, 0.0};
  };
  if (common_.limit) add(moved().in(unit::B), common_.limit->in(unit::Bps), "B/s");
  if (common_.limit_operations)
    add(operations_ + metadata_, common_.limit_operations->in(unit::per_s), "1/s");
  return out;
}

void Tenant::report(RunResult& out) const {
  const std::string name = metric::of_tenant(id_);
  const Seconds time = active();
  if (time < kShortest && ends()) return remark(name, out);
  if (time < kShortest) {
    out.warnings.push_back("tenant." + id_ + ": the run ended before it started");
    return;
  }
  out.metrics[name + "read"] = {(read_ / time).in(unit::Bps), "B/s", {}};
  out.metrics[name + "write"] = {(written_ / time).in(unit::Bps), "B/s", {}};
  if (arrives())
    out.metrics[name + "asked"] = {((moved() + open_bytes_) / time).in(unit::Bps), "B/s", {}};
  out.metrics[name + "operations"] = {operations_ / time.in(unit::s), "1/s", {}};
  latencies_.report(name + "latency", context_.now(), out);
  if (metadata_ > 0.0) out.metrics[name + "metadata"] = {metadata_ / time.in(unit::s), "1/s", {}};
  opens_.report(name + "metadata.latency", "s", out);
  if (operations_ > 0.0) tell_open(unanswered_ / (operations_ + unanswered_), "answer", out);
  if (!did_any() && !ends())
    out.warnings.push_back("tenant." + id_ + ": the run ended before a request of it did");
  if (const ResourceIndex worst = waited_.worst(); worst != kNoResource)
    out.limited_by["tenant." + id_] = plant_.resources().name(worst);
  remark(name, out);
}

}  // namespace stallcast::models
