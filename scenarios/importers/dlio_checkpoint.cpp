#include "scenarios/importers/dlio_checkpoint.hpp"

#include <algorithm>
#include <cmath>

namespace stallcast::scenarios {

// P = 2 V h + h + L (2 h + h (h + 2 d) + h^2 + 3 f h) with d = h / heads x kv_heads: embedding and
// output, final norm, and per layer two norms, attention, its projection, and a gated FFN.
// [DLIO base_checkpointing.py, branch mlperf_storage_v2.0]
double parameters(const DlioTransformer& m) {
  const double h = m.hidden, d = h / m.heads * m.kv_heads;
  const double layer = 2 * h + h * (h + 2 * d) + h * h + 3 * m.ffn_hidden * h;
  return 2 * m.vocabulary * h + h + static_cast<double>(m.layers) * layer;
}

std::int64_t checkpoint_writers(const DlioTransformer& m) {
  return m.zero_stage == 0 ? m.tensor * m.pipeline : m.ranks();
}

// The model once, and per writer three optimizer tensors of its share of the parameters and of five
// vectors of the hidden size. Agrees with the sizes in the MLPerf Storage v3.0 results to 0.02 %.
Bytes checkpoint_size(const DlioTransformer& m) {
  const double p = parameters(m), writers = static_cast<double>(checkpoint_writers(m));
  const double optimizer = 3 * m.optimizer_bytes * (p + 5 * m.hidden * writers);
  return Bytes::from(m.model_bytes * p + optimizer, unit::B);
}

// An optimizer file per writer. The model: a file per layer and tensor rank (three more than
// layers, for embedding, norm and output) with pipeline stages; else one per writer under ZeRO 3,
// and one per model shard otherwise. [file counts of the v3.0 results: 16, 128, 1544, 2072]
std::int64_t files_per_writer(const DlioTransformer& m) {
  const std::int64_t writers = checkpoint_writers(m);
  std::int64_t model_files = m.tensor;
  if (m.pipeline > 1)
    model_files = m.tensor * (m.layers + 3);
  else if (m.zero_stage == 3)
    model_files = writers;
  const double per_writer =
      static_cast<double>(model_files + writers) / static_cast<double>(writers);
  return std::max<std::int64_t>(1, std::llround(per_writer));
}

}  // namespace stallcast::scenarios
