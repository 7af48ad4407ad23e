#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "engine/sim/sync.hpp"
#include "models/contract/storage.hpp"
#include "models/storage/placed_rate.hpp"
#include "models/storage/placed_saves.hpp"
#include "models/storage/pool_shape.hpp"
#include "models/storage/scaled_links.hpp"
#include "models/storage/stream_cap.hpp"

namespace stallcast::models {

/// How files are read: dependent requests of `service` each, then their data, as in stream_in.
struct FileReads {
  ReadRequest request;
  Seconds service{};
  StreamCap cap = Rate::infinity();
  PlacedRate placed{};
  Work work{};
};

/// A storage system whose data lies evenly on a pool of media behind a pool of servers:
///
///     reads:  media.in -> media.out -> (read ceiling) -> server network -> (routers) -> fabric
///     writes: fabric -> (routers) -> server network -> (write ceiling) -> media.in -> media.out
///
/// Kinds give the shapes and the chain of each operation; max-min sharing does the rest.
class PooledStore : public StorageModel {
 public:
  void build(graph::Topology& topology, const StorageLoad& load) override;
  [[nodiscard]] std::optional<OwnReads> own_reads(const std::string& who) const override;
  [[nodiscard]] std::optional<OwnWrites> own_writes(const std::string& who) const override;
  [[nodiscard]] graph::NodeId read_source() const final { return media_in_; }
  [[nodiscard]] graph::NodeId write_sink() const final { return media_out_; }
  [[nodiscard]] graph::NodeId egress() const final { return egress_; }
  [[nodiscard]] graph::NodeId ingress() const final { return ingress_; }
  [[nodiscard]] ClientLimits client_limits() const override { return {}; }
  [[nodiscard]] bool reads_once() const final { return true; }
  [[nodiscard]] bool read_once(const Client& client, const ReadRequest& request,
                               OneTransfer& told) final;
  [[nodiscard]] Served read_ended(const Client& client, const OneTransfer& told,
                                  const sim::FlowOutcome& flow) final;
  [[nodiscard]] OpenLimit open_limit(double reads) const override;
  void attach(sim::Context& context, ResourceTable& resources, Seconds round_trip,
              std::uint64_t seed) override;
  void report(Seconds wall, std::vector<ResourceUse>& out) const override;
  /// The lines; kinds that remember more say so themselves.
  void describe(sim::Ledger& ledger) override;
  [[nodiscard]] double parts(StoragePart part) const override;
  void scale(StoragePart part, double factor) override;
  [[nodiscard]] std::vector<std::pair<std::string, double>> queues(Seconds wall) const override;

 protected:
  explicit PooledStore(const Component& component) : name_("storage." + component.id) {}

  [[nodiscard]] virtual PoolShape pool(const StorageLoad& load) const = 0;
  /// `reach` of all that are read.
  [[nodiscard]] double reach_of(const StorageLoad& load) const;
  [[nodiscard]] virtual MetadataShape metadata() const = 0;
  /// Servers of it that could be busy, whatever is drawn.
  [[nodiscard]] virtual double metadata_servers() const { return metadata().servers; }
  /// Requests at its line that one open is, and of `reads` dependent ones of the data those as
  /// well.
  [[nodiscard]] virtual double open_requests(double reads) const {
    (void)reads;
    return 1.0;
  }
  /// What moves the data of one request, its server or its connection, where those that a host has
  /// in flight are counted (client_limits().requests).
  [[nodiscard]] virtual BothWays one_request() const { return {}; }
  /// What its users share besides bytes; at most so much a second of all of them.
  [[nodiscard]] virtual WorkShape work() const { return {}; }
  /// Targets that pieces of every shared file hold, one at a time; 0: what they hold is of their
  /// file alone.    [docs/models/storage.md, eq. 10]
  [[nodiscard]] virtual double held_targets() const { return 0.0; }
  /// Bytes that the media write for a byte that arrives, of files of this size: copies and parity
  /// that servers make.    [docs/models/storage.md, eq. 13]
  [[nodiscard]] virtual double written(Bytes file) const {
    (void)file;
    return 1.0;
  }

