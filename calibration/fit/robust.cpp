#include "calibration/fit/robust.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace stallcast::calibration::fit {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kIterations = 200;
constexpr double kHuber = 1.345;      // 95 % efficiency on normal residuals (Huber 1981)
constexpr double kLeastScale = 1e-3;  // residuals below 0.1 % are all alike
constexpr double kFarther = 10.0;     // that searches begin from a parameter's first guess
constexpr int kRounds = 2;            // about the first guess, and about the best so far
constexpr double kStep = 1e-6;        // of the numerical derivative, in log parameters

std::vector<double> exp_of(const VectorXd& logs) {
  std::vector<double> out(static_cast<std::size_t>(logs.size()));
  for (Eigen::Index i = 0; i < logs.size(); ++i)
    out[static_cast<std::size_t>(i)] = std::exp(logs[i]);
  return out;
}

class Problem {
 public:
  Problem(const Law& law, std::span<const Point> points) : law_(law), points_(points) {}

  /// log fitted - log measured.
  [[nodiscard]] VectorXd residuals(const VectorXd& logs) const {
    const std::vector<double> theta = exp_of(logs);
    VectorXd out(static_cast<Eigen::Index>(points_.size()));
    for (std::size_t i = 0; i < points_.size(); ++i)
      out[static_cast<Eigen::Index>(i)] =
          std::log(law_.response(theta, *points_[i].cell) / points_[i].response);
    return out;
  }

  [[nodiscard]] MatrixXd jacobian(const VectorXd& logs) const {
    MatrixXd out(static_cast<Eigen::Index>(points_.size()), logs.size());
    for (Eigen::Index j = 0; j < logs.size(); ++j) {
      VectorXd up = logs, down = logs;
      up[j] += kStep;
      down[j] -= kStep;
      out.col(j) = (residuals(up) - residuals(down)) / (2.0 * kStep);
    }
    return out;
  }

  /// Where Huber's loss turns from squares to lines, from the residuals' own spread.
  [[nodiscard]] double scale(const VectorXd& r) const {
    std::vector<double> sizes;
    for (const double value : r) sizes.push_back(std::abs(value));
    return std::max(kLeastScale, 1.4826 * median(std::move(sizes))) * kHuber;
  }

  [[nodiscard]] double loss(const VectorXd& r, double k) const {
    double sum = 0.0, weights = 0.0;
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      const double size = std::abs(r[i]), w = weight(i);
      sum += w * (size <= k ? 0.5 * size * size : k * (size - 0.5 * k));
      weights += w;
    }
    return sum / weights;
  }

  [[nodiscard]] VectorXd weights(const VectorXd& r, double k) const {
    VectorXd out(r.size());
    for (Eigen::Index i = 0; i < r.size(); ++i)
      out[i] = weight(i) * std::min(1.0, k / std::max(std::abs(r[i]), 1e-300));
    return out;
  }

 private:
  [[nodiscard]] double weight(Eigen::Index i) const {
    return points_[static_cast<std::size_t>(i)].weight;
  }

  const Law& law_;
  std::span<const Point> points_;
};

}  // namespace

Estimate regress(const Law& law, std::span<const Point> points, std::span<const double> start) {
  const Problem problem(law, points);
  VectorXd logs(static_cast<Eigen::Index>(start.size()));
  for (std::size_t i = 0; i < start.size(); ++i)
    logs[static_cast<Eigen::Index>(i)] = std::log(start[i]);
  double damping = 1e-3;
  MatrixXd curvature;
  for (int round = 0; round < kIterations; ++round) {
    const VectorXd r = problem.residuals(logs);
    const double k = problem.scale(r);
    const VectorXd w = problem.weights(r, k);
    const MatrixXd j = problem.jacobian(logs);
    curvature = j.transpose() * w.asDiagonal() * j;
    const VectorXd gradient = j.transpose() * w.asDiagonal() * r;
    MatrixXd damped = curvature;
    damped.diagonal() *= 1.0 + damping;
    damped.diagonal().array() += 1e-12;
    VectorXd step = -damped.ldlt().solve(gradient);
    if (!step.allFinite()) break;
    step = step.cwiseMax(-2.0).cwiseMin(2.0);  // at most a factor of 7 at once
    const VectorXd next = logs + step;
    const double now = problem.loss(r, k), then = problem.loss(problem.residuals(next), k);
    if (then <= now) {
      logs = next;
      damping = std::max(1e-9, damping / 3.0);
      if (step.cwiseAbs().maxCoeff() < 1e-9 || now - then < 1e-15 * (1.0 + now)) break;
    } else {
      damping *= 4.0;
      if (damping > 1e12) break;
    }
  }
  const VectorXd r = problem.residuals(logs);
  const VectorXd eigen = curvature.selfadjointView<Eigen::Lower>().eigenvalues();
  const double least = eigen.minCoeff();
  return {exp_of(logs), problem.loss(r, problem.scale(r)),
          least > 0.0 ? eigen.maxCoeff() / least : std::numeric_limits<double>::infinity()};
}

double loss_of(const Law& law, std::span<const Point> points, std::span<const double> theta) {
  const Problem problem(law, points);
  VectorXd logs(static_cast<Eigen::Index>(theta.size()));
  for (std::size_t i = 0; i < theta.size(); ++i)
    logs[static_cast<Eigen::Index>(i)] = std::log(theta[i]);
  const VectorXd r = problem.residuals(logs);
  return problem.loss(r, problem.scale(r));
}

Estimate regress_from_several(const Law& law, std::span<const Point> points,
                              std::span<const double> start) {
  Estimate best = regress(law, points, start);
  std::vector<double> about(start.begin(), start.end());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < about.size(); ++i)
      for (const double times : {kFarther, 1.0 / kFarther}) {
        std::vector<double> from = about;
        from[i] *= times;
        Estimate other = regress(law, points, from);
        if (kAsGood * other.loss < best.loss) best = std::move(other);
      }
    // A parameter that went to nothing could never come back.
    for (std::size_t i = 0; i < about.size(); ++i)
      about[i] = std::max(best.theta[i], 1e-3 * start[i]);
  }
  return best;
}

}  // namespace stallcast::calibration::fit
