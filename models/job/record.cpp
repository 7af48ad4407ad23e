#include "models/job/job.hpp"

/// What a job reports to a recorder. docs/guide/trace.md.
namespace stallcast::models {

void TrainingJob::record(Recorder& recorder) {
  recorder_ = &recorder;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    classes_[c].lane = &recorder.lane({.kind = "rank",
                                       .job = id_,
                                       .name = "rank",
                                       .rank_class = static_cast<int>(c),
                                       .members = classes_[c].place.members});
    record_loader(c);
  }
  if (communicator_) communicator_->record(recorder, id_);
  restarts_.record(recorder, id_);
  if (checkpoint_) checkpoint_->record(recorder);
}

void TrainingJob::record_loader(std::size_t c) {
  RankClass& ranks = classes_[c];
  if (recorder_ == nullptr || !ranks.loader) return;
  ranks.loader->record(*recorder_, {.kind = "loader",
                                    .job = id_,
                                    .name = "",
                                    .rank_class = static_cast<int>(c),
                                    .members = ranks.place.members});
}

void TrainingJob::open_all(std::string_view name, std::int64_t number) {
  if (recorder_ == nullptr) return;
  for (RankClass& ranks : classes_) open(ranks.lane, name, number);
}

void TrainingJob::then_all(std::string_view name, ResourceIndex cause) {
  if (recorder_ == nullptr) return;
  for (RankClass& ranks : classes_) then(ranks.lane, name, cause);
}

void TrainingJob::note_parts(const Restarts::Way& way) {
  Seconds began = way.began;
  for (const auto& [name, took] : way.parts) {
    const Seconds ended = std::min(began + took, context_.now());
    for (RankClass& ranks : classes_)
      if (ranks.lane != nullptr) ranks.lane->note(name, began, ended);
    began = ended;
  }
}

void TrainingJob::close_all(ResourceIndex cause) {
  if (recorder_ == nullptr) return;
  for (RankClass& ranks : classes_) {
    close(ranks.lane, cause);
    models::close_all(ranks.lane);
  }
}

ResourceIndex TrainingJob::worst_since(const WaitSplit& before, const WaitSplit& now) const {
  if (recorder_ == nullptr) return kNoResource;
  return now.since(before, Seconds::from(1.0, unit::s)).worst();
}

}  // namespace stallcast::models
