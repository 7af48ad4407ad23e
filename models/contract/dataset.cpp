#include "models/contract/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kCodecs[] = {"float", "jpeg", "none"};
constexpr std::string_view kShuffles[] = {"global", "node", "none"};
constexpr std::string_view kPolicies[] = {"lru", "none", "pinned", "random"};
constexpr std::string_view kMedia[] = {"memory", "nvme"};
constexpr std::string_view kScopes[] = {"cooperative", "node"};

constexpr std::array<Field<DatasetParams>, 26> kDataset{
    field("on", &DatasetParams::on, kRequired, "id of the storage system it lies on"),
    field("also.on", &DatasetParams::also, kOptional,
          "id of another storage system, where a part of the files lies"),
    field("also.share", &DatasetParams::also_share, "0 %",
          "share of the files that lies there; the rest lies \"on\" the first", kShare),
    field("sample", &DatasetParams::sample, kRequired, "mean stored size of one sample", kPositive),
    field("sample_stdev", &DatasetParams::sample_stdev, "0 B",
          "standard deviation of the stored size", kNonNegative),
    field("samples", &DatasetParams::samples, kOptional, "samples in the data set", kAtLeastOne),
    field("size", &DatasetParams::size, kOptional, "size of the data set", kPositive),
    field("decode", &DatasetParams::decode, "0 ms",
          "CPU time per sample besides parsing: decode, augment, tokenise", kNonNegative),
    field("codec", &DatasetParams::codec, "none",
          "what is decoded besides: jpeg: RGB images, float: bytes to numbers, each at its rate",
          one_of(kCodecs)),
    field("float.rate", &DatasetParams::float_rate, "4 GB/s",
          "codec float: stored bytes one core turns into 32-bit numbers in a second",
          between("2 GB/s", "8 GB/s",
                  cited(kPositive, "own probe, PyTorch 1.13, 2 cores, 2026-11: samples of 128 KiB"),
                  "expert range: cores differ by two, and share memory bandwidth")),
    field("jpeg.rate", &DatasetParams::jpeg_rate, "80 MB/s",
          "codec jpeg: stored bytes one core decodes in a second",
          between(
              "30 MB/s", "120 MB/s",
              cited(kPositive, "own probe, Pillow 9.4, 2 cores, 2026-11: 73 at 85 kB, 85 at 22 kB"),
              "imread_benchmark: one thread 360-864 images/s by CPU; all cores at half of it")),
    field(
        "checksum", &DatasetParams::checksum, kOptional,
        "each sample is checked when it is read, stored bytes one core checks in a second: CRC32C "
        "10 GB/s, SHA-256 1.5 GB/s; absent: not",
        kPositive),
    field(
        "decrypt", &DatasetParams::decrypt, kOptional,
        "samples are stored encrypted, bytes one core decrypts in a second: AES-256-GCM 3-6 GB/s; "
        "absent: not",
        kPositive),
    field("tensor", &DatasetParams::tensor, kOptional,
          "bytes of one sample in a batch, as decoded; its size in memory when not given",
          kPositive),
    field("direct", &DatasetParams::direct, "false", "read with O_DIRECT, past the page cache"),
    field("request.cpu", &DatasetParams::request_cpu, "0 s",
          "CPU time of the client library per request: fsspec in Python about 1 ms",
          between("0 s", "50 us", kNonNegative,
                  "expert range: system calls of kernel and FUSE clients 2-50 us a request")),
    field("request.block", &DatasetParams::request_block, kOptional,
          "read-ahead of the client library, one request after the other: 5 MiB in fsspec; files "
          "are streams when not given",
          kPositive),
    field("shuffle", &DatasetParams::shuffle, "global",
          "global: each epoch deals all samples anew; node: each host keeps its "
          "part; none: each host reads its part in the same order",
          one_of(kShuffles)),
    field("name", &DatasetParams::name, kOptional,
          "jobs on the same hosts that give the same name read the "
          "same data, and find what others cached"),
    field("cache.policy", &DatasetParams::cache_policy, "none",
          "what hosts keep of it: none, lru, random (close to Linux' page cache), "
          "or pinned (what came first stays)",
          one_of(kPolicies)),
    field("cache.size", &DatasetParams::cache_size, kOptional,
          "cache of one host; absent: what its memory has left", kPositive),
    field("cache.medium", &DatasetParams::cache_medium, "memory",
          "memory: the page cache; nvme: local drives of the host", one_of(kMedia)),
    field("cache.scope", &DatasetParams::cache_scope, "node",
          "node: each host for itself; cooperative: hosts read from each other", one_of(kScopes)),
    field("cache.warm", &DatasetParams::cache_warm, "false",
          "filled before the run: the first epoch finds what later ones find"),
    field("cache.opens", &DatasetParams::cache_opens, "true",
          "files found are still opened at the storage system, as shared file systems do"),
    field("cache.copy", &DatasetParams::cache_copy, kOptional,
          "most one process takes out of the cache; absent: only the medium "
          "and the format's CPU time limit",
          kPositive)};

}  // namespace

