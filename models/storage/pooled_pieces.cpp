#include <algorithm>

#include "models/storage/pooled_store.hpp"
#include "models/storage/striping.hpp"

/// One file that all write in pieces. Equations: docs/models/storage.md, eq. 10.
namespace stallcast::models {

// A target serves one piece at a time: c targets give c x / (x / b + hold).
Rate SharedPieces::share(Bytes piece, double processes) const {
  return window_rate(piece, piece, hold, target) * (targets / processes);
}

Seconds SharedPieces::holds(Bytes bytes, Bytes piece) const {
  return (hold + piece / target) * (bytes / piece);
}

// A process has one piece under way: no read-ahead and no merging past what it writes at a time.
Rate SharedPieces::alone(Bytes piece) const { return window_rate(piece, piece, turn, target); }

// A piece is at its target for hold + x / b: the longer of both is what limits.
bool SharedPieces::held(Bytes piece) const { return !as_others && hold > piece / target; }

// Files of several jobs hold the same targets: those have so many seconds a second for all.
void PooledStore::begin_pieces(Working& holding, const Client& client, Bytes bytes, Bytes piece,
                               const SharedPieces& pieces, Rate most) {
  if (!pieces_link_.valid()) return;
  const Seconds time = pieces.holds(bytes, piece);
  begin(holding, client, {&pieces_link_, 1}, {.amount = time.in(unit::s)}, time / (bytes / most));
}

Served PooledStore::blame_pieces(Served served, bool held) const {
  return held && served.limited_by == media_resource_ ? Served{resource("shared_file")} : served;
}

sim::Task<Served> PooledStore::write_pieces(const Client& client, WriteRequest request, Rate cap,
                                            Seconds commit, SharedPieces pieces, Work work) {
  co_await metadata_ops(client, request.files / request.writers, true);
  co_await metadata_ops(client, request.files, false);
  cap = std::min(cap, pieces.alone(request.piece));
  const Rate share = pieces.share(request.piece, request.writers);
  Working holding;
  begin_pieces(holding, client, request.bytes, request.piece, pieces,
               std::min({cap, share, client.writes_at_most(request.sent)}));
  Served served = co_await stream_out(client, request.bytes, cap, share,
                                      {written(Bytes::infinity()), request.sent}, work);
  if (holding.on) served = co_await end(holding, served, media_resource_);
  co_await context().sleep((commit + round_trip() * 2.0) * request.files);
  co_return blame_pieces(served, pieces.held(request.piece));
}

sim::Task<Served> PooledStore::read_pieces(const Client& client, ReadRequest request, Rate cap,
                                           SharedPieces pieces, Work work) {
  cap = std::min(cap, pieces.alone(request.piece));
  const Rate share = pieces.share(request.piece, request.readers);
  Working holding;
  begin_pieces(holding, client, request.bytes, request.piece, pieces,
               std::min({cap, share, client.reads_at_most()}));
  Served served = co_await stream_in(client, request.bytes, cap, share, work);
  if (holding.on) served = co_await end(holding, served, media_resource_);
  co_return blame_pieces(served, pieces.held(request.piece));
}

}  // namespace stallcast::models
