#include "models/stage/graph.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "models/contract/dataset.hpp"
#include "models/contract/training.hpp"
#include "models/stage/host_drives.hpp"

namespace stallcast::models {
namespace {

using What = StageFault::What;

// Of what a stage brings, more than nothing.
constexpr double kFirstBytes = std::numeric_limits<double>::min();

/// Where the search for a cycle is.
enum class Mark { fresh, open, closed };

class Grapher {
 public:
  explicit Grapher(const Design& design) : design_(design) {}

  std::vector<StageNode> run(std::vector<StageFault>* faults) {
    for (const Component& stage : design_.stages) add_stage(stage);
    for (const JobDesign& job : design_.jobs) add_job(job);
    for (std::size_t n = 0; n < nodes_.size(); ++n) follow(n);
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].job != nullptr) follow_what_it_reads(n);
    std::vector<StageNode> out = faults_.empty() ? sorted() : std::vector<StageNode>{};
    if (faults_.empty()) faults_ = faults_of_host_drives(design_, out);
    if (faults_.empty()) copy_to_each_host(design_, out);
    for (std::size_t n = 0; n < out.size() && faults_.empty(); ++n) measure(out, n);
    if (faults != nullptr) *faults = faults_;
    return faults_.empty() ? out : std::vector<StageNode>{};
  }

 private:
  void fault(What what, const Component& at, std::string key, std::string name) {
    faults_.push_back({what, &at, std::move(key), std::move(name)});
  }

  std::optional<std::size_t> node_of(const std::string& id) const {
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].id == id || (nodes_[n].job != nullptr && nodes_[n].job->job.id == id)) return n;
    return std::nullopt;
  }

  void add_stage(const Component& stage) {
    const StageParams common = stage_params(stage);
    StageNode node{.id = stage.id, .stage = &stage, .streams = common.streams()};
    node.start = common.start;
    if (node.streams) node.begins_with = 0.0;
    const StageRow& row = stage_row(stage.kind);
    if (row.work != nullptr) {
      node.move = move_params(stage);
      node.work = row.work(stage);
    } else {
      const std::string job = job_of_stage(stage);
      const auto found = std::find_if(design_.jobs.begin(), design_.jobs.end(),
                                      [&](const JobDesign& each) { return each.job.id == job; });
      if (found == design_.jobs.end()) return fault(What::no_job, stage, "job", job);
      if (node_of(job)) return fault(What::twice, stage, "job", job);
      node.job = &*found;
    }
    nodes_.push_back(std::move(node));
  }

  // A job that no stage is, where there is an order.
  void add_job(const JobDesign& job) {
    if (!has_order(design_)) return;
    const auto is_it = [&](const StageNode& node) { return node.job == &job; };
    if (std::none_of(nodes_.begin(), nodes_.end(), is_it))
      nodes_.push_back({.id = job.job.id, .job = &job});
  }

  void follow(std::size_t n, const Component& by) {
    const Value* after = by.find("after");
    for (const std::string& id : after == nullptr ? std::vector<std::string>{} : after->list) {
      const std::optional<std::size_t> before = node_of(id);
      if (!before)
        fault(What::unknown, by, "after", id);
      else if (std::count(nodes_[n].after.begin(), nodes_[n].after.end(), *before) == 0)
        nodes_[n].after.push_back(*before);
    }
  }

  void follow(std::size_t n) {
    StageNode& node = nodes_[n];
    if (node.stage != nullptr) follow(n, *node.stage);
    if (node.job != nullptr) {
      follow(n, node.job->job);
      if (const std::optional<Fraction> share = job_params(node.job->job).after_share) {
        node.streams = true;
        node.begins_with = share->in(unit::ratio);
      }
      // Its processes read nothing before the first bytes are there: it is not running yet.
      node.begins_with = std::max(node.begins_with, kFirstBytes);
    }
    for (const std::size_t before : node.after)
      if (node.streams && nodes_[before].job != nullptr)
        fault(What::streams_behind_job, node.component(), "after", nodes_[before].id);
  }

  bool leads(std::size_t from, std::size_t to, std::vector<bool>& seen) const {
    if (from == to) return true;
    if (seen[to]) return false;
    seen[to] = true;
    const auto& after = nodes_[to].after;
    return std::any_of(after.begin(), after.end(),
                       [&](std::size_t before) { return leads(from, before, seen); });
  }

  // A job that does not say what it follows waits for what is brought to where its data lie, but
  // for what follows the job itself.
  void follow_what_it_reads(std::size_t n) {
    StageNode& node = nodes_[n];
    if (node.job->job.find("after") != nullptr) return;
    if (node.stage != nullptr && node.stage->find("after") != nullptr) return;
    std::vector<std::size_t> before;
    for (std::size_t b = 0; b < nodes_.size(); ++b) {
      if (nodes_[b].job != nullptr || nodes_[b].work.to.empty()) continue;
      std::vector<bool> seen(nodes_.size(), false);
      if (reads_from(*node.job, nodes_[b].work.to) && !leads(n, b, seen)) before.push_back(b);
    }
    // Of those to drives inside hosts for those to its own, where there are some.    [eq. 8]
    for (const std::size_t b : before)
      if (!on_others(before, b, *node.job)) node.after.push_back(b);
  }

  bool on_others(const std::vector<std::size_t>& before, std::size_t b,
                 const JobDesign& job) const {
    const std::string hosts = job_params(job.job).hosts, &to = nodes_[b].work.to;
    return nodes_[b].move.hosts != hosts && in_each_host(design_, to) &&
           std::any_of(before.begin(), before.end(), [&](std::size_t other) {
             return nodes_[other].work.to == to && nodes_[other].move.hosts == hosts;
           });
  }

  bool visit(std::size_t n, std::vector<Mark>& marks, std::vector<std::size_t>& way,
             std::vector<std::size_t>& order) {
    if (marks[n] == Mark::closed) return true;
    way.push_back(n);
    if (marks[n] == Mark::open) {
      std::string round;
      for (auto it = std::find(way.begin(), way.end(), n); it != way.end(); ++it)
        round += (round.empty() ? "" : ", after ") + nodes_[*it].id;
      fault(What::cycle, nodes_[n].component(), "after", round);
      return false;
    }
    marks[n] = Mark::open;
    for (const std::size_t before : nodes_[n].after)
      if (!visit(before, marks, way, order)) return false;
    marks[n] = Mark::closed;
    way.pop_back();
    order.push_back(n);
    return true;
  }

  /// Jobs that neither follow nor are followed are no part of a pipeline.
  bool alone(std::size_t n) const {
    if (nodes_[n].stage != nullptr || !nodes_[n].after.empty()) return false;
    return std::none_of(nodes_.begin(), nodes_.end(), [&](const StageNode& other) {
      return std::count(other.after.begin(), other.after.end(), n) > 0;
    });
  }

  std::vector<StageNode> sorted() {
    std::vector<Mark> marks(nodes_.size(), Mark::fresh);
    std::vector<std::size_t> way, order;
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (!visit(n, marks, way, order)) return {};
    std::erase_if(order, [&](std::size_t n) { return alone(n); });
    std::vector<std::size_t> place(nodes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<StageNode> out;
    for (const std::size_t n : order) {
      out.push_back(nodes_[n]);
      for (std::size_t& before : out.back().after) before = place[before];
    }
    return out;
  }

  // What it reads is given, or is what those before it brought to where it reads.   [stages.md, 1]
  void measure(std::vector<StageNode>& nodes, std::size_t n) {
    StageNode& node = nodes[n];
    if (node.job != nullptr) return;
    const MoveParams& p = node.move;
    node.file = p.file;
    if (p.size) {
      node.read = *p.size;
    } else if (p.files) {
      node.read = p.file * static_cast<double>(*p.files);
    } else {
      bool any = false;
      for (const std::size_t before : node.after)
        if (nodes[before].job == nullptr && nodes[before].work.to == p.from) {
          node.read += nodes[before].written / nodes[before].copies;
          if (node.stage->find("file") != nullptr &&
              node.stage->find("file")->source.kind == Source::Kind::default_value)
            node.file = nodes[before].written_file;
          any = true;
        }
      if (!any) return fault(What::no_input, *node.stage, "size", p.from);
    }
    if (p.files && *p.files > 0) node.file = node.read / static_cast<double>(*p.files);
    node.read = node.read * node.copies;
    node.written = node.work.to.empty() ? Bytes{} : node.read * node.work.ratio;
    node.written_file = node.work.file.value_or(node.file * node.work.ratio);
  }

  const Design& design_;
  std::vector<StageNode> nodes_;
  std::vector<StageFault> faults_;
};

}  // namespace

