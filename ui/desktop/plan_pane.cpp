#include "ui/desktop/plan_pane.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "ui/app/run_report.hpp"
#include "ui/desktop/chart.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/on_entry.hpp"
#include "ui/desktop/parts.hpp"
#include "ui/desktop/workspace.hpp"
#include "ui/desktop/xy_chart.hpp"
#include "ui/report/plan_parts.hpp"

namespace stallcast::desktop {
namespace {

constexpr std::size_t kAround = 3;        // counts on each side of the answer
constexpr std::size_t kDrawsAround = 16;  // of each

/// Counts around the answer, in the units that the search bought in.
std::vector<std::int64_t> counts_around(const PlanResult& plan) {
  std::set<std::int64_t> out;
  const std::int64_t middle = plan.answer           ? plan.required
                              : plan.points.empty() ? 1
                                                    : plan.points.back().count;
  std::int64_t unit = middle;
  for (const PlanPoint& point : plan.points) unit = std::gcd(unit, point.count);
  const std::int64_t step = unit * std::max<std::int64_t>(1, middle / 8 / unit);
  for (std::int64_t i = -static_cast<std::int64_t>(kAround);
       i <= static_cast<std::int64_t>(kAround); ++i)
    if (middle + i * step > 0) out.insert(middle + i * step);
  return {out.begin(), out.end()};
}

PlanPane::Point point_of(std::int64_t count, const Prediction& prediction) {
  PlanPane::Point out;
  out.count = count;
  out.meets = prediction.verdict == Verdict::pass;
  const std::vector<Headline> first = headline_tiles(prediction);
  if (!first.empty()) out.utilization = *find_metric(prediction, first.front().metric);
  out.cost = find_metric(prediction, QStringLiteral("cost.capex"));
  return out;
}

}  // namespace

PlanPane::PlanPane(Workspace& workspace, QWidget* parent) : QWidget(parent), workspace_(workspace) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  auto* head = new QHBoxLayout;
  run_ =
      push_button(tr("&Search"), "run_plan", tr("Search the fewest that meet the targets"), this);
  said_ = note(tr("The fewest of what is bought that meet all targets"), this);
  said_->setObjectName(QStringLiteral("plan_said"));
  head->addWidget(said_, 1);
  head->addWidget(run_);
  layout->addLayout(head);
  twin_ = new RowsModel({tr("count"), tr("GPU utilization"), tr("90 % of outcomes"), tr("cost"),
                         tr("meets all targets")},
                        this);
  utilization_ = new XyChart(this);
  auto* upper = new ChartPane(tr("Utilization over what is bought"), utilization_, *twin_, this);
  upper->setObjectName(QStringLiteral("chart:plan"));
  layout->addWidget(upper, 3);
  cost_ = new XyChart(this);
  auto* lower = new ChartPane(tr("Cost over what is bought"), cost_, *twin_, this);
  lower->setObjectName(QStringLiteral("chart:plan_cost"));
  cost_pane_ = lower;
  cost_pane_->hide();
  layout->addWidget(lower, 2);
  entry_ = new OnEntry(
      *this, workspace, [this] { run(); },
      [this] { said_->setText(tr("A simulation of this design takes long: press \"Search\".")); });
  connect(run_, &QPushButton::clicked, this, &PlanPane::run);
  connect(&workspace.document(), &Document::opened, this, [this] {  // what is shown is of another
    show_points({}, std::nullopt, {});
    for (XyChart* chart : {utilization_, cost_}) chart->set({}, {}, {}, {});
    said_->clear();
  });
}

void PlanPane::set_enabled(bool on) {
  run_->setEnabled(on);
  if (isVisible()) draw();  // in the colours of now
}

void PlanPane::showEvent(QShowEvent*) {
  entry_->look();
  draw();  // in the colours of now
}

void PlanPane::run() {
  if (!workspace_.scenario() || workspace_.has_errors()) return;
  entry_->taken();
  said_->setText(tr("Searching..."));
  workspace_.background().start(
      [this, scenario = *workspace_.scenario()](client::Session& session,
                                                const Engine::Progress& progress) -> Engine::Then {
        Result<PlanResult> plan = session.plan(scenario, "", {.on_progress = progress});
        std::vector<Point> points;
        std::optional<std::size_t> answer;
        const bool counted = plan.ok() && !plan->axes.empty() && !plan->axes.front().metric.empty();
        if (counted) {
          for (const std::int64_t count : counts_around(*plan)) {
            const Change change{plan->axes.front().path,
                                setting_of(static_cast<double>(count), Dimension::count)};
            const Scenario changed = scenario.with({&change, 1});
            if (!changed.ok()) continue;
            const Result<client::RunReport> found =
                client::run_report(session, changed,
                                   {.predict = {.on_progress = progress},
                                    .draws = kDrawsAround,
                                    .gains = false,
                                    .advise = false,
                                    .timeline = false});
            if (!found.ok()) continue;
            if (plan->answer && count == plan->required) answer = points.size();
            points.push_back(point_of(count, found->prediction));
          }
        }
        return [this, plan = std::move(plan), points = std::move(points), answer] {
          take(plan, points, answer);
        };
      });
}

