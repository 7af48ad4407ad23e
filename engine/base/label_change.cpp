#include <array>
#include <string>
#include <string_view>

#include "stallcast/label.hpp"

/// What changes of a design are called.
namespace stallcast::label {
namespace {

/// A change of a value, in words; `moves` is empty where the words hold for every one.
struct ChangeRow {
  std::string_view value, moves, words;
};
constexpr std::array<ChangeRow, 48> kChanges = {{
    {"device.count", "", "devices"},
    {"checkpoint.mode", " sync -> async", "asynchronous saves"},
    {"checkpoint.serializer", " torch -> none", "saves without a serializer"},
    {"checkpoint.serializer", "", "serializer of saves"},
    {"checkpoint.every", "", "time between saves"},
    {"checkpoint.every_steps", "", "steps between saves"},
    {"checkpoint.buffers", "", "buffers of saves"},
    {"checkpoint.direct", " false -> true", "saves past the page cache (O_DIRECT)"},
    {"checkpoint.directories", " one -> own", "saves in directories of their writers"},
    {"checkpoint.files", "", "files of a save"},
    {"checkpoint.flush_rate", "", "rate of flushes"},
    {"checkpoint.verify", " none -> read-back", "saves that are read back"},
    {"checkpoint.keep.last", "", "checkpoints kept"},
    {"checkpoint.commit", " in-place -> fsync", "saves beside the one before (commit fsync)"},
    {"checkpoint.drain_every", "", "saves from one that goes on to the last tier to the next"},
    {"elastic.busy", "", "time GPUs are lent"},
    {"recovery.detect", "", "time until failures are noticed"},
    {"checkpoint.threads", "", "saving threads"},
    {"dataset.cache.policy", "", "what the page cache evicts of the data set"},
    {"loader.pin.rate", "", "speed of copies to pinned memory"},
    {"loader.copy", "", "copies to GPUs"},
    {"loader.workers", "", "loader workers"},
    {"loader.prefetch", "", "batches that workers prefetch"},
    {"workers", "", "workers"},
    {"recovery.spares", "", "spare hosts"},
    {"priority", "", "priority"},
    {"limit", "", "bandwidth limit"},
    {"limit_operations", "", "limit of requests"},
    {"client.nconnect", "", "connections per client (nconnect)"},
    {"client.cores", "", "client cores"},
    {"client.connections", "", "connections per client and server"},
    {"client.dirty", "", "dirty bytes per client and OST"},
    {"client.rpcs_in_flight", "", "requests in flight per client"},
    {"client.slots", "", "requests in flight per session (slots)"},
    {"client.prefetch", "", "prefetch of clients"},
    {"client.paths", "", "paths per host"},
    {"get.parallel", "", "parallel GETs"},
    {"put.parallel", "", "parallel PUTs"},
    {"memory.bandwidth", "", "memory bandwidth"},
    {"nvme.read", "", "reads of drives"},
    {"nvme.write", "", "writes of drives"},
    {"drive.count", "", "drives"},
    {"prefixes", "", "prefixes"},
    {"stripe.count", "", "stripes of files"},
    {"fabric.link.rate", "", "links between switches"},
    {"fabric.compute_link.rate", "", "links of the compute network"},
    {"fabric.port.rate", "", "ports of switches"},
    {"fabric.oversubscription", "", "oversubscription of leaves"},
}};

}  // namespace

std::string of_change(std::string_view change) {
  const std::size_t blank = change.find(' ');
  const std::string_view path = change.substr(0, blank);
  const bool fabric = path.starts_with("fabric.");  // there is one, without an id
  const std::size_t role = path.find('.');
  const std::size_t id = role == std::string_view::npos ? role : path.find('.', role + 1);
  if (blank == std::string_view::npos || (id == std::string_view::npos && !fabric))
    return std::string(change);
  const std::string of = fabric ? "" : " of " + std::string(path.substr(role + 1, id - role - 1));
  const std::string_view value = fabric ? path : path.substr(id + 1), moves = change.substr(blank);
  for (const ChangeRow& row : kChanges)
    if (row.value == value && (row.moves.empty() || moves == row.moves))
      return std::string(row.words) + of + (row.moves.empty() ? std::string(moves) : std::string());
  for (const std::string_view counted : {".count", ".rate"})
    if (path.ends_with(counted))
      if (const std::string_view resource = path.substr(0, path.size() - counted.size());
          knows(resource))
        return of_resource(resource) + std::string(moves);
  return std::string(change);
}

}  // namespace stallcast::label
