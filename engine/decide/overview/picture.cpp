#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "engine/base/counted.hpp"
#include "engine/base/design_values.hpp"
#include "engine/decide/overview/overview.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::overview {
namespace {

constexpr double kNarrowest = 220.0, kWidest = 420.0, kGap = 64.0, kBelow = 24.0, kMargin = 8.0;
/// Letters of 13 are at most so wide, bold ones a little more; what stands beside a name of its
/// load ("12 %, 100 % in use"), and the room at both sides.
constexpr double kLetter = 7.5, kBold = 8.0, kLoad = 20.0 * kLetter, kSides = 26.0;
/// Less is not drawn of parts that are seldom of interest: of the capacity, of all waiting.
constexpr double kUsed = 0.005, kBlamed = 0.01;
constexpr std::size_t kMostTenants = 6;
/// Parts of hosts that are drawn where nothing else says they matter.
constexpr std::string_view kOnlyIfUsed[] = {"memory", "client", "compute_nic"};

/// Of all of the component: what each of so many hosts has, that many times.
std::string count_of(const Component& component, std::string_view part, double owners) {
  const std::string key = std::string(part.substr(0, part.find('.'))) + ".count";
  const Value* value = component.find(key);
  return value == nullptr ? "" : base::print_value(value->number * owners, "count");
}

/// What the component is told to use: ids of others in its text values.
bool refers_to(const Component& component, std::string_view id) {
  return std::any_of(component.values.begin(), component.values.end(), [&](const auto& entry) {
    return entry.second.dimension == Dimension::text && entry.second.text == id &&
           (entry.first.ends_with("on") || entry.first.ends_with("to") ||
            entry.first.ends_with("over") || entry.first.ends_with("storage") ||
            entry.first.ends_with("from"));
  });
}

class Drawing {
 public:
  Drawing(const Design& design, const Prediction& prediction)
      : design_(design), prediction_(prediction) {}

  Picture draw() {
    add_all_hosts();
    if (!design_.tenants.empty()) add_traffic();
    if (!design_.storage.empty() || design_.hosts.size() > 1) add_fabric();
    for (const Component& storage : design_.storage) add_storage(storage);
    place();
    connect();
    return std::move(out_);
  }

 private:
  PictureBox& box(PictureBox::Role role, int column, std::string path) {
    PictureBox& made = out_.boxes.emplace_back();
    made.role = role;
    made.path = std::move(path);
    column_.push_back(column);
    return made;
  }

  /// One row for each part of `owner` that the prediction has a figure of, ways together, in the
  /// order that data comes from the fabric.
  void add_parts(PictureBox& to, std::string_view role, const Component& owner) {
    std::map<int, std::vector<PicturePart>> by_place;
    const double owners = role == "host" ? base::number_of(owner, "count", 1.0) : 1.0;
    for (const ResourceUse& use : prediction_.resources) {
      const base::ResourceName name = base::resource_name(use.name);
      if (name.role != role || name.id != owner.id) continue;
      const label::NamedPart part = label::part_of(use.name);
      const bool costs = use.utilization() > kUsed || use.blamed_share > kBlamed;
      const std::string_view first = part.name.substr(0, part.name.find('.'));
      const bool shy = role == "host" && std::find(std::begin(kOnlyIfUsed), std::end(kOnlyIfUsed),
                                                   first) != std::end(kOnlyIfUsed);
      // What has no capacity has no bar: it is drawn where it costs time.
      const bool bare = !(use.capacity > 0.0) || !std::isfinite(use.capacity);
      if (part.words.empty() || (!costs && (shy || bare || part.place == label::DrawnIn::limit)))
        continue;
      std::vector<PicturePart>& rows = by_place[static_cast<int>(part.place)];
      const std::string words(part.words);
      auto row = std::find_if(rows.begin(), rows.end(),
                              [&](const PicturePart& r) { return words.starts_with(r.label); });
      if (row == rows.end())
        row = rows.insert(rows.end(), {words, count_of(owner, part.name, owners), {}, {}});
      if (row->count == "1" && row->label.ends_with('s')) row->label.pop_back();
      row->resources.push_back(use.name);
    }
    for (auto& [place, rows] : by_place)
      for (PicturePart& row : rows) to.parts.push_back(std::move(row));
  }

  static std::string title_of_hosts(const Component& host, double n) {
    const std::string name = title_of(host, "host");
    return base::print_value(n, "count") +
           (!name.empty() ? " x " + name : std::string(n == 1.0 ? " host" : " hosts"));
  }

