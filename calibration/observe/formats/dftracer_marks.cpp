#include <array>

#include "calibration/observe/formats/dftracer_stream.hpp"

/// What the events of applications say of loader and training loop.
namespace stallcast::calibration::dftracer {

bool DftracerStream::mark(std::string_view name, std::string_view category, Operation& out) const {
  out.kind = OperationKind::mark;
  out.mark = mark_of(name, category);
  if (out.mark != LoaderMark::sample) return out.mark != LoaderMark::none;
  const auto step = event_.integer("step", true), epoch = event_.integer("epoch", true);
  if (!step) return false;
  out.batch =
      (static_cast<std::uint64_t>(epoch.value_or(0)) << 32U) + static_cast<std::uint64_t>(*step);
  return true;
}

/// The first are the names that DFTracer's own annotations give (pydftracer, ai_common.py): a loop
/// over `dataloader.fetch` or `pipeline.epoch` writes ".iter" for what it waits and ".block" for
/// its body. DLIO has these since 2025.
LoaderMark DftracerStream::mark_of(std::string_view name, std::string_view category) {
  struct Row {
    std::string_view category, name;
    LoaderMark mark;
  };
  constexpr std::array<Row, 13> kAnnotations{{{"compute", "compute", LoaderMark::compute},
                                              {"compute", "step", LoaderMark::update},
                                              {"dataloader", "fetch.block", LoaderMark::block},
                                              {"dataloader", "fetch", LoaderMark::fetch},
                                              {"dataloader", "fetch.iter", LoaderMark::fetch},
                                              {"pipeline", "epoch", LoaderMark::epoch},
                                              {"pipeline", "epoch.block", LoaderMark::epoch},
                                              {"pipeline", "train", LoaderMark::train},
                                              {"pipeline", "evaluate", LoaderMark::evaluation},
                                              {"pipeline", "test", LoaderMark::evaluation},
                                              {"checkpoint", "restart", LoaderMark::load},
                                              {"checkpoint", "capture", LoaderMark::save},
                                              {"data", "item", LoaderMark::sample}}};
  constexpr std::array<Row, 8> kEndings{{{"", ".compute", LoaderMark::compute},
                                         {"", "._train", LoaderMark::epoch},
                                         {"", "._eval", LoaderMark::evaluation},
                                         {"", "load_checkpoint", LoaderMark::load},
                                         {"", ".checkpoint", LoaderMark::save},
                                         {"", "save_checkpoint", LoaderMark::save},
                                         {"", "worker_init", LoaderMark::worker},
                                         {"", ".read_index", LoaderMark::sample}}};
  for (const Row& row : kAnnotations)
    if (row.category == category && row.name == name) return row.mark;
  for (const Row& row : kEndings)
    if (name.ends_with(row.name)) return row.mark;
  return LoaderMark::none;
}

}  // namespace stallcast::calibration::dftracer
