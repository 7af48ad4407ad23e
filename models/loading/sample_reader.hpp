#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/base/random.hpp"
#include "engine/sim/context.hpp"
#include "engine/sim/memory.hpp"
#include "engine/sim/sync.hpp"
#include "models/contract/dataset.hpp"
#include "models/contract/host_cores.hpp"
#include "models/contract/phase_clock.hpp"
#include "models/contract/storage.hpp"
#include "models/loading/dataset_cache.hpp"

namespace stallcast::models {

/// A second storage system, on which a share of the files lies.
struct OtherStore {
  StorageModel* storage = nullptr;
  Client client;
  HostCores cores;
  double share = 0.0;  ///< above 0 and below 1
  double ranks = 1.0;  ///< of the class, that read
  /// Files there that what the job read so far lacks of what all of its ranks would have read.
  std::shared_ptr<double> owed{};
};

/// Where a class of ranks runs and what its loader reads.
struct LoaderSite {
  // First what each read looks at.
  StorageModel* storage = nullptr;
  const ResourceTable* resources = nullptr;  ///< names of what is waited for
  HostCores cores;
  Rate gpu_copy = Rate::infinity();  ///< of one batch to the GPU; infinite: no copy
  ResourceIndex copy_resource = kNoResource;
  // From here on, what not all do.
  Client client;
  sim::LinkId opens;  ///< files that the host opens, each a byte; invalid: no limit
  ResourceIndex opens_resource = kNoResource;
  ResourceIndex last_resource = kNoResource;  ///< of the last stage of a batch: pinning, the GPU
  sim::LinkId gpu_link;  ///< PCIe uplinks it crosses with others; invalid: none
  ResourceIndex uplink_resource = kNoResource;
  double peers = 0.0;  ///< GPUs that get each batch from the reader's over NVLink
  sim::LinkId nvlink;  ///< of its hosts, where there are any
  Rate peer_rate;      ///< into one of them
  ResourceIndex nvlink_resource = kNoResource;
  StorageModel* imports = nullptr;  ///< where spawned workers import from; nullptr: locally
  Client imports_client;
  std::optional<OtherStore> also;  ///< none: all lies on `storage`
  bool more_files = false;  ///< iterable data sets: each rank has one file more than the poorest
  std::unique_ptr<cache::DatasetCache> cache;  ///< nullptr: every read goes to the storage
  bool apart = false;                          ///< workers that begin together do not stay in step
  bool drawn = false;      ///< each read takes what it draws, so that they do not in any case
  std::int64_t finer = 1;  ///< groups for each that a batch has elsewhere
  bool keeps_up = false;   ///< presumed: Presumption::loaders_keep_up
};

/// Bytes of samples: what they were on the way, and what they are in memory.
struct Loaded {
  Bytes fetched;     ///< asked for: of the hosts' caches and of storage
  Bytes memory;      ///< after decompression, without what was fetched in vain
  Bytes missed;      ///< of those fetched, not found in a cache of the hosts
  Seconds behind{};  ///< a rank of the class that is not simulated has them so much later
  ResourceIndex behind_by = kNoResource;
  Loaded& operator+=(const Loaded& other) {
    // One delay is far longer than the others, where they decide.    [folding.md, eq. 5]
    if (other.behind > behind) {
      behind = other.behind;
      behind_by = other.behind_by;
    }
    fetched += other.fetched;
    memory += other.memory;
    missed += other.missed;
    return *this;
  }
};

/// Most storage systems that a data set lies on.
inline constexpr std::size_t kMostStores = 2;

/// What the readers of one loader share.
struct ReaderShared {
  sim::Context& context;
  const DatasetParams& dataset;
  const SampleAccess& access;
  LoaderSite site;
  double ahead = 0.0;          ///< samples each reader fetches ahead
  bool locked = false;         ///< readers are threads that take turns in the format's library
  bool decoded_apart = false;  ///< other threads decode
  double shuffle = 1.0, shuffle_first = 1.0;  ///< samples in each reader's shuffle buffer
  base::RandomStream random;
  sim::Slots lock;
  cache::Revisits revisits;   ///< in the present epoch
  std::uint64_t readers = 0;  ///< that share this

  /// Core time of decoding samples, where the storage does not.
  [[nodiscard]] Seconds decoding(double samples) const {
    return site.storage->decodes() ? Seconds{} : dataset.decoding(access.columns) * samples;
  }
};

/// One process or thread that reads samples: open, read, parse, decode, one after the other.
/// Formats with units fetch those whole, when needed or ahead. docs/models/formats.md.
class alignas(sim::kCacheLine) SampleReader {
 public:
  /// Sizes are drawn from `random`, which may be that of other readers too.
  SampleReader(ReaderShared& shared, base::RandomStream& random)
      : shared_(shared),
        dataset_(shared.dataset),
        access_(shared.access),
        larger_file_(access_.larger_file(dataset_.sample)),
        client_{shared.site.client, shared.site.also ? shared.site.also->client : Client{}},
        random_(random),
        wake_(shared.context),
        filled_(shared.context) {
    for (Client& client : client_) client.process = shared.readers;
    ++shared.readers;
    streaming_ = client_;
    for (Client& client : streaming_)
      if (shared.access.stream < client.core)
        client.core = shared.access.stream, client.reads_by = shared.site.cores.resource;
    parsed_beside_ = parsed_beside();
    plain_ = !shared.locked && access_.unit <= 0.0 && stores() == 1 &&
             streaming_[0].operations == nullptr && !shared.site.opens.valid();
    alike_ = plain_ && dataset_.sample_stdev == Bytes{};
    shuffles_ = shared.shuffle > 1.0;
    cached_ = shared.site.cache != nullptr;
    reads_once_ = shared.site.storage->reads_once();
    decodes_ = !shared.decoded_apart && !access_.decoded_ahead && !shared.site.storage->decodes();
  }

