#include "calibration/validation/mlperf/scenario.hpp"

#include <algorithm>
#include <cmath>

#include "calibration/validation/mlperf/program.hpp"
#include "calibration/validation/mlperf/store.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using base::Json;

std::string in_bytes(Bytes bytes) { return with_unit(bytes.in(unit::B), "B"); }

Json host_of(const Facts& f, double ranks) {
  // Emulated accelerators sleep, and servers run two threads a core.
  Json out = {
      {"id", "client"},
      {"count", whole(f.hosts)},
      {"gpus", whole(std::ceil(ranks / f.hosts))},
      {"cpu",
       {{"cores", whole(f.cores)},
        {"reserved", 0},
        {"smt", {{"value", 1.25}, {"low", 1}, {"high", 1.35}, {"why", "on, as delivered"}}}}},
      {"memory",
       {{"size", with_unit(f.memory.in(unit::GiB), "GiB")},
        {"bandwidth", with_unit(f.memory_rate.in(unit::GBps), "GB/s")}}}};
  if (f.port > Rate{})
    out["nic"] = {{"rate", with_unit(f.port.in(unit::Gbps), "Gb/s")}, {"count", whole(f.ports)}};
  return out;
}

/// What the program needs for the file names of a rank, spread over its readers.
Json start_of(const Program& program, double files, double readers) {
  const auto end = [&](double start, double names) {
    return (program.start.value * start + 1e-3 * program.names.value * names * files) / readers;
  };
  return between(end(1.0, 1.0), end(program.start.low, program.names.low),
                 end(program.start.high, program.names.high), "ms",
                 "an iterator of tf.data and its names, all readers");
}

/// PyTorch asks each worker for one batch ahead; with prefetch_size 0 for two.
Json loader_of(const Facts& f, const Program& program, double files) {
  const double readers = std::max(1.0, f.read_threads);
  const double batch = f.workload->rules.batch;
  Json out = {{"batch", whole(batch)},
              {"persistent", true},
              {"copy", "none"},
              {"handover", "0 ms"},
              {"workers", whole(readers)}};
  if (f.torch) {
    out["type"] = "pytorch";
    out["prefetch"] = f.prefetch == 0.0 ? 2 : 1;
    return out;
  }
  out["start"] = start_of(program, files, readers);
  if (batch < readers) {
    // An interleave reads as many files at a time as it has readers, in order.
    out["type"] = "pytorch";
    out["prefetch"] = 1;
    return out;
  }
  out["type"] = "tensorflow";
  out["prefetch"] = f.prefetch == 0.0 ? 1 : whole(f.prefetch);
  out["map"] = {{"threads", whole(f.map_threads)}};
  return out;
}

Json dataset_of(const Facts& f, const Program& program, double samples) {
  const double each = f.samples_per_file;
  Json out = {{"on", "data"},
              {"sample", in_bytes(f.workload->rules.record)},
              {"sample_stdev", program.sample_stdev},
              {"samples", whole(std::ceil(samples / each) * each)}};
  if (f.format == "tfrecord") {
    out["format"] = "tfrecord";
    out["samples_per_file"] = whole(each);
  } else {
    out["format"] = f.format == "npz" ? "npz" : "raw";
    out["tensor"] = "2097152 B";  // record_length_resize
  }
  if (f.direct()) out["direct"] = true;
  if (f.format != "npy")
    out["parse"] = spread(program.parse, "GB/s", "one reading process of DLIO");
  return out;
}

/// What one process moves while it reads a file with np.load.
void add_streams(const Facts& f, const Program& program, Json& store) {
  if (store.value("type", "") == "s3") return;  // its own client.rate is that
  const Json rate =
      spread(program.stream, "GB/s", "one reading process of DLIO, besides its core time");
  store["client"]["stream"] = rate;
  if (store.value("type", "") == "lustre" && f.direct()) store["client"]["stream_direct"] = rate;
}

Json fabric_of(const Facts& f) {
  if (!f.tcp()) return {{"use", "fabric/hdr200"}};
  return {{"use", "fabric/ethernet-tcp"},
          {"incast",
           {{"goodput",
             {{"value", "90 %"},
              {"low", "60 %"},
              {"high", "99 %"},
              {"why", "NVMe over TCP filled 62 to 80 % of ports in the round"}}}}}};
}