void PlanPane::take(const Result<PlanResult>& plan, std::vector<Point> points,
                    std::optional<std::size_t> answer) {
  if (!plan.ok()) return said_->setText(failure_text(plan.failure()));
  const QString noun = QString::fromStdString(plan->noun);
  QString text = plan->status == PlanStatus::found
                     ? tr("%1 %2 meet all targets").arg(plan->required).arg(noun)
                 : plan->status == PlanStatus::infeasible
                     ? tr("However many %1 do not meet all targets").arg(noun)
                     : tr("It cannot be told how many %1 meet all targets").arg(noun);
  if (const std::string why = report::reason_text(*plan); !why.empty())
    text += QStringLiteral("; ") + QString::fromStdString(why);
  said_->setText(text);
  show_points(std::move(points), answer, noun);
}

void PlanPane::show_points(std::vector<Point> points, std::optional<std::size_t> answer,
                           const QString& noun) {
  points_ = std::move(points);
  answer_ = answer;
  noun_ = noun;
  draw();
}

void PlanPane::draw() {
  if (points_.empty()) return;
  const Theme& theme = Theme::of(*this);
  using Kind = XyChart::Kind;
  XyChart::Series use{tr("GPU utilization"), Kind::line, theme.accent, {}};
  XyChart::Series cost{tr("cost"), Kind::line, theme.accent, {}};
  XyChart::Series meets{tr("meets all targets"), Kind::points, theme.good, {}},
      misses{tr("misses a target"), Kind::points, theme.bad, {}, true};
  std::vector<Row> rows;
  for (const Point& p : points_) {
    const auto x = static_cast<double>(p.count);
    use.points.emplace_back(x, p.utilization.value);
    if (p.utilization.ci90) use.outcomes.push_back(*p.utilization.ci90);
    if (p.cost) cost.points.emplace_back(x, p.cost->value);
    (p.meets ? meets : misses).points.emplace_back(x, p.utilization.value);
    rows.push_back({Cell(QString::number(p.count), x),
                    figure_cell(p.utilization.value, p.utilization.unit),
                    Cell(ends_text(p.utilization)),
                    p.cost ? figure_cell(p.cost->value, p.cost->unit) : Cell(QString()),
                    Cell(p.meets ? tr("\u2713 yes") : tr("\u2717 no"))});
  }
  if (use.outcomes.size() < use.points.size()) use.outcomes.clear();
  const double first = use.points.front().x(), last = use.points.back().x();
  std::vector<XyChart::Series> upper{use};
  for (XyChart::Series* s : {&meets, &misses})
    if (!s->points.empty()) upper.push_back(std::move(*s));
  const std::vector<Headline> tiles =
      workspace_.simulated() ? headline_tiles(*workspace_.simulated()) : std::vector<Headline>();
  if (const auto limit =
          tiles.empty() ? std::nullopt : target_of(*workspace_.simulated(), tiles.front().metric))
    upper.push_back({tr("target"), Kind::limit, theme.bad, {{first, *limit}, {last, *limit}}});
  XyChart::Series chosen{tr("fewest that do"), Kind::points, theme.text, {}, false, true};
  const XyChart::Axis across{noun_, "", false};
  const bool priced = cost.points.size() == points_.size();
  std::vector<XyChart::Series> lower{cost};
  if (answer_) {
    chosen.points = {use.points[*answer_]};
    upper.push_back(chosen);
    if (priced) chosen.points = {cost.points[*answer_]};
    if (priced) lower.push_back(chosen);
  }
  utilization_->set(std::move(upper), across, {tr("GPU utilization"), "ratio", false},
                    tr("GPU utilization of %1 designs. %2").arg(points_.size()).arg(said_->text()));
  cost_pane_->setVisible(priced);
  if (priced)
    cost_->set(std::move(lower), across, {tr("cost"), points_.front().cost->unit, false},
               tr("Cost of %1 designs").arg(points_.size()));
  twin_->set(
      {noun_, tr("GPU utilization"), tr("90 % of outcomes"), tr("cost"), tr("meets all targets")},
      std::move(rows));
}

}  // namespace stallcast::desktop