  /// Before an epoch: the samples that will be asked for in it. A unit is cut short at its end. A
  /// read of the epoch before that is under way brings nothing.
  void begin_epoch(double samples);
  void describe(sim::Ledger& ledger);
  /// Whether it is the same wherever in the data set it reads.
  [[nodiscard]] bool placeless() const {
    return shared_.access.unit <= 0.0 && shared_.shuffle <= 1.0 && opened_ == 0;
  }
  /// The next `count` samples, with `part` of the parsing and decoding that as many take on
  /// average. REQUIRES: never two at once.
  sim::Task<Loaded> read(double count, double part, PhaseClock& clock);
  /// Whether as many samples take the same to read and to process, but for waiting.
  [[nodiscard]] bool alike() const { return alike_ && !cached_; }
  /// Names of what it waits for.
  [[nodiscard]] const ResourceTable* resources() const { return shared_.site.resources; }

  /// The same step by step, where opening and reading files of one storage is all to wait for: a
  /// program that has nothing else to do meanwhile saves one of the reader's own. `begin` says
  /// whether; then come the others, as in `read`.
  [[nodiscard]] bool begin(double count, double part);
  [[nodiscard]] bool opens() const {
    return fetch_.where.opened[0] > 0.0 && store(0).asks_to_open();
  }
  [[nodiscard]] sim::Task<Served> opening(PhaseClock& clock);  ///< REQUIRES: opens()
  /// Then a read is asked for: whether it is one transfer, `once`. Else it is a task.
  [[nodiscard]] bool reads_once(ResourceIndex opened_by, PhaseClock& clock);
  [[nodiscard]] auto once() { return transfer_.end(); }
  [[nodiscard]] sim::Task<Served> reading(PhaseClock& clock) {
    return begin_read(fetch_, 0, clock);
  }
  /// What passes until it is over.
  [[nodiscard]] Seconds arrived(const Served& read, PhaseClock& clock) {
    return end_read(fetch_, 0, read, clock);
  }
  [[nodiscard]] Seconds arrived(const sim::FlowOutcome& flow, PhaseClock& clock) {
    return arrived(store(0).read_ended(streaming_[0], once_, flow), clock);
  }
  [[nodiscard]] Seconds processing(PhaseClock& clock);
  /// At `date`, when that is processed.
  void end(PhaseClock& clock, Seconds date, Loaded& into) { end(asked_, clock, date, into); }