  /// `files` operations per member, one after the other: a round trip each and the metadata line,
  /// each after `before` requests at that line. With `left` the last wait is told, not waited for.
  [[nodiscard]] sim::Task<Served> metadata_ops(const Client& client, double files, bool create,
                                               double before = 0.0, Seconds* left = nullptr);
  /// Until the first member has its files.
  struct Created {
    Served served;
    Seconds queued;  ///< of what the last waits for them, behind files of other writers
    Seconds evenly;  ///< the others have theirs in the next, if no other job creates meanwhile
    std::shared_ptr<sim::Signal> all{};  ///< set when they have; none: as said
  };
  [[nodiscard]] sim::Task<Created> create_files(const Client& client, const WriteRequest& request,
                                                double before = 0.0);
  /// Until the last member has its files, at `date` if no other job creates; where that is later
  /// until its data have moved, too, which take it `alone` so long. Yields when it had them.
  [[nodiscard]] sim::Task<Seconds> all_created(const Created& created, Seconds date, Seconds alone);
  /// Commits of a member's files, two round trips each: those of the first were waited for while
  /// it was `queued` to create others.    [docs/models/storage.md, eq. 16]
  [[nodiscard]] Seconds commits_of(double files, Seconds commit, Seconds queued) const;
  /// Requests of `service` each at the metadata line, one of a member's after the other; of parts
  /// of files as many as they are parts.
  [[nodiscard]] sim::Task<Served> metadata_line(const Client& client, double requests,
                                                Seconds service) {
    return metadata_line(client, requests, {.held = service, .answer = service, .of_parts = true});
  }
  /// The same, answered as opens are.
  [[nodiscard]] sim::Task<Served> data_line(const Client& client, double requests);
  /// The data, at most at `cap` per member.
  /// `placed`: what the media give one process where files lie unevenly; they are to blame when it
  /// is not above `cap`, and where they make that. It is over when `work` is, too.
  [[nodiscard]] sim::Task<Served> stream_in(const Client& client, Bytes bytes, StreamCap cap,
                                            Rate placed = Rate::infinity(), Work work = {});
  [[nodiscard]] sim::Task<Served> stream_out(const Client& client, Bytes bytes, StreamCap cap,
                                             Rate placed = Rate::infinity(), Outward how = {},
                                             Work work = {});

  /// The chain most kinds read by: dependent requests of `service` each, then the stream.
  ///     t = files * round_trips * (rtt + service) + bytes / rate
  [[nodiscard]] sim::Task<Served> read_files(const Client& client, FileReads how);
  /// A part of what is read in several at the same time, and the date at which it ended.
  struct PartRead {
    Served served;
    Seconds ended;
  };
  sim::Task<void> timed(sim::Task<Served> read, PartRead& out) {
    out.served = co_await std::move(read);
    out.ended = context().now();
  }
  /// One after the other: what took longer limited it.
  [[nodiscard]] sim::Task<Served> longer_of(sim::Task<Served> first, sim::Task<Served> then);
  /// How `request` is read by that chain; none where it is not. By the client, its sizes and what
  /// the store was built as alone, not by what was opened or when: see OneTransfer::lasts.
  [[nodiscard]] virtual std::optional<FileReads> file_reads(const Client& client,
                                                            const ReadRequest& request) {
    (void)client, (void)request;
    return std::nullopt;
  }
  /// The chain most kinds write by: creates, answers to requests of `service` each, the stream,
  /// then `commit` and two round trips a file. `placed` as in stream_out; who has more to write
  /// than the others goes on alone.    [storage.md, eq. 6]
  [[nodiscard]] sim::Task<Served> write_files(const Client& client, WriteRequest request,
                                              Seconds service, StreamCap cap, Seconds commit,
                                              PlacedRate placed = {}, Work work = {});
  /// The data of files: beside those of others, then what is left alone, as in stream_out.
  ///    [storage.md, eq. 6]
  [[nodiscard]] sim::Task<Served> move_out(const Client& client, const WriteRequest& request,
                                           StreamCap cap, const PlacedRate& placed, Outward how,
                                           Work work);
  /// What members wait for besides their data, which move since `began` and take one `alone` so
  /// long: of loose ones the first goes on before the last.    [docs/models/tenants.md, eq. 18]
  [[nodiscard]] sim::Task<void> goes_on(const Client& client, Served& served, Seconds began,
                                        Seconds alone, Seconds wait);
  /// Work of an operation, which goes on beside it.
  struct Working {
    sim::Beside flow{};
    bool on = false;
    Seconds began{};
    double amount = 0.0;  ///< of all members
  };
  /// Requests of an operation in the window of its hosts: each is in flight for `answers` and while
  /// its data move; `alone`: what the operation takes where no other asks.
  ///     t >= (answers + moves) * max(1, n / requests)    [docs/models/storage.md, eq. 17]
  void begin_requests(Working& asking, const Client& client, Seconds answers, Seconds moves,
                      Seconds alone);
  /// When the rest of the operation is over, limited by `served` or by that window.
  [[nodiscard]] sim::Task<Served> end_requests(Working& asking, const Client& client,
                                               Served served);
  /// Waits for the answers of requests to open files, one after the other.
  ///     t = requests * (rtt + service)    [docs/models/tenants.md, eq. 7]
  [[nodiscard]] sim::Task<void> answers(double requests, Seconds service);