/// How the benchmark spreads a model over ranks (its workload files of v2.0 and v3.0).
struct Parallel {
  double tensor, pipeline;
  const char* layout;
};
Parallel parallel_of(const std::string& model) {
  if (model == "llama3-8b") return {1, 1, "zero3"};
  if (model == "llama3-70b") return {8, 1, "zero3"};
  if (model == "llama3-405b") return {8, 32, "zero1"};
  return {8, 64, "zero1"};
}

/// GB/s of torch.save and torch.load of one rank: 1.78 and 1.97 on the rows of 8 and 64 ranks.
constexpr Guess kTorchSave{1.78, 0.6, 1.3}, kTorchLoad{1.97, 0.7, 1.4};

}  // namespace

Json checkpointing(const Facts& f, const std::string& model, double ranks) {
  const Parallel parallel = parallel_of(model);
  Json stores = storage_of(f);
  Json job = {
      {"id", "save"},
      {"hosts", "client"},
      {"accelerators", whole(ranks)},
      {"epochs", 1},
      {"steps", 3},
      {"model", {{"use", "model/" + model}}},
      {"parallel", {{"tensor", whole(parallel.tensor)}, {"pipeline", whole(parallel.pipeline)}}},
      {"step", {{"compute", "5 s"}, {"jitter", "0 %"}}},
      {"checkpoint",
       {{"to", "data"},
        {"every_steps", 1},
        {"mode", "sync"},
        {"layout", parallel.layout},
        {"snapshot", "none"},
        {"stream", true},
        {"serialize", spread(kTorchSave, "GB/s", "torch.save of one rank")},
        {"restore",
         {{"read", "own"},
          {"deserialize", spread(kTorchLoad, "GB/s", "torch.load of one rank")}}}}}};
  return {{"id", "mlperf"},
          {"cluster", {{"hosts", Json::array({host_of(f, ranks)})}, {"fabric", fabric_of(f)}}},
          {"storage", std::move(stores)},
          {"jobs", Json::array({std::move(job)})},
          {"run", {{"seed", 1}, {"replicas", 1}}}};
}

Json training(const Facts& f, double ranks, double steps) {
  const BenchmarkRules& rules = f.workload->rules;
  const Program& program = program_of(rules.id);
  const double files = std::ceil(steps * ranks * rules.batch / f.samples_per_file);
  const double counted = std::min(steps, program.steps);
  // One figure for both: what one rank loses, and what ranks lose that share the threads of a host.
  const double shared = std::ceil(ranks / f.hosts) / (2.0 * f.cores);
  const auto lost = [&](double alone, double sharing) {
    return program.overhead.value * alone + program.sharing.value * sharing * shared;
  };
  Json stores = storage_of(f);
  if (program.stream.value > 0.0 && f.format == "npz") add_streams(f, program, stores[0]);
  Json job = {
      {"id", "train"},
      {"hosts", "client"},
      {"accelerators", whole(ranks)},
      {"epochs", 1},
      {"au", f.third_round ? "dlio-v2" : "dlio-v1"},
      {"step",
       {{"compute", with_unit(f.compute.in(unit::ms), "ms")},
        {"jitter", "0 %"},
        {"overhead", between(lost(1.0, 1.0), lost(program.overhead.low, program.sharing.low),
                             lost(program.overhead.high, program.sharing.high), "ms",
                             "what DLIO loses a step")}}},
      {"barrier",
       {{"base", "0 ms"},
        {"per_doubling", "0 ms"},
        {"per_sqrt", f.barrier ? spread(program.barrier, "ms", "MPI barrier of Python processes")
                               : Json("0 ms")}}},
      {"dataset", dataset_of(f, program, counted * ranks * rules.batch)},
      {"loader", loader_of(f, program, files)}};
  return {{"id", "mlperf"},
          {"cluster", {{"hosts", Json::array({host_of(f, ranks)})}, {"fabric", fabric_of(f)}}},
          {"storage", std::move(stores)},
          {"jobs", Json::array({std::move(job)})},
          {"run", {{"seed", 1}, {"replicas", 1}}}};
}

}  // namespace stallcast::calibration::mlperf
