#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/fields.hpp"
#include "engine/base/random.hpp"
#include "models/cache/params.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// Data set formats: what reading one sample asks of storage and CPU. docs/models/formats.md.
namespace stallcast::models {

/// The data set of a job.
struct DatasetParams : cache::CacheParams {
  std::string on;                         ///< storage system
  std::optional<std::string> also;        ///< another one, where a share of the files lies
  Fraction also_share;                    ///< above 0 and below 1 where there is another
  Bytes sample;                           ///< mean stored size of a sample
  Bytes sample_stdev;                     ///< of the stored size
  std::optional<std::int64_t> samples;    ///< in the whole set
  std::optional<Bytes> size;              ///< of the whole set
  Seconds decode;                         ///< CPU time per sample, whatever its size
  Seconds passes;                         ///< likewise of codec, checksum and decryption, over all
  std::string codec;                      ///< "none", "float", "jpeg"
  Rate float_rate, jpeg_rate;             ///< stored bytes one core decodes in a second
  std::optional<Rate> checksum, decrypt;  ///< likewise, where samples are checked, encrypted
  std::optional<Bytes> tensor;            ///< of one sample in a batch; else its size in memory
  bool direct = false;                    ///< O_DIRECT
  Seconds request_cpu;                    ///< of the client library, per request
  std::optional<Bytes> request_block;     ///< it reads ahead this much; else files are streams

  /// A storage system, and the share of the files that lies on it.
  struct Place {
    std::string storage;
    double share = 1.0;
  };
  /// One, or two whose shares add up to 1.
  [[nodiscard]] std::vector<Place> places() const;
  /// Samples in the whole set.
  [[nodiscard]] double sample_count() const;
  /// CPU time per sample, of whose stored bytes such a share is read.
  [[nodiscard]] Seconds decoding(double columns) const { return decode + passes * columns; }
  /// Standard deviation of the sizes drawn: `sample_stdev` as long as no side is negative, and less
  /// from there on.
  [[nodiscard]] Bytes drawn_stdev() const;
  /// Stored size of so many samples, each drawn: the product of two normal image sides, as DLIO
  /// writes them. Of a part of a sample, that part of its size.
  [[nodiscard]] Bytes draw(base::RandomStream& random, double samples = 1.0) const;
};
[[nodiscard]] DatasetParams dataset_params(const Component& component);
[[nodiscard]] std::span<const base::FieldInfo> dataset_common_fields();

/// What one sample costs in a format. What belongs to a file or a unit of n samples counts 1/n.
struct SampleAccess {
  double used = 1.0;           ///< share of the stored samples that an epoch uses
  double touched = 1.0;        ///< share of the stored bytes that an epoch reads, each once
  double files = 1.0;          ///< files opened
  double in_file = 0.0;        ///< samples stored in one file; 0: `files` says it
  double large = 1.0;          ///< files that the whole set is cut into, where in_file is infinite
  double ranges = 1.0;         ///< pieces of files read, each by itself
  double round_trips = 1.0;    ///< dependent requests per range besides streaming
  double amplification = 1.0;  ///< bytes fetched per stored byte of the sample
  double expansion = 1.0;      ///< bytes in memory per stored byte of the sample
  double columns = 1.0;        ///< share of the stored bytes of a sample that is read
  double unit = 0.0;   ///< samples fetched in one go before the first of them; 0: each alone
  double ahead = 0.0;  ///< samples fetched ahead, alongside the loading; 0: when needed
  double ahead_batches = 0.0;      ///< the same in batches of the loader, added
  double fetchers = 1.0;           ///< that fetch ahead at one time
  bool ahead_in_file = false;      ///< of the file that is being read only
  bool decoded_ahead = false;      ///< by those who fetch ahead
  double block_units = 1.0;        ///< units whose samples are shuffled together
  double listed = 0.0;             ///< before the first epoch: requests that list all names
  double stated = 0.0;             ///< and files whose attributes are asked for
  double stated_at_once = 1.0;     ///< so many at one time
  bool one_lock = false;           ///< threads of one process take turns in the library
  Rate unpack = Rate::infinity();  ///< CPU: fetched bytes one core decompresses in a second
  Rate stream =
      Rate::infinity();           ///< most one reader takes in, waiting: it asks for little at once
  Rate parse = Rate::infinity();  ///< CPU: stored bytes one core parses and copies in a second
  Seconds parse_fixed;            ///< CPU: fixed cost of a sample
  Seconds fetch_fixed{};          ///< CPU: likewise, of whoever fetches its unit
  double parsed_beside = 0.0;     ///< share of the parsing that goes on while bytes arrive
  std::optional<Bytes> keep{};    ///< most the format's own library keeps on a host

  /// Samples of an epoch, of so many that are stored.
  [[nodiscard]] double epoch(double stored) const { return stored * used; }
  /// Whether units are fetched alongside the loading.
  [[nodiscard]] bool fetches_ahead() const {
    return unit > 0.0 && (ahead > 0.0 || ahead_batches > 0.0);
  }
  /// Samples stored in one file; infinite where all lie in a few large ones.
  [[nodiscard]] double stored_in_file() const {
    if (in_file > 0.0) return in_file;
    return files > 0.0 ? std::max(1.0, 1.0 / files) / used
                       : std::numeric_limits<double>::infinity();
  }
  /// Samples that an epoch uses of one file, where there are many.
  [[nodiscard]] double per_file() const {
    if (in_file > 0.0) return std::isfinite(in_file) ? std::max(1.0, in_file * used) : 1.0;
    return files > 0.0 ? std::max(1.0, 1.0 / files) : 1.0;
  }
  /// Files that so many stored samples lie in, each counted once; 0: a few large ones.
  [[nodiscard]] double files_of(double stored) const {
    return in_file > 0.0 ? stored / in_file : epoch(stored) * files;
  }
  /// The same, where those few count as well.
  [[nodiscard]] double files_in_all(double stored) const {
    return std::isfinite(in_file) ? std::max(1.0, std::ceil(files_of(stored) - 1e-9)) : large;
  }
  /// Bytes of one range, given the mean stored size of a sample.
  [[nodiscard]] Bytes range(Bytes sample) const { return sample * amplification / ranges; }
  /// Whether ranges are pieces of larger files.
  [[nodiscard]] bool in_pieces() const {
    return amplification / ranges < stored_in_file() * (1.0 - 1e-9);
  }
  /// Size of the file that a range is a piece of; 0: it is a file.
  [[nodiscard]] Bytes larger_file(Bytes sample) const {
    return in_pieces() ? sample * stored_in_file() : Bytes{};
  }
  /// CPU time of fetching samples of `stored` bytes in all, their decompression included.
  [[nodiscard]] Seconds fetching(Bytes stored, double samples) const {
    return stored * amplification / unpack + fetch_fixed * samples;
  }
  /// CPU time of parsing samples of `stored` bytes in all, without decompression.
  [[nodiscard]] Seconds parsing(Bytes stored, double samples) const {
    return stored / parse + parse_fixed * samples;
  }
};

}  // namespace stallcast::models
