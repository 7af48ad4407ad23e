#include <algorithm>

#include "calibration/measure/quantity_texts.hpp"
#include "calibration/validation/grid/scenario.hpp"

/// The storage of a row: kind `measured` with the costs of the probes.
namespace stallcast::calibration::grid {
namespace {

using namespace literals;
using base::Json;

/// Open of a file in the cache of the host.
constexpr Seconds kLocalOpen = 10_us;
/// Blocks of inodes that ext4 reads ahead, of 16 inodes each.
constexpr int kInodeBlocks = 32;
/// A rate that never limits.
constexpr Rate kFree = Rate::from(1, unit::TBps);

/// What one core copies in, when `size` takes it `cpu`; the format pays `paid` of that.
Rate copy_rate(Bytes size, Seconds cpu, Seconds paid) {
  const Seconds rest = cpu - paid;
  return rest > Seconds{} ? std::min(kFree, size / rest) : kFree;
}

/// CPU time that the format's own costs hold already: cached raw files are read, nothing else.
Seconds paid_by_format(const GridRow& row, const Machine& m) {
  Diagnostics none;
  if (!row.format.starts_with("raw")) return {};
  return sample_cpu(m.probes.cpu, row.format, none);
}

Json block_json(const GridRow& row, const Machine& m, const Draw& draw) {
  const BlockStore& s = *m.store.block;
  // Shards are read ahead in requests of 128 KiB.
  const FileCost& cost = s.files.at(row.format == "tar" ? "raw128k" : row.format);
  const Seconds queue = cost.queue * draw.queue;
  const Rate served = queue > Seconds{} ? std::min(kFree, cost.size / queue) : kFree;
  const double request = std::min(1.0, kRequest / cost.size);
  Json out = {
      {"read",
       {{"law", "fifo"},
        {"rate", text(served)},
        {"latency", text(cost.delay * request)},
        {"latency_of", "request"},
        {"copy", text(copy_rate(cost.size, cost.cpu * draw.cpu, paid_by_format(row, m)))}}},
      {"write",
       {{"law", "fifo"},
        {"rate", text(s.write * draw.write)},
        {"latency", "0 s"},
        {"request", "1 MiB"},
        {"copy", text(m.loader.page_copy)},
        {"line", "own"}}},
      {"sync", "0 s"},
      {"open", {{"latency", text(kLocalOpen)}, {"cached", text(kLocalOpen)}}},
  };
  if (row.format.starts_with("raw") || row.format == "jpeg") {
    out["open"]["cold_ops"] = kInodeBlocks;
    out["open"]["cold_files"] = kInodeBlocks * 16;
  }
  if (s.limited) {
    out["open"]["ops"] = s.open_operations;
    out["limit"] = {{"read", text(s.limit * draw.rate)},
                    {"read_ops", base::exact_quantity(s.limit_operations.in(unit::per_s)*draw.rate,
                                                      Dimension::op_rate)},
                    {"burst", text(s.burst)}};
  }
  return out;
}

Json remote_json(const GridRow& row, const Machine& m, const Draw& draw) {
  const RemoteStore& s = *m.store.remote;
  const Bytes size = m.probes.data.at(row.format).mean;
  const bool one_request = size <= kRequest;
  const auto known = s.cpu.find(row.format);
  const Seconds cpu = known == s.cpu.end() ? Seconds{} : known->second;
  Seconds latency = s.latency * draw.latency;
  Json read = {{"law", "fifo"},
               {"latency_of", "file"},
               {"rate", text(s.rate * draw.rate)},
               {"stream", text(s.stream * draw.rate)}};
  // Latencies were measured with the copy in them.
  if (one_request) {
    latency = std::max(latency - cpu, Seconds{});
    read["copy"] = text(copy_rate(size, cpu, paid_by_format(row, m)));
  }
  read["latency"] = text(latency);
  // A MiB takes `write`, its round trip and then the server.   [docs/calibration-grid.md, eq. 8]
  const Rate write = 1_MiB / std::max(s.write - s.latency, 1_us) * draw.write;
  return {{"read", std::move(read)},
          {"write",
           {{"law", "fifo"},
            {"rate", text(write)},
            {"latency", text(s.latency)},
            {"request", "1 MiB"},
            {"line", "shared"}}},
          {"sync", "0 s"},
          {"open",
           {{"per_op", text(s.open_serial * draw.latency)},
            {"latency", text(s.open_private * draw.latency)},
            {"cached", text(s.open_private * draw.latency)}}},
          {"create", {{"latency", "0 s"}, {"per_op", "0 s"}}},
          {"servers", s.servers},
          {"stripe", s.stripe},
          {"jitter", text(s.jitter)}};
}

}  // namespace

Json storage_json(const GridRow& row, const Machine& m, const Draw& draw) {
  Json out = {{"id", "store"}, {"type", "measured"}, {"scope", "host"}, {"request", "128 KiB"}};
  out.update(m.store.remote ? remote_json(row, m, draw) : block_json(row, m, draw));
  return out;
}

}  // namespace stallcast::calibration::grid