bool reads_from(const JobDesign& job, const std::string& storage) {
  if (!job.dataset) return false;
  const auto places = dataset_params(*job.dataset).places();
  return std::any_of(places.begin(), places.end(),
                     [&](const DatasetParams::Place& place) { return place.storage == storage; });
}

// Not what another stage, in between, makes something else of there.
bool brings_data(const std::vector<StageNode>& nodes, std::size_t at, const StageNode& job) {
  const StageNode& stage = nodes[at];
  if (stage.job != nullptr || job.job == nullptr || !reads_from(*job.job, stage.work.to) ||
      !follows(nodes, job, at))
    return false;
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].job == nullptr && nodes[n].move.from == stage.work.to &&
        nodes[n].work.to == stage.work.to && follows(nodes, nodes[n], at) && follows(nodes, job, n))
      return false;
  return true;
}

bool follows(const std::vector<StageNode>& nodes, const StageNode& node, std::size_t before) {
  return std::any_of(node.after.begin(), node.after.end(), [&](std::size_t n) {
    return n == before || follows(nodes, nodes[n], before);
  });
}

bool has_order(const Design& design) {
  return !design.stages.empty() ||
         std::any_of(design.jobs.begin(), design.jobs.end(),
                     [](const JobDesign& job) { return job.job.find("after") != nullptr; });
}

std::vector<StageNode> stage_graph(const Design& design, std::vector<StageFault>* faults) {
  return Grapher(design).run(faults);
}

}  // namespace stallcast::models
