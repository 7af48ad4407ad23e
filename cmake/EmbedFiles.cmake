# cmake -DOUTPUT=x.cpp -DNAMESPACE=a::b -DFUNCTION=embedded -DFILES="a.json;b.json" -P EmbedFiles.cmake
# Writes a function that returns {file name, content} of each file, as raw string literals.
set(body "")
set(count 0)
foreach(file ${FILES})
  file(READ ${file} content)
  get_filename_component(name ${file} NAME)
  string(APPEND body "    {\"${name}\", R\"embedded(${content})embedded\"},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT}.new "// Written by cmake/EmbedFiles.cmake. Do not edit.
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace ${NAMESPACE} {
namespace {
constexpr std::array<std::pair<std::string_view, std::string_view>, ${count}> kFiles{{
${body}}};
}  // namespace
std::span<const std::pair<std::string_view, std::string_view>> ${FUNCTION}();
std::span<const std::pair<std::string_view, std::string_view>> ${FUNCTION}() { return kFiles; }
}  // namespace ${NAMESPACE}
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
