#include "models/contract/access.hpp"

#include <algorithm>
#include <cmath>

#include "models/contract/rows.hpp"

namespace stallcast::models {

SampleAccess in_blocks(SampleAccess access, Bytes sample, Bytes block, Blocks how) {
  const Bytes range = access.range(sample);
  const double blocks = std::max(1.0, std::ceil(range / block - 1e-9));
  double more = 1.0;  // bytes fetched per byte asked for
  const bool whole = !access.in_pieces();
  if (!whole && how == Blocks::faults) more = block * blocks / range;
  if (!whole && how == Blocks::read_ahead) more = (range + block) / range;
  if (whole || how == Blocks::faults) access.round_trips += blocks - 1.0;
  access.amplification *= more;
  access.touched = std::min(1.0, access.touched * more);
  access.unpack = access.unpack * more;  // what is fetched in vain is not unpacked
  return access;
}

SampleAccess sample_access(const JobDesign& job) {
  const DatasetParams dataset = dataset_params(*job.dataset);
  SampleAccess access = format_row(job.dataset->kind).access(*job.dataset, dataset);
  if (dataset.request_block)
    access = in_blocks(access, dataset.sample, *dataset.request_block, Blocks::read_ahead);
  const LoaderPolicy policy = loader_row(job.loader->kind).policy(*job.loader);
  if (policy.window) access = in_blocks(access, dataset.sample, *policy.window, Blocks::faults);
  // By whoever asks: the kernel reads ahead in a file without it.    [docs/models/formats.md, eq.
  // 7]
  const bool by_fetch = access.unit > 0.0 && !access.ahead_in_file;
  (by_fetch ? access.fetch_fixed : access.parse_fixed) +=
      dataset.request_cpu * (access.ranges * access.round_trips);
  return access;
}

StorageLoad::FileSet files_of(const JobDesign& job, double share) {
  const DatasetParams dataset = dataset_params(*job.dataset);
  const SampleAccess access = sample_access(job);
  const double samples = dataset.sample_count(), files = access.files_in_all(samples);
  const double in_one = std::isfinite(samples) ? samples / files : access.stored_in_file();
  return {{}, std::max(1.0, files * share), dataset.sample * in_one};
}

LoaderThreads loader_threads(const JobDesign& job) {
  const LoaderParams loader = loader_params(*job.loader);
  const LoaderPolicy policy = loader_row(job.loader->kind).policy(*job.loader);
  const SampleAccess access = sample_access(job);
  LoaderThreads out;
  out.readers = static_cast<double>(policy.threads(loader));
  out.apart = loader.workers > 0;
  if (policy.split_batch && out.apart) out.decoders = static_cast<double>(policy.decoders);
  if (access.fetches_ahead()) out.fetchers = out.readers * access.fetchers;
  out.pool = access.decoded_ahead;
  return out;
}

bool cuts_samples(const SampleAccess& access, const LoaderPolicy& policy) {
  return access.unit <= 0.0 && policy.shuffle <= 1.0;
}

}  // namespace stallcast::models
