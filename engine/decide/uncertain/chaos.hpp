#pragma once

#include <functional>
#include <span>
#include <vector>

/// Which inputs an outcome depends on, from few simulations: a sparse polynomial chaos expansion.
namespace stallcast::uncertain {

/// Parts of the variance of an outcome, 0..1, one per input (Sobol' indices).
struct Shares {
  std::vector<double> first;  ///< due to the input alone; they sum to at most `explained`
  std::vector<double> total;  ///< ... and to it together with others: counted with each of them
  double explained = 0.0;     ///< what the expansion predicts of outcomes that it has not seen (R2)
};

/// Expands `outcomes` in orthonormal Hermite polynomials of the standard normal `scores`, one row
/// per outcome: z_i, (z_i^2 - 1) / sqrt(2), and of inputs chosen before z_i z_j and the third of
/// z_i. By orthogonality the variance is the sum of the squared coefficients (Sudret 2008), scaled
/// here to `explained`.
///
/// Terms are chosen by orthogonal matching pursuit, each only if it lowers the leave-one-out error
/// (corrected for few points: Blatman and Sudret 2011, after Chapelle et al. 2002) by 2 %. Chance
/// gives one of many inputs a good fit. So the whole choice is made again without each eighth of
/// the rows, in the order given, and as many terms are kept as predict those rows best; none if
/// none does: all is then 0, as it is where outcomes do not differ. What a term has by chance, of
/// what the expansion leaves unexplained, is no share either.
///
/// REQUIRES: as many rows as outcomes, all of one length, all numbers finite.
[[nodiscard]] Shares variance_shares(const std::vector<std::vector<double>>& scores,
                                     std::span<const double> outcomes);

/// An outcome as its expansion has it, and how far that is off.
struct Surrogate {
  std::function<double(const std::vector<double>&)> at;  ///< of a row of scores
  double sd = 0.0;  ///< of what it says of rows it has not seen
};

/// The expansion of `outcomes` in the same polynomials, grown until no term takes 2 % off its
/// leave-one-out error. REQUIRES: as variance_shares, and at least one row.
[[nodiscard]] Surrogate surrogate(const std::vector<std::vector<double>>& scores,
                                  std::span<const double> outcomes);

}  // namespace stallcast::uncertain