DatasetParams dataset_params(const Component& component) {
  DatasetParams p = bind<kDataset>(component);
  // All on one of two is all on one.
  if (p.also && p.also_share >= Fraction::from(1.0, unit::ratio)) p.on = *p.also;
  if (p.also_share <= Fraction{} || p.also_share >= Fraction::from(1.0, unit::ratio) ||
      p.also == p.on)
    p.also.reset();
  // t = decode + columns sample (1 / codec + 1 / checksum + 1 / decrypt)
  // [docs/models/formats.md, eq. 14]
  if (p.codec == "float") p.passes += p.sample / p.float_rate;
  if (p.codec == "jpeg") p.passes += p.sample / p.jpeg_rate;
  for (const std::optional<Rate>& pass : {p.checksum, p.decrypt})
    if (pass) p.passes += p.sample / *pass;
  return p;
}
std::span<const FieldInfo> dataset_common_fields() { return kInfos<kDataset>; }

std::vector<DatasetParams::Place> DatasetParams::places() const {
  if (!also) return {{on, 1.0}};
  const double share = also_share.in(unit::ratio);
  return {{on, 1.0 - share}, {*also, share}};
}

double DatasetParams::sample_count() const {
  if (samples) return static_cast<double>(*samples);
  return size ? std::floor(*size / sample) : std::numeric_limits<double>::infinity();
}

namespace {

// A side beyond so many standard deviations from zero is never negative: to 1e-10 of the mean.
constexpr double kNeverNegative = 6.0;

struct Sides {
  double mean, spread;  // of a normal side
  double folded = 1.0;  // E|a| E|b| / m^2

  Sides(double size, double stdev)
      : mean(std::sqrt(size)), spread(std::sqrt(-size + std::sqrt(size * size + stdev * stdev))) {
    if (mean > kNeverNegative * spread) return;
    const double to_zero = mean / spread;
    const double side =
        std::erf(to_zero / std::numbers::sqrt2) +
        std::sqrt(2.0 / std::numbers::pi) / to_zero * std::exp(-0.5 * to_zero * to_zero);
    folded = side * side;
  }
};

}  // namespace

// E|ab|^2 = (m^2 + s^2)^2    [docs/models/formats.md, eq. 2]
Bytes DatasetParams::drawn_stdev() const {
  const double mean = sample.in(unit::B), stdev = sample_stdev.in(unit::B);
  const Sides sides(mean, stdev);
  if (sides.folded == 1.0) return sample_stdev;
  const double square = (mean * mean + stdev * stdev) / (sides.folded * sides.folded);
  return Bytes::from(std::sqrt(square - mean * mean), unit::B);
}

Bytes DatasetParams::draw(RandomStream& random, double samples) const {
  if (sample_stdev == Bytes{}) return sample * samples;
  // Sides a, b ~ N(m, s), independent: E[ab] = m^2, Var[ab] = 2 m^2 s^2 + s^4 = stdev^2. No size is
  // negative: |ab| has the mean E|a| E|b|, which is brought back to m^2.
  // [docs/models/formats.md, eq. 2]
  const Sides sides(sample.in(unit::B), sample_stdev.in(unit::B));
  Bytes out;
  for (double i = 0; i < samples; ++i) {
    const double a = sides.mean + sides.spread * random.normal();
    const double b = sides.mean + sides.spread * random.normal();
    const double part = std::min(1.0, samples - i);
    out += Bytes::from(std::max(std::abs(a * b) / sides.folded, 1.0), unit::B) * part;
  }
  return out;
}

}  // namespace stallcast::models
