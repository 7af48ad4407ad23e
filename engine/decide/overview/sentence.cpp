#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "engine/base/accelerators.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/design_values.hpp"
#include "engine/base/text.hpp"
#include "engine/decide/overview/overview.hpp"
#include "models/catalogue/catalogue.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/label.hpp"

namespace stallcast::overview {
namespace {

std::string count_text(double count) { return base::print_value(count, "count"); }

std::string plural(double count, std::string_view noun) {
  return count_text(count) + " " + std::string(noun) + (count == 1.0 ? "" : "s");
}

/// The summary of a product up to what only a list needs: "NVIDIA DGX H100: 8 x H100 ...".
std::string name_in(std::string_view summary) {
  for (const std::string_view stop : {": ", ", ", " (", " as in ", " in each host"})
    summary = summary.substr(0, summary.find(stop));
  // "WEKApod of 8 backends": how many there are is counted in the design.
  constexpr std::string_view kOf = " of ";
  const std::size_t of = summary.find(kOf);
  if (of != std::string_view::npos && of + kOf.size() < summary.size() &&
      summary[of + kOf.size()] >= '0' && summary[of + kOf.size()] <= '9')
    summary = summary.substr(0, of);
  return std::string(summary);
}

/// Hosts of one product, all classes together.
struct Hosts {
  std::string name;
  double count = 0.0;
  GpuCount gpus = {};
  [[nodiscard]] std::string phrase() const {
    std::string out = name.empty() ? plural(count, "host") : count_text(count) + " x " + name;
    if (gpus.all > 0.0) out += " (" + base::with_noun(gpus.text(), "GPUs") + ")";
    return out;
  }
};

std::vector<Hosts> hosts_of(const Design& design) {
  std::vector<Hosts> out;
  for (const Component& host : design.hosts) {
    const std::string name = title_of(host, "host");
    auto same =
        std::find_if(out.begin(), out.end(), [&](const Hosts& h) { return h.name == name; });
    if (same == out.end()) same = out.insert(out.end(), Hosts{name});
    const double count = base::number_of(host, "count", 1.0);
    same->count += count;
    const GpuCount gpus = gpus_of(design, host);
    same->gpus.all += gpus.all;
    same->gpus.used += gpus.used;
  }
  return out;
}

std::string storage_phrase(const Component& storage) {
  std::string out = title_of(storage, "storage");
  const models::KindInfo* kind = models::find_kind(models::Role::storage, storage.kind);
  if (kind == nullptr || kind->counts.empty()) return out;
  for (const models::Count& what : kind->counts)
    if (const Value* count = storage.find(what.field); count != nullptr && count->number > 0.0) {
      const std::string n = base::with_noun(count_text(count->number), what.noun);
      // "Cache servers" of one server are one of them.
      const std::string_view many = what.noun.substr(0, what.noun.find(" per "));
      return out.ends_with(" " + std::string(many)) ? out + ": " + n : out + " of " + n;
    }
  return out;
}

std::string job_phrase(const JobDesign& job) {
  std::string out = title_of(job.model, "model");
  if (out.empty() && job.dataset) {
    out = "reads " + label::of_kind("dataset", job.dataset->kind);
  }
  return out;
}

std::string save_phrase(const JobDesign& job) {
  if (!job.checkpoint) return "";
  const Value* every = job.checkpoint->find("every");
  if (every == nullptr || !(every->number > 0.0)) return "";
  return "a save every " + base::print_value(every->number, "s");
}

void add(std::vector<std::string>& out, std::string phrase) {
  if (!phrase.empty() && std::find(out.begin(), out.end(), phrase) == out.end())
    out.push_back(std::move(phrase));
}

/// The first few of many: "a, b and 3 more".
void add_some(std::vector<std::string>& out, const std::vector<std::string>& phrases,
              std::string_view noun) {
  constexpr std::size_t kMost = 2;
  const std::size_t shown = phrases.size() <= kMost + 1 ? phrases.size() : kMost;
  for (std::size_t i = 0; i < shown; ++i) add(out, phrases[i]);
  if (shown < phrases.size())
    add(out, std::to_string(phrases.size() - shown) + " more " + std::string(noun));
}

}  // namespace

std::string title_of(const Component& component, std::string_view role) {
  // A summary that begins with a small letter describes; it is not what anybody says.
  const models::CatalogueEntry* product = models::find_product(component.product);
  if (product != nullptr && (product->summary.front() < 'a' || product->summary.front() > 'z'))
    return name_in(product->summary);
  return label::of_kind(role, component.kind);
}

std::string GpuCount::text() const {
  return (used < all ? count_text(used) + " of " : "") + count_text(all);
}

GpuCount gpus_of(const Design& design, const Component& host) {
  const double all = base::number_of(host, "count", 1.0) * base::number_of(host, "gpus");
  double used = 0.0;
  bool any = false;
  for (const JobDesign& job : design.jobs) {
    const Value* on = job.job.find("hosts");
    if (on == nullptr || on->text != host.id) continue;
    any = true;
    used += base::accelerators(design, job);
  }
  const auto is_here = [&](const Component& one) {
    const Value* on = one.find("hosts");
    return on != nullptr && on->text == host.id;
  };
  // What tenants and stages do there takes hosts; their GPUs are not counted one by one.
  const bool others = design.jobs.empty() ||
                      std::any_of(design.tenants.begin(), design.tenants.end(), is_here) ||
                      std::any_of(design.stages.begin(), design.stages.end(), is_here);
  return {all, any || !others ? std::min(used, all) : all};
}

std::string system_sentence(const Design& design) {
  std::vector<std::string> out, some;
  for (const Hosts& hosts : hosts_of(design)) add(some, hosts.phrase());
  add_some(out, some, "kinds of hosts");
  some.clear();
  for (const JobDesign& job : design.jobs) add(some, job_phrase(job));
  add_some(out, some, "jobs");
  some.clear();
  std::map<std::string, int> alike;
  for (const Component& storage : design.storage) ++alike[storage_phrase(storage)];
  for (const Component& storage : design.storage) {
    const std::string phrase = storage_phrase(storage);
    const int times = alike.at(phrase);
    add(some, times > 1 ? std::to_string(times) + " x " + phrase : phrase);
  }
  add_some(out, some, "storage systems");
  some.clear();
  for (const JobDesign& job : design.jobs) add(some, save_phrase(job));
  add_some(out, some, "savers");
  if (!design.tenants.empty())
    add(out, design.tenants.size() == 1 && design.jobs.empty()
                 ? "tenant " + design.tenants.front().id
                 : plural(static_cast<double>(design.tenants.size()), "tenant"));
  return base::join(out, ", ");
}

}  // namespace stallcast::overview
