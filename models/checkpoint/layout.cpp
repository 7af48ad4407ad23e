#include "models/checkpoint/layout.hpp"

#include <algorithm>
#include <cmath>

#include "models/contract/rows.hpp"

namespace stallcast::models {
namespace {

/// Sizes of a transformer in whole numbers of elements, as DLIO divides them.
/// [DLIO base_checkpointing.py, branch mlperf_storage_v2.0]
struct Shape {
  std::int64_t vocabulary, hidden, ffn, layers, kv;

  explicit Shape(const ModelParams& m)
      : vocabulary(*m.vocabulary),
        hidden(*m.hidden),
        ffn(*m.ffn),
        layers(*m.layers),
        kv(*m.hidden / *m.heads * *m.kv_heads) {}

  /// Elements of layer `i` on one of `tensor` ranks, each tensor cut by `parts` once more: 0 is the
  /// embedding, then the transformer layers, the output layer and the last norm.
  [[nodiscard]] std::int64_t layer(std::int64_t i, std::int64_t tensor, std::int64_t parts) const {
    const std::int64_t h = hidden;
    const auto cut = [&](std::int64_t elements) { return elements / tensor / parts; };
    if (i == 0 || i == layers + 1) return cut(vocabulary * h);
    if (i == layers + 2) return h / parts;
    return 2 * (h / parts) + cut(h * (h + 2 * kv)) + cut(h * h) + cut(2 * ffn * h) + cut(ffn * h);
  }
};

/// Pipeline stages whose ranks hold equally much of the weights.
struct Stage {
  double count;
  Bytes weights;
  double files;
};

/// The state of one job cut by tensor, pipeline and data parallelism.
class Cut {
 public:
  Cut(const CheckpointParams& p, const ModelParams& model, const JobParams& job, double ranks)
      : model_(model),
        tensor_(job.tensor),
        pipeline_(job.pipeline),
        shards_(static_cast<double>(job.tensor * job.pipeline)),
        // Less than one is no layout; explanations try such ranks on the way to a derivative.
        replicas_(std::max(1.0, ranks / shards_)),
        whole_(p.size.value_or(model.state())) {
    if (model.has_shape() && !p.size) shape_.emplace(model);
  }

  [[nodiscard]] double shards() const { return shards_; }
  [[nodiscard]] double replicas() const { return replicas_; }
  [[nodiscard]] Bytes whole() const { return whole_; }

  /// Optimizer state of one of `writers` ranks that share it.
  [[nodiscard]] Bytes optimizer(double writers) const {
    const double each = model_.bytes_per_parameter() - model_.weights;
    if (!shape_) return whole_ * (each / model_.bytes_per_parameter()) / writers;
    // Per kind of state: floor(P / writers) elements and five vectors of the hidden size.
    const double elements =
        std::floor(model_.shape_parameters() / writers) + 5.0 * static_cast<double>(shape_->hidden);
    return Bytes::from(elements * each, unit::B);
  }

  /// Weights by stage, each tensor cut by `parts` once more. The first stage comes first.
  [[nodiscard]] std::vector<Stage> stages(double parts) const {
    if (!shape_) {
      const Bytes all = whole_ * (model_.weights / model_.bytes_per_parameter());
      return {{static_cast<double>(pipeline_), all / shards_ / parts, 1.0}};
    }
    std::vector<Stage> out;
    const std::int64_t each = shape_->layers / pipeline_, more = shape_->layers % pipeline_;
    std::int64_t next = 1;
    for (std::int64_t stage = 0; stage < pipeline_; ++stage) {
      const std::int64_t first = stage == 0 ? 0 : next;
      next += each + (stage < more ? 1 : 0);
      const std::int64_t end = stage + 1 == pipeline_ ? shape_->layers + 3 : next;
      std::int64_t elements = 0;
      for (std::int64_t layer = first; layer < end; ++layer)
        elements += shape_->layer(layer, tensor_, static_cast<std::int64_t>(parts));
      // One file per layer with pipeline stages, else one.
      const double files = pipeline_ > 1 ? static_cast<double>(end - first) : 1.0;
      const Bytes weights = Bytes::from(static_cast<double>(elements) * model_.weights, unit::B);
      const auto same = std::find_if(out.begin(), out.end(), [&](const Stage& s) {
        return s.weights == weights && s.files == files;
      });
      if (same != out.end())
        same->count += 1.0;
      else
        out.push_back({1.0, weights, files});
    }
    return out;
  }

