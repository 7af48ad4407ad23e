#pragma once

#include <stdexcept>
#include <string>
#include <vector>

/// Libraries of the accelerator, found at run time: a build needs neither them nor their headers.
namespace stallcast::calibration::gds {

/// What a call to one of them did not do. Ends a run of the probe, never the probe.
struct Trouble : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Library {
  void* handle = nullptr;          ///< never closed: it has threads of its own
  std::string file;                ///< that was really loaded
  std::vector<std::string> tried;  ///< names, in order
  std::string reason;              ///< of the loader, when `handle` is null
};

/// The CUDA driver: $STALLCAST_LIBCUDA alone where that is set, else libcuda.so.1.
[[nodiscard]] Library load_cuda();
/// cuFile: $STALLCAST_LIBCUFILE alone where that is set, else libcufile.so.0, libcufile.so, and
/// where CUDA's installer and Python's packages put it.
[[nodiscard]] Library load_cufile();

/// The address of the first of `names` that `library` has; nullptr for none.
[[nodiscard]] void* find_symbol(const Library& library, std::vector<const char*> names);

/// Binds `function` to a symbol. Throws Trouble when the library has none of `names`.
template <class Function>
void bind(const Library& library, Function*& function, std::vector<const char*> names) {
  function = reinterpret_cast<Function*>(find_symbol(library, names));
  if (function == nullptr) throw Trouble(library.file + " has no " + names.front());
}

/// "libcufile.so.0, libcufile.so": what was tried.
[[nodiscard]] std::string tried_text(const Library& library);

}  // namespace stallcast::calibration::gds