 private:
  /// Of more samples or files one number is drawn for all.
  static constexpr double kDrawnOneByOne = 16.0;
  /// Parts of a file smaller than this are what adding up left.
  static constexpr double kRounding = 1e-6;
  struct Unit {
    double samples = 0.0;  ///< not yet taken
    Bytes each;
  };
  [[nodiscard]] double parsed_beside() const;
  sim::Task<void> fetch_unit(double wanted, PhaseClock& clock);
  sim::Task<void> fetch_ahead();
  sim::Task<void> buffered(double samples, PhaseClock& clock);
  Bytes draw(double samples);
  Bytes take(double samples);
  [[nodiscard]] double opens(double files);
  /// Where files that are read next lie: parts of them, and how many are opened there.
  struct Where {
    std::array<double, kMostStores> opened{}, part{1.0, 0.0};
  };
  [[nodiscard]] double drawn_there(double n);
  [[nodiscard]] Where locate(double files, double samples);
  /// What is read at one time.
  struct Fetch {
    ResourceIndex limited_by = kNoResource;  ///< how it went
    double files = 0.0;                      ///< that lie on storage, parts included
    Bytes bytes;
    Seconds parsing;                   ///< goes on while bytes arrive
    double missed = 1.0;               ///< share of it that no cache of the hosts holds
    HostCores::Operation operation{};  ///< core time beside the last request
    Where where{};
    // From here on, what a read like the one before does not look at.
    double samples = 0.0;
    double found = 0.0;     ///< share of it that a cache of the hosts holds
    ReadRequest request{};  ///< where it is not one transfer
  };
  /// Whether what `fetch_` says is one transfer, `once_`.
  [[nodiscard]] bool ask_once();
  void plan(Fetch& f, double samples, Bytes stored, Seconds parsing = {});
  /// What `read` was called for, and what it takes in for that.
  struct Asked {
    std::int64_t epoch = 0;
    double count = 0.0, part = 1.0, loaded = 0.0;
    Bytes stored{};
    Seconds processing{};  ///< of what is read step by step, once its bytes are there
  };
  [[nodiscard]] Bytes stored(double loaded);
  [[nodiscard]] Seconds unpacking(const Asked& asked) const {
    return access_.fetching(asked.stored, asked.loaded);
  }
  [[nodiscard]] Seconds parsing(const Asked& asked) const {
    return access_.parsing(asked.stored, asked.loaded);
  }
  [[nodiscard]] Seconds decoding(const Asked& asked) const {
    return decodes_ ? dataset_.decoding(access_.columns) * asked.count : Seconds{};
  }
  void end(const Asked& asked, PhaseClock& clock, Seconds date, Loaded& into);
  /// When the last of the operations of a fetch may have begun, and who is to blame for that.
  struct Turn {
    Seconds over{};
    ResourceIndex of = kNoResource;
  };
  [[nodiscard]] Turn turn_of(const Fetch& f) const;
  sim::Task<void> fetch(Fetch& f, PhaseClock& clock);
  sim::Task<Served> open(const Fetch& f, PhaseClock& clock);
  /// What it reads of a storage; `end_read` then says what core time is left.
  sim::Task<Served> begin_read(Fetch& f, std::size_t which, PhaseClock& clock);
  [[nodiscard]] ReadRequest request(const Fetch& f, std::size_t which) const;
  [[nodiscard]] HostCores::Operation operation(const Fetch& f, std::size_t which,
                                               Bytes bytes) const {
    return {.bytes = bytes,
            .most = streaming_[which].reads_at_most(),
            .more = f.parsing * f.where.part[which]};
  }
  [[nodiscard]] Seconds end_read(Fetch& f, std::size_t which, const Served& read,
                                 PhaseClock& clock);
  void end_fetch(const Fetch& f, PhaseClock& clock);
  [[nodiscard]] HostCores& cores(std::size_t which) {
    return which == 0 ? shared_.site.cores : shared_.site.also->cores;
  }
  sim::Task<Served> receive(std::size_t which, const ReadRequest& request, PhaseClock& clock);
  [[nodiscard]] StorageModel& store(std::size_t which) const {
    return which == 0 ? *shared_.site.storage : *shared_.site.also->storage;
  }
  [[nodiscard]] std::size_t stores() const { return shared_.site.also ? kMostStores : 1; }
  [[nodiscard]] bool may_fetch_ahead() const;
  [[nodiscard]] double to_load(double samples) const;
  [[nodiscard]] double to_hold(double samples) const;
  Bytes give(double loaded, Bytes stored, double samples);

  // First what each read looks at.
  ReaderShared& shared_;
  const DatasetParams& dataset_;
  const SampleAccess& access_;
  bool plain_ = false;       ///< opening and reading files of one storage is all it does
  bool alike_ = false;       ///< and the same again for as many samples
  bool cached_ = false;      ///< but for what a cache of the hosts has
  bool reads_once_ = false;  ///< a read may be one transfer
  bool decodes_ = false;     ///< itself, and what storage did not
  bool shuffles_ = false;    ///< in a buffer
  bool again_ = false;       ///< what it asks for is what it asked for before
  ResourceIndex behind_by_ = kNoResource;
  /// Of the read since the last sample of which another rank waits longest.
  Seconds behind_;
  std::int64_t epoch_ = 0;  ///< how many have begun
  double in_file_ = 0.0;    ///< part of the open file that is not read yet
  double given_ = 0.0;      ///< samples of this epoch returned so far
  Bytes fetched_, missed_;  ///< since the last read returned
  Asked asked_;             ///< of what is read step by step
  OneTransfer once_;        ///< the same, where one is all
  sim::Later transfer_;     ///< that
  Fetch fetch_;             ///< of what is read step by step

  std::int64_t opened_ = 0;  ///< times that a file was opened
  Bytes larger_file_;        ///< that ranges are pieces of; 0: none
  double parsed_beside_ = 0.0;
  double pool_ = 0.0;                          ///< loaded, in the shuffle buffer
  Bytes pool_bytes_;                           ///< their stored size
  std::array<Client, kMostStores> client_;     ///< as each storage knows it
  std::array<Client, kMostStores> streaming_;  ///< reading at most as fast as its format asks
  base::RandomStream& random_;
  sim::Ring<Unit> units_;  ///< fetched, not yet taken
  std::size_t here_ = 0;   ///< storage of the open file
  double held_ = 0.0;      ///< samples in them
  double left_ = 0.0;      ///< samples of this epoch that are not fetched yet
  double coming_ = 0.0;    ///< samples that are being fetched
  double taken_ = 0.0;     ///< samples taken in this epoch
  double unparsed_ = 0.0;  ///< of those being read, not yet taken to be parsed
  double wanted_ = 0.0;    ///< samples somebody waits for
  double total_ = 0.0;     ///< samples of this epoch
  WaitSplit brought_;      ///< by what was fetched ahead since somebody waits: what it took
  sim::Signal wake_, filled_;
  bool ahead_started_ = false;
};

}  // namespace stallcast::models