 private:
  const ModelParams& model_;
  std::int64_t tensor_, pipeline_;
  double shards_, replicas_;
  Bytes whole_;
  std::optional<Shape> shape_;
};

Bytes largest(const std::vector<RankShare>& shares) {
  Bytes out;
  for (const RankShare& share : shares) out = std::max(out, share.bytes);
  return out;
}

/// `writers` equal writers of the whole state; every rank needs as much as one of them wrote.
CheckpointLayout equal_parts(const Cut& cut, double writers, double files, double ranks,
                             double per_host) {
  CheckpointLayout out;
  const Bytes part = cut.whole() / writers;
  out.writers = {{writers, part, files, std::min(per_host, writers), true}};
  out.readers_once = out.writers;
  out.readers_all = {{ranks, part, files, per_host, true}};
  out.receivers = ranks - writers;
  if (out.receivers > 0.0) out.broadcast = part;
  out.parts = writers;
  return out;
}

/// One rank for all: it gathers the parts of the others, and hands them out again.
CheckpointLayout one_writer(const Cut& cut, double files, double ranks, double per_host) {
  const double beside = std::min(per_host, ranks);  // ranks of its host, itself included
  CheckpointLayout out = equal_parts(cut, 1.0, files, ranks, per_host);
  out.gathered = cut.whole() * ((ranks - beside) / ranks);
  out.gathered_inside = cut.whole() * ((beside - 1.0) / ranks);
  out.broadcast = cut.whole() / ranks;
  out.parts = ranks;
  return out;
}

/// ZeRO stage `stage` as DLIO writes it.    [docs/models/checkpoint.md, eq. 6]
CheckpointLayout zero(int stage, const Cut& cut, double ranks, double per_host) {
  CheckpointLayout out;
  const Bytes optimizer = cut.optimizer(stage == 0 ? cut.shards() : ranks);
  const std::vector<Stage> stages = cut.stages(stage == 3 ? cut.replicas() : 1.0);
  double pipeline = 0.0;
  for (const Stage& s : stages) pipeline += s.count;
  for (const Stage& s : stages) {
    const double replica = cut.shards() * s.count / pipeline;  // ranks of it in one replica
    const bool first = &s == &stages.front();
    const RankShare share{replica, s.weights + optimizer, s.files + 1.0, per_host, first};
    out.readers_all.push_back(share);
    out.readers_all.back().members *= cut.replicas();
    out.writers.push_back(stage == 3 ? out.readers_all.back() : share);
    if (stage == 1 || stage == 2) {
      out.readers_all.back().common = s.weights;
      out.readers_all.back().common_files = s.files;
    }
    if (stage == 0) out.writers.back().per_host = std::min(per_host, cut.shards());
    if (stage < 3) out.broadcast = std::max(out.broadcast, s.weights);
  }
  const double others = ranks - cut.shards();
  if (stage == 0) out.broadcast = largest(out.writers);
  if ((stage == 1 || stage == 2) && others > 0.0) {
    out.writers.push_back({others, optimizer, 1.0, per_host, false});
    out.writers.back().passes_on = false;
  }
  out.readers_once = out.writers;
  out.receivers = stage == 3 ? 0.0 : others;
  out.parts = cut.shards();
  return out;
}

constexpr double kRounding = 1e-9;

}  // namespace

double RankShare::files_in(double part) const {
  if (object <= Bytes{} || part == 1.0) return files;
  return std::max(1.0, std::ceil(bytes * part / object - kRounding));
}

bool fills_hosts(const RankShare& share, const RankSpread& ranks) {
  return share.per_host > ranks.most() - kRounding;
}

std::vector<HostSpan> placed(const std::vector<RankShare>& shares, const RankSpread& ranks) {
  std::vector<HostSpan> out;
  double from = 0.0;
  for (const RankShare& share : shares) {
    double to = from + share.members / share.per_host;
    if (fills_hosts(share, ranks)) {
      const double before = std::min(ranks.on_first(from), ranks.ranks - share.members);
      from = ranks.hosts_of(std::max(0.0, before));
      to = ranks.hosts_of(std::max(0.0, before) + share.members);
    }
    double has = std::min(ranks.hosts, to - from);
    if (has > ranks.hosts - kRounding) has = ranks.hosts;
    from = std::min(from, ranks.hosts - has);
    out.push_back({from, from + has});
    from += has;
  }
  return out;
}

double company(Bytes own, std::span<const RankShare> shares, Bytes (*of)(const RankShare&)) {
  Bytes meanwhile = -own;  // all but itself
  double others = -1.0;
  for (const RankShare& share : shares) {
    meanwhile += std::min(own, of(share)) * share.members;
    others += share.members;
  }
  return others > 0.0 && own > Bytes{} ? meanwhile / (own * others) : 1.0;
}

Bytes CheckpointLayout::size() const {
  Bytes out;
  for (const RankShare& share : writers) out += share.bytes * share.members;
  return out;
}
double CheckpointLayout::files(double part) const {
  double out = 0.0;
  for (const RankShare& share : writers)
    out = shared ? std::max(out, share.files_in(part)) : out + share.files_in(part) * share.members;
  return out;
}
double CheckpointLayout::writer_count() const {
  double out = 0.0;
  for (const RankShare& share : writers) out += share.members;
  return out;
}

Bytes CheckpointLayout::of_rank() const { return largest(writers); }

// All that is saved changes from host to host only at borders of the classes, and where hosts
// with one rank more end: these are the first.
Bytes CheckpointLayout::of_host(const RankSpread& ranks) const {
  const std::vector<HostSpan> spans = placed(writers, ranks);
  const auto written = [&](double host) {
    Bytes out;
    for (std::size_t s = 0; s < spans.size(); ++s) {
      const double from = std::max(host, spans[s].from), to = std::min(host + 1.0, spans[s].to);
      if (to <= from) continue;
      const double members = fills_hosts(writers[s], ranks)
                                 ? ranks.on_first(to) - ranks.on_first(from)
                                 : writers[s].members / spans[s].hosts() * (to - from);
      out += writers[s].bytes * std::min(members, writers[s].members);
    }
    return out;
  };
  Bytes out;
  for (const HostSpan& span : spans)
    for (const double border : {span.from, span.to})
      for (const double host : {std::floor(border), std::ceil(border)})
        out = std::max(out, written(std::min(host, ranks.hosts - 1.0)));
  return out;
}

double CheckpointLayout::company(const RankShare& share) const {
  return models::company(share.bytes, writers, [](const RankShare& other) { return other.bytes; });
}

CheckpointLayout checkpoint_layout(const CheckpointParams& p, const ModelParams& model,
                                   const JobParams& job, double ranks, double ranks_per_host) {
  const Cut cut(p, model, job, ranks);
  const double files = static_cast<double>(p.files);
  CheckpointLayout out;
  if (p.layout.starts_with("zero"))
    out = zero(p.layout.back() - '0', cut, ranks, ranks_per_host);
  else if (p.layout == "rank0")
    out = one_writer(cut, files, ranks, ranks_per_host);
  else if (p.layout == "fsdp-hybrid")
    out = equal_parts(cut,
                      p.shard_group ? static_cast<double>(*p.shard_group)
                                    : std::max(1.0, std::min(ranks_per_host, ranks)),
                      files, ranks, ranks_per_host);
  else
    out = equal_parts(cut, ranks, files, ranks, ranks_per_host);
  out.shared = p.sharing != "no";
  for (auto* shares : {&out.writers, &out.readers_all, &out.readers_once})
    for (RankShare& share : *shares) {
      if (!p.chunk) {  // each thread has files of its own, unless all share one
        const double least = out.shared ? 1.0 : static_cast<double>(p.threads);
        share.files = std::max(share.files, least);
        continue;
      }
      // Objects of one size in place of files.
      share.files = std::max(1.0, std::ceil(p.stored(share.bytes) / *p.chunk));
      share.common_files = std::min(share.files, std::ceil(p.stored(share.common) / *p.chunk));
      share.object = *p.chunk * p.compress_ratio;
    }
  return out;
}

bool synchronous(const Component& save, const CheckpointLayout& layout, const RankSpread& ranks,
                 Bytes memory) {
  if (checkpoint_row(save.kind).style.blocking) return true;
  const CheckpointParams p = checkpoint_params(save);
  return !p.ends_in_memory() &&
         staged_per_host(p, layout.of_host(ranks), layout.size()) > staging_limit(memory);
}

}  // namespace stallcast::models