  /// One file for all writers, of which the first creates it and the others open it.
  /// REQUIRES: request.sharing is interleaved.
  [[nodiscard]] sim::Task<Served> write_pieces(const Client& client, WriteRequest request, Rate cap,
                                               Seconds commit, SharedPieces pieces, Work work = {});
  /// The same file read, each reader its pieces.
  [[nodiscard]] sim::Task<Served> read_pieces(const Client& client, ReadRequest request, Rate cap,
                                              SharedPieces pieces, Work work = {});

  /// The links of `path` that are not of the media.
  [[nodiscard]] std::vector<sim::LinkId> past_media(const std::vector<sim::LinkId>& path) const;
  [[nodiscard]] sim::Context& context() const { return *context_; }
  /// How it is used. REQUIRES: built.
  [[nodiscard]] const StorageLoad& load() const { return load_; }
  /// Of the blame on "storage.<id>.<part>". REQUIRES: attached.
  [[nodiscard]] ResourceIndex resource(std::string_view part) const {
    return resources_->index(name_ + "." + std::string(part));
  }
  /// Of the fabric. REQUIRES: built.
  [[nodiscard]] Seconds round_trip() const { return load_.round_trip; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

 private:
  static constexpr double kRounding = 1e-9;
  /// A link that is so much wider than another limits nobody who crosses both.
  static constexpr double kWider = 1.0 + 1e-5;

  /// A request at the metadata line.
  struct Request {
    Seconds held;    ///< of its server's time
    Seconds answer;  ///< after its server began
    bool create = false;
    bool of_parts = false;  ///< who asks for less than one waits for so much of it, on average
  };
  [[nodiscard]] sim::Task<Served> metadata_line(const Client& client, double requests,
                                                Request request, Seconds* left = nullptr);
  /// Of `files` that a member creates one after the other, those of one turn: with others who
  /// create it takes turns.    [docs/models/storage.md, eq. 3]
  [[nodiscard]] double in_a_turn(double files) const;
  /// The turns of so many files. `begins`: the date at which the first member asks for its first.
  [[nodiscard]] sim::Task<Served> create_in_turns(const Client& client, double files, double turn,
                                                  double before, Seconds begins);
  [[nodiscard]] sim::Task<void> go_on_creating(const Client& client, double files, double turn,
                                               double before, Seconds begins, sim::Signal& all);
  /// When it asks for those of the next turn: `some` of each member were asked for and the last
  /// member has them in the next `left`.
  [[nodiscard]] Seconds next_turn(const Client& client, double some, double before, Seconds asked,
                                  Seconds left) const;
  /// How long each holds the directory that all are in; 0: they are in many.
  [[nodiscard]] Seconds in_directory(const Client& client, bool create) const;
  /// Until it is answered that held a directory, which may be what the server does for it.
  [[nodiscard]] Seconds after_directory(const Request& request, Seconds held) const;
  /// Where somebody created files in one, how busy the busiest is.
  void report_directory(Seconds wall, std::vector<ResourceUse>& out) const;
  /// What one operation takes where nobody else is.
  [[nodiscard]] Seconds alone(const Client& client, bool create, double before) const;
  /// How long creates of some members take that follow those of others.
  [[nodiscard]] Seconds busy_with_creates(const Client& client, double files, double before) const;
  /// When the last of `count` is answered that come evenly in the next `over`.
  [[nodiscard]] Seconds admit(double count, const Request& request, Seconds over);
  /// How long `count` opens take of a line in which nobody else is.
  [[nodiscard]] Seconds alone_in_line(double count, const Request& request) const;
  /// Bytes one way, and what they can take of the work at most.
  struct Way {
    double most_work = 0.0;             ///< that it gets
    Rate most;                          ///< that ever moves
    Bytes for_one = Bytes::infinity();  ///< bytes of one operation, or second of disks, at least
    [[nodiscard]] double work() const { return most / (for_one / Seconds::from(1.0, unit::s)); }
  };
  [[nodiscard]] Seconds answers_of(const ReadRequest& request, Seconds service) const;
  PartCeiling find_own_reads(const StorageLoad& load);
  [[nodiscard]] sim::LinkId add_work(const std::string& name, double capacity);
  [[nodiscard]] Served blame(const sim::FlowOutcome& flow) const;
  /// Whether the media hold a process that no link does, where its host lets it move `host`.
  [[nodiscard]] static bool media_bind(StreamCap cap, Rate host, Rate placed) {
    const Rate own = std::min(cap.rate, host);
    return placed <= own ? placed.finite() : cap.by_media && cap.rate <= host;
  }
  /// `at_least`: what an operation that moves `bytes` takes where nobody else works.
  void begin(Working& working, const Client& client, Work work, Way& way, Bytes bytes,
             Seconds at_least);
  /// `work` of each member on `links`, at most `most` of it a second.
  void begin(Working& working, const Client& client, std::span<const sim::LinkId> links, Work work,
             double most);
  /// Whether it ends when the rest of the operation does: then it is counted.
  [[nodiscard]] bool ends(const Working& working) {
    if (!working.on) unshared_ += working.amount;
    return !working.on;
  }
  /// When the rest of the operation is over, limited by `served`; `by`: to blame where it is later.
  [[nodiscard]] sim::Task<Served> end(Working& working, Served served, ResourceIndex by);
  /// Time of targets that pieces of `bytes` hold, which are moved at `most` where no other file is.
  void begin_pieces(Working& holding, const Client& client, Bytes bytes, Bytes piece,
                    const SharedPieces& pieces, Rate most);
  [[nodiscard]] Served blame_pieces(Served served, bool held) const;

  std::string name_;
  StorageLoad load_;
  graph::NodeId media_in_, media_out_, egress_, ingress_;
  std::string metadata_name_, media_name_;
  std::vector<std::string> media_edges_, server_edges_;
  std::map<std::string, Rate> media_alone_;  ///< by resource, where others may bound them
  std::map<std::string, Rate> own_reads_, own_writes_;  ///< by who
  Rate jobs_together_ = Rate::infinity();
  MetadataShape metadata_;
  std::uint64_t seed_ = 0;
  sim::Context* context_ = nullptr;
  ResourceTable* resources_ = nullptr;
  Request open_, create_;
  Seconds directory_service_, directory_open_service_;
  std::optional<sim::ServerQueue> line_;
  std::map<std::size_t, sim::ServerQueue> directories_;  ///< one at a time, by owner
  std::optional<sim::ServerQueue> creates_;  ///< beside it, where creates are slower than opens
  Seconds paced_;                            ///< of one of its threads by a create
  Seconds waited_longer_;                    ///< for that than for the line
  sim::LinkId media_link_;                   ///< invalid where media do not limit
  sim::LinkId work_link_;                    ///< invalid where nothing is shared besides bytes
  sim::LinkId work_of_reads_;                ///< of that; invalid where they may have all
  double work_most_ = 0.0;                   ///< its capacity
  sim::LinkId pieces_link_;                  ///< invalid where no two files are in pieces at a time
  Way reads_, writes_;
  bool scarce_ = false;    ///< both may ask for more work than there is: it is shared,
  double unshared_ = 0.0;  ///< and was not when so much was done
  double apart_ = 0.0;     ///< writers whose data move, and who wait for no other
  PlacedSaves saved_, restored_;
  ScaledLinks media_links_, server_links_;
  bool attached_ = true;
  double metadata_factor_ = 1.0;            ///< share of the metadata servers' rate that is there
  std::optional<sim::Signal> metadata_up_;  ///< set while there is any
  ResourceIndex metadata_resource_ = kNoResource, directory_resource_ = kNoResource;
  ResourceIndex stream_resource_ = kNoResource;
  ResourceIndex media_resource_ = kNoResource;
  ResourceIndex work_resource_ = kNoResource;
};

}  // namespace stallcast::models