  /// Nothing of the design names these hosts, and nothing that they have was used.
  [[nodiscard]] bool is_idle(const Component& host) const {
    bool named = false;
    base::for_each_component(design_, [&](const std::string&, const char*, const Component& one) {
      for (const auto& [key, value] : one.values)
        named = named || value.text == host.id ||
                std::find(value.list.begin(), value.list.end(), host.id) != value.list.end();
    });
    if (named) return false;
    return std::none_of(prediction_.resources.begin(), prediction_.resources.end(),
                        [&](const ResourceUse& use) {
                          const base::ResourceName name = base::resource_name(use.name);
                          return name.role == "host" && name.id == host.id &&
                                 (use.utilization() > kUsed || use.blamed_share > kBlamed);
                        });
  }

  /// Classes of one product that do nothing are one box.
  void add_all_hosts() {
    std::map<std::string, std::vector<const Component*>> idle;  // by product
    const auto product = [](const Component& host) {
      return host.kind + " " + title_of(host, "host");
    };
    for (const Component& host : design_.hosts)
      if (is_idle(host)) idle[product(host)].push_back(&host);
    for (const Component& host : design_.hosts) {
      const std::vector<const Component*>& alike = idle[product(host)];
      if (alike.size() < 2 || std::find(alike.begin(), alike.end(), &host) == alike.end())
        add_hosts(host);
      else if (alike.front() == &host)
        add_idle(alike);
    }
  }

  void add_idle(const std::vector<const Component*>& alike) {
    const Component& first = *alike.front();
    PictureBox& made = box(PictureBox::Role::hosts, 0, base::component_path("host", first.id));
    double n = 0.0;
    for (const Component* host : alike) n += base::number_of(*host, "count", 1.0);
    made.title = title_of_hosts(first, n);
    const std::size_t more = alike.size() - 1;
    made.subtitle = "hosts " + first.id + " and " + std::to_string(more) +
                    (more == 1 ? " more class" : " more classes") + ", idle";
  }

  void add_hosts(const Component& host) {
    PictureBox& made = box(PictureBox::Role::hosts, 0, base::component_path("host", host.id));
    const double n = base::number_of(host, "count", 1.0);
    const GpuCount gpus = gpus_of(design_, host);
    made.title = title_of_hosts(host, n);
    made.subtitle = "hosts " + host.id;
    PicturePart compute{gpus.text() == "1" ? "GPU" : "GPUs", gpus.text(), {}, {}};
    for (const JobDesign& job : design_.jobs)
      if (const Value* on = job.job.find("hosts"); on != nullptr && on->text == host.id)
        compute.metrics.push_back(metric::gpu_utilization(job.job.id));
    if (gpus.all > 0.0 && !compute.metrics.empty()) made.parts.push_back(std::move(compute));
    add_parts(made, "host", host);
  }

  void add_traffic() {
    const std::size_t n = design_.tenants.size();
    PictureBox& made = box(PictureBox::Role::traffic, 0,
                           base::component_path("tenant", design_.tenants.front().id));
    made.title = n == 1 ? "1 tenant" : std::to_string(n) + " tenants";
    made.subtitle = "other traffic";
    const std::size_t shown = n <= kMostTenants ? n : kMostTenants - 1;
    for (std::size_t i = 0; i < shown; ++i)
      made.parts.push_back({design_.tenants[i].id + ": " + design_.tenants[i].kind, "", {}, {}});
    if (shown < n) made.parts.push_back({std::to_string(n - shown) + " more", "", {}, {}});
  }

  void add_fabric() {
    PictureBox& made = box(PictureBox::Role::fabric, 1, "cluster.fabric");
    made.title = title_of(design_.fabric, "fabric");
    if (made.title.empty()) made.title = "fabric";
    made.subtitle = design_.fabric.kind + " fabric";
    add_parts(made, "fabric", design_.fabric);
  }

  /// A storage system that another one stands in front of is one column further right.
  [[nodiscard]] int depth(const Component& storage, int limit = 4) const {
    int most = 0;
    for (const Component& front : design_.storage)
      if (&front != &storage && limit > 0 && refers_to(front, storage.id))
        most = std::max(most, 1 + depth(front, limit - 1));
    return most;
  }

  void add_storage(const Component& storage) {
    PictureBox& made = box(PictureBox::Role::storage, 2 + depth(storage),
                           base::component_path("storage", storage.id));
    made.title = storage.id;
    made.subtitle = title_of(storage, "storage");
    add_parts(made, "storage", storage);
  }

  /// What the names in a box need, so that none has to be cut.
  [[nodiscard]] static double width_of(const PictureBox& b) {
    double out = std::max(kBold * static_cast<double>(b.title.size()),
                          kLetter * static_cast<double>(b.subtitle.size()));
    for (const PicturePart& part : b.parts) {
      const std::size_t letters = part.count.size() + 1 + part.label.size();
      const bool loaded = !part.resources.empty() || !part.metrics.empty();
      out = std::max(out, kLetter * static_cast<double>(letters) + (loaded ? kLoad : 0.0));
    }
    return std::clamp(out + kSides, kNarrowest, kWidest);
  }

