#include "ui/desktop/sweep_run.hpp"

#include <QElapsedTimer>
#include <QPointer>
#include <atomic>
#include <optional>
#include <utility>

#include "ui/desktop/figures.hpp"

namespace stallcast::desktop {
namespace {

constexpr qint64 kShowEveryMs = 400;

}  // namespace

/// `sweep` is used by one piece of background work at a time.
struct SweepRun::Shared {
  QString file;
  std::optional<client::SweepRequest> request;  // nullopt: what is in the file
  std::optional<client::SweepFile> sweep;
  std::atomic<bool> unwanted = false;
};

std::vector<std::string> vary_options(const std::vector<InputRange>& inputs) {
  std::vector<std::string> out;
  for (const InputRange& input : inputs) {
    std::string option = set_path(input.slider.path).toStdString();
    char sign = '=';
    for (const double value : values_between(input.slider, input.low, input.high, input.values)) {
      option += sign + client::write_quantity(value, input.slider.dimension);
      sign = ',';
    }
    out.push_back(std::move(option));
  }
  return out;
}

std::size_t points_of(const std::vector<InputRange>& inputs) {
  std::size_t out = inputs.empty() ? 0 : 1;
  for (const InputRange& input : inputs)
    out *= values_between(input.slider, input.low, input.high, input.values).size();
  return out;
}

std::optional<QString> text_of(const Workspace& workspace, const SweepReport& sweep,
                               const SweepRow& row, QString& why_not) {
  std::vector<Move> moves;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    const QString path = QString::fromStdString(sweep.axes[axis]);
    const std::optional<SliderSpec> input = input_of(workspace, path);
    if (!input || !row.numbers[axis]) {
      why_not = SweepRun::tr("%1 cannot be set in this scenario").arg(path);
      return std::nullopt;
    }
    moves.push_back({*input, row.numbers[axis]->value});
  }
  return text_with(workspace.document().text(), moves);
}

SweepRun::SweepRun(Workspace& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  connect(&workspace.background(), &Engine::busy_changed, this, [this](bool busy) {
    if (busy || !running_) return;
    shared_->unwanted = true;
    running_ = false;
    emit ended({});
  });
}

SweepRun::~SweepRun() {
  if (shared_) shared_->unwanted = true;
}

void SweepRun::start(const std::vector<InputRange>& inputs, const QString& file,
                     std::size_t draws) {
  auto shared = std::make_shared<Shared>();
  client::SweepRequest request;
  request.source = workspace_.source();
  request.varied = vary_options(inputs);
  request.draws = draws;
  request.profile = workspace_.settings().profile;
  request.version = client::version().program;
  request.most_points = kMostPoints;
  // In memory, the same sweep goes on as well.
  const bool same = shared_ && shared_->request && shared_->sweep && shared_->file == file &&
                    shared_->request->varied == request.varied &&
                    shared_->request->draws == request.draws &&
                    shared_->request->source.text == request.source.text;
  if (same) return resume();
  shared->file = file;
  shared->request = std::move(request);
  report_ = {};
  file_ = file;
  emit changed();
  run(std::move(shared));
}

void SweepRun::open(const QString& file) {
  // Reading is quick, and no other thread has this file.
  auto shared = std::make_shared<Shared>();
  shared->file = file;
  Result<client::SweepFile> opened = client::SweepFile::open(file.toStdString());
  if (!opened.ok()) {
    emit ended(failure_text(opened.failure()));
    return;
  }
  Result<SweepReport> report = opened->report();
  if (!report.ok()) {
    emit ended(failure_text(report.failure()));
    return;
  }
  shared->sweep = std::move(opened).value();
  if (shared_) shared_->unwanted = true;
  shared_ = std::move(shared);
  report_ = std::move(report).value();
  file_ = file;
  emit changed();
}

void SweepRun::resume() {
  if (!shared_ || !shared_->sweep || running_) return;
  shared_->unwanted = false;
  run(shared_);
}

void SweepRun::forget() {
  if (!shared_ || !file_.isEmpty()) return;
  shared_->unwanted = true;
  shared_.reset();
  report_ = {};
  emit changed();
}

void SweepRun::run(std::shared_ptr<Shared> shared) {
  if (shared_ && shared_ != shared) shared_->unwanted = true;
  shared_ = shared;
  running_ = false;  // start() ends what was under way
  workspace_.background().start(
      [me = QPointer(this), shared, number = ++number_, settings = workspace_.settings()](
          client::Session&, const Engine::Progress& progress) -> Engine::Then {
        // What is done is shown even when the rest is cancelled: not through what this returns.
        const auto tell = [&](auto what) {
          QMetaObject::invokeMethod(qApp, [me, what = std::move(what)] {
            if (me) what(*me);
          });
        };
        const auto end = [&](const QString& why) {
          tell([number, why](SweepRun& run) { run.end(number, why); });
        };
        if (!shared->sweep) {
          Diagnostics faults;
          Result<client::SweepFile> made =
              client::SweepFile::create(shared->file.toStdString(), *shared->request, faults);
          if (!made.ok()) {
            end(failure_text(made.failure()));
            return {};
          }
          shared->sweep = std::move(made).value();
        }
        const auto show = [&] {
          if (Result<SweepReport> report = shared->sweep->report(); report.ok())
            tell([of = shared.get(), report = std::move(report).value()](SweepRun& run) {
              run.take(of, report);
            });
        };
        show();
        QElapsedTimer clock;
        clock.start();
        client::SweepFile::Run how;
        how.settings = settings;
        how.unwanted = &shared->unwanted;
        how.on_progress = [&](std::size_t done, std::size_t all) {
          progress(all == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all));
          if (clock.elapsed() < kShowEveryMs) return;
          clock.restart();
          show();
        };
        const std::optional<Failure> failure = shared->sweep->run(how);
        show();
        end(!failure || shared->unwanted ? QString() : failure_text(*failure));
        return {};
      });
  running_ = true;
}

void SweepRun::take(const Shared* of, SweepReport report) {
  if (of != shared_.get()) return;
  report_ = std::move(report);
  emit changed();
}

void SweepRun::end(std::uint64_t number, const QString& why) {
  if (number != number_ || !running_) return;
  running_ = false;
  emit ended(why);
}

}  // namespace stallcast::desktop
