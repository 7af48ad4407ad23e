#include <algorithm>
#include <array>

#include "models/dataload/loaders.hpp"

/// tf.data: interleave, parallel map, batch and prefetch. docs/models/dataloader.md.
namespace stallcast::models {
namespace {

using namespace base;

struct TensorflowParams {
  std::optional<std::int64_t> cycle, map_threads;
  bool deterministic = true;
  std::int64_t shuffle = 1;
  Seconds names, iterator;
};
constexpr std::string_view kPublished = "first steps of MLPerf Storage v1.0";
constexpr std::array<Field<TensorflowParams>, 6> kTensorflowFields{
    field("cycle_length", &TensorflowParams::cycle, kOptional,
          "files read interleaved, each by a thread; as many as \"workers\" when not given",
          up_to(4096)),
    field("map.threads", &TensorflowParams::map_threads, kOptional,
          "threads that decode (num_parallel_calls); those that read decode when not given",
          up_to(4096)),
    field("deterministic", &TensorflowParams::deterministic, "true",
          "samples keep their order; false: a batch is made of what is there first"),
    field("shuffle.buffer", &TensorflowParams::shuffle, "1",
          "samples in the shuffle buffer, which is filled before the first is given", up_to(1e9)),
    field("names", &TensorflowParams::names, "0.75 us",
          "core time of every rank for each file of the data set when an epoch begins: names are "
          "listed and shuffled",
          between("0.35 us", "1.5 us", cited(kNonNegative, kPublished),
                  "expert range: cores differ by two, and paths in length")),
    field("iterator", &TensorflowParams::iterator, "60 ms",
          "time until the threads of a new iterator read, when an epoch begins",
          between("8 ms", "450 ms", cited(kNonNegative, kPublished),
                  "as cited: cosmoflow 20 ms, resnet50 150 ms, each within a factor of three"))};

}  // namespace

std::span<const FieldInfo> tensorflow_fields() { return kInfos<kTensorflowFields>; }

LoaderPolicy tensorflow_policy(const Component& component) {
  const TensorflowParams p = bind<kTensorflowFields>(component);
  LoaderPolicy out{
      .in_order = p.deterministic, .split_batch = true, .interleaved = true, .readers = p.cycle};
  out.decoders = p.map_threads.value_or(0);
  out.names = p.names;
  out.iterator = p.iterator;
  // Each reader has its part of the buffer.    [docs/models/formats.md, eq. 8]
  const LoaderParams common = loader_params(component);
  const auto readers = static_cast<double>(out.threads(common));
  out.shuffle = std::max(1.0, static_cast<double>(p.shuffle) / readers);
  out.shuffle_first = out.shuffle;
  return out;
}

}  // namespace stallcast::models