  /// Columns from left to right, boxes of a column below each other, columns centred.
  void place() {
    std::map<int, double> heights, widths;
    for (std::size_t i = 0; i < out_.boxes.size(); ++i)
      widths[column_[i]] = std::max(widths[column_[i]], width_of(out_.boxes[i]));
    for (std::size_t i = 0; i < out_.boxes.size(); ++i) {
      PictureBox& b = out_.boxes[i];
      b.width = widths[column_[i]];
      b.height = kPictureHead + kPictureRow * static_cast<double>(b.parts.size()) + kPicturePad;
      double& below = heights[column_[i]];
      b.y = below == 0.0 ? 0.0 : below + kBelow;
      below = b.y + b.height;
    }
    for (const auto& [column, height] : heights) out_.height = std::max(out_.height, height);
    std::map<int, double> left;
    double end = kMargin;
    for (const auto& [column, width] : widths) {
      left[column] = end;
      end += width + kGap;
    }
    for (std::size_t i = 0; i < out_.boxes.size(); ++i) {
      PictureBox& b = out_.boxes[i];
      b.x = left[column_[i]];
      b.y += kMargin + (out_.height - heights[column_[i]]) / 2.0;
    }
    out_.width = end - kGap + kMargin;
    out_.height += 2.0 * kMargin;
  }

  [[nodiscard]] std::vector<std::string> resources_of(std::size_t at, std::string_view end) const {
    std::vector<std::string> out;
    for (const PicturePart& part : out_.boxes[at].parts)
      for (const std::string& name : part.resources)
        if (label::part_of(name).place == label::DrawnIn::entry && name.find(end) != name.npos)
          out.push_back(name);
    return out;
  }

  void wire(std::size_t from, std::size_t to, std::vector<std::string> resources) {
    out_.wires.push_back({from, to, std::move(resources), 0.0, 0.0});
  }

  /// Hosts and traffic to the fabric, the fabric to what they use, fronts to what is behind them.
  /// Storage that is in hosts is wired to them without the fabric.
  void connect() {
    std::optional<std::size_t> fabric;
    for (std::size_t i = 0; i < out_.boxes.size(); ++i)
      if (out_.boxes[i].role == PictureBox::Role::fabric) fabric = i;
    if (!fabric) return;
    for (std::size_t i = 0; i < out_.boxes.size(); ++i) switch (out_.boxes[i].role) {
        case PictureBox::Role::hosts:
          wire(i, *fabric, resources_of(i, ""));
          break;
        case PictureBox::Role::traffic:
          wire(i, *fabric, {});
          break;
        case PictureBox::Role::storage:
          if (column_[i] == 2) wire(*fabric, i, resources_of(i, ""));
          break;
        case PictureBox::Role::fabric:
          break;
      }
    for (std::size_t i = 0; i < out_.boxes.size(); ++i)
      for (std::size_t j = 0; j < out_.boxes.size(); ++j)
        if (column_[i] >= 2 && column_[j] == column_[i] + 1 &&
            refers_to(storage_at(i), storage_at(j).id))
          wire(i, j, resources_of(j, ""));
    spread(true);
    spread(false);
  }

  [[nodiscard]] const Component& storage_at(std::size_t box) const {
    return design_.storage[design_.storage.size() - (out_.boxes.size() - box)];
  }

  /// Ends of wires at one side of a box keep apart, in the order of what they lead to.
  void spread(bool left_ends) {
    for (std::size_t b = 0; b < out_.boxes.size(); ++b) {
      std::vector<PictureWire*> ends;
      for (PictureWire& w : out_.wires)
        if ((left_ends ? w.to : w.from) == b) ends.push_back(&w);
      std::stable_sort(ends.begin(), ends.end(), [&](const PictureWire* a, const PictureWire* c) {
        return out_.boxes[left_ends ? a->from : a->to].y <
               out_.boxes[left_ends ? c->from : c->to].y;
      });
      const PictureBox& at = out_.boxes[b];
      for (std::size_t i = 0; i < ends.size(); ++i)
        (left_ends ? ends[i]->y_to : ends[i]->y_from) =
            at.y + at.height * static_cast<double>(i + 1) / static_cast<double>(ends.size() + 1);
    }
  }

  const Design& design_;
  const Prediction& prediction_;
  Picture out_;
  std::vector<int> column_;  // of each box
};

}  // namespace

Picture system_picture(const Design& design, const Prediction& prediction) {
  return Drawing(design, prediction).draw();
}

}  // namespace stallcast::overview
