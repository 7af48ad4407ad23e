#include "engine/base/sha256.hpp"
#include "engine/runtime/codec/codec.hpp"

// By itself, so that the worker, which reads designs and names none, needs no SHA-256.
namespace stallcast::codec {

std::string design_hash(const Design& design) { return base::sha256(encode_identity(design)); }

}  // namespace stallcast::codec
