#include "ui/report/html/page.hpp"

#include "stallcast/label.hpp"
#include "stallcast/prediction.hpp"
#include "ui/report/html/export.hpp"
#include "ui/report/palette.hpp"

namespace stallcast::report {

std::string markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (byte < 0x20U || byte == 0x7FU)
      out += c == '\n' || c == '\t' ? ' ' : '?';
    else
      out += c;
  }
  return out;
}

}  // namespace stallcast::report

namespace stallcast::report::html {
namespace {

constexpr std::string_view kStyle = R"(
:root{--ink:#1c2430;--soft:#555f6b;--line:#d7dce2;--page:#fff;--tile:#f5f7f9;--bar:#3b6ea8;--empty:#e4e8ed;
--good:#17692f;--bad:#a3161a;--unsure:#855400}
@media(prefers-color-scheme:dark){:root{--ink:#e3e7ec;--soft:#9aa5b1;--line:#38414b;--page:#14181d;--tile:#1d232a;
--bar:#6aa0dc;--empty:#2b333c;--good:#6fce8a;--bad:#ff8a86;--unsure:#eebd63}}
*{box-sizing:border-box}
body{font:.9375rem/1.45 system-ui,"DejaVu Sans",sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:var(--ink);
background:var(--page)}
h1{font-size:1.6rem;margin:0 0 .2rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1rem 0 .3rem}
p{margin:.3rem 0}a{color:var(--bar)}
table{border-collapse:collapse;width:100%;margin:.3rem 0 1rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600}.number{text-align:right}td.number{white-space:nowrap}
td:first-child,th:first-child{padding-left:0}
code,.path{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.9em;overflow-wrap:break-word}
pre{background:var(--tile);padding:.6rem .8rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.7rem;margin:1rem 0}
.tile{background:var(--tile);border-left:4px solid var(--line);padding:.5rem .8rem}
.tile b{display:block;font-size:1.35rem;font-variant-numeric:tabular-nums}.tile small{display:block}
.tile.pass{border-color:var(--good)}.tile.fail{border-color:var(--bad)}.tile.inconclusive{border-color:var(--unsure)}
.pass{color:var(--good)}.fail,.error,.infeasible{color:var(--bad);font-weight:600}.inconclusive,.warn{color:var(--unsure)}
.tile.pass,.tile.fail,.tile.inconclusive{color:inherit;font-weight:inherit}
.waived,.known,small,.where,.soft{color:var(--soft)}
svg{display:block;width:100%;height:auto}svg.bar{width:9rem;height:.8rem;margin:.3rem 0 0 auto}
svg text{fill:var(--ink);font-size:13px}.halo{paint-order:stroke;stroke:var(--page);stroke-width:3px;stroke-linejoin:round}figcaption{color:var(--soft);font-size:.87em}
.tree{list-style:none;margin:0;padding:0 0 0 1.1rem;border-left:1px solid var(--line)}section>.tree{padding:0;border:0}
.tree li{margin:.35rem 0}.tree p,.tree small{display:block;margin:.1rem 0 .1rem 1rem;overflow-wrap:anywhere}
summary{cursor:pointer}summary:focus-visible{outline:2px solid var(--bar)}
.wide{overflow-x:auto}
.together{columns:22rem;column-gap:2rem;font-size:.85em}
.together p{margin:.6rem 0 .1rem;color:var(--soft);break-after:avoid;overflow-wrap:anywhere}
.together ul{list-style:none;margin:0;padding:0}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:.4rem 0 1rem}
.legend i{display:inline-block;width:.8em;height:.8em;margin-right:.4em;vertical-align:-.05em}
.band{background:var(--bar);opacity:.35}.band.half{opacity:.75}.ends{display:inline-block}svg.slim{display:none}
.advice{font-weight:600;margin-top:.6rem}.main b{font-variant-numeric:tabular-nums}figure{margin:1rem 0}svg.system{margin:0 auto}.box{fill:var(--tile);stroke:var(--line)}.at-limit{stroke:var(--bad);stroke-width:2}
.part>summary{border-top:1px solid var(--line);padding:.45rem 0}.part>summary h2{display:inline;font-size:1rem}
.first{display:grid;grid-template-columns:1fr 1fr;gap:0 2.5rem}.first h2{margin-top:1.2rem}.first figure{margin:.4rem 0}svg.half{max-width:34rem}
.moving{padding-left:1.1rem;margin:.3rem 0}.moving li{margin:.3rem 0}
.export{margin:0;line-height:1;text-align:right;opacity:0}.export button{font:inherit;font-size:.8rem;color:var(--bar);background:none;border:0;cursor:pointer}
svg:hover+.export,.export:hover,.export:focus-within{opacity:1}p.export.slim{display:none}
body:has(.slide){margin:0;padding:0;max-width:none}.slide{width:80rem;height:45rem;overflow:hidden;padding:1.4rem 3.5rem;margin:0 auto}
.slide{display:grid;grid-template-columns:36% 1fr;gap:0 2rem;grid-auto-rows:min-content}.slide #system{grid-column:2;grid-row:1/span 9;margin:0}
.slide #system svg{max-height:18rem}.slide>h1,.slide>p{grid-column:1}.slide .first{grid-column:1/-1;grid-row:10;display:block;columns:3;column-gap:2.2rem}
.slide .made{grid-column:1/-1;grid-row:11;font-size:.75rem}.slide .first h2{margin-top:.7rem}.slide .block{break-inside:avoid}.slide figure{margin:.3rem 0}.slide p.soft{font-size:.85em}.slide table{font-size:.76em}.slide :is(td,th){padding:.2rem .18rem}.slide th.number{white-space:normal}
.wire{fill:none;stroke:var(--line)}svg .name{font-weight:600}svg .soft{fill:var(--soft)}svg .limit{fill:var(--bad);font-weight:600}
@media screen and (max-width:44rem){body{margin:1rem auto}.slide{display:block;width:auto!important;height:auto!important;zoom:1!important;padding:0 1rem}.slide .first{columns:1}.slide #system svg{max-height:none}h1,p,li{overflow-wrap:anywhere}
svg.broad,p.export.broad,thead{display:none}svg.slim,p.export.slim{display:block}.first{display:block}.export{opacity:1}
table,tbody,tr,td{display:block}tr{border-bottom:1px solid var(--line);padding:.4rem 0}td,.number{border:0;padding:.05rem 0;text-align:left;
white-space:normal;overflow-wrap:anywhere}td:empty{display:none}td[data-head]::before{content:attr(data-head) ": ";color:var(--soft)}svg.bar{margin:.3rem 0}}
@media print{.export{display:none}body{margin:0;max-width:none;font-size:9pt}table{font-size:8pt}tr,.tile,svg{break-inside:avoid}h2,h3{break-after:avoid}
h2{margin-top:1.2rem}th,td{padding:.12rem .5rem}.together{columns:3;column-gap:1.2rem;font-size:7pt;line-height:1.25}table .path{font-size:.85em}
details::details-content{content-visibility:visible;block-size:auto}.wide{overflow:visible;font-size:8pt}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
)";

/// The colours of causes as names of style sheets.
std::string cause_colours() {
  std::string light, dark;
  for (std::size_t i = 0; i < kCauseColours.size(); ++i) {
    const std::string name = std::string("--") + kBreakdownCauses[i] + ":";
    light += name + kCauseColours[i].light + ";";
    dark += name + kCauseColours[i].dark + ";";
  }
  return ":root{" + light + "}\n@media(prefers-color-scheme:dark){:root{" + dark + "}}\n";
}

/// How a table begins that has no name yet.
constexpr std::string_view kUnnamed = "<table>";

/// Text that may be broken after its dots.
std::string breakable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += markup({&c, 1});
    if (c == '.' || c == ']') out += "<wbr>";
  }
  return out;
}

}  // namespace

std::string element(std::string_view tag, std::string_view text, std::string_view css) {
  std::string out = "<" + std::string(tag);
  if (!css.empty()) out += " class=\"" + std::string(css) + "\"";
  return out + ">" + markup(text) + "</" + std::string(tag) + ">";
}

std::string path(std::string_view text) {
  if (text.empty()) return "";
  return "<span class=\"path\">" + breakable(text) + "</span>";
}

std::string named(std::string_view resource) {
  if (resource.empty()) return "";
  return titled(label::of_resource(resource), resource);
}

std::string titled(std::string_view words, std::string_view path) {
  return "<span title=\"" + markup(path) + "\">" + markup(words) + "</span>";
}

std::string table(const std::vector<Column>& columns,
                  const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  const auto cell = [&](const char* tag, std::size_t i, const std::string& content) {
    const std::string& css = columns[i].css;
    const bool labelled = std::string_view(tag) == "td" && i > 0 && !columns[i].head.empty();
    return "<" + std::string(tag) + (tag[1] == 'h' ? " scope=\"col\"" : "") +
           (css.empty() ? "" : " class=\"" + css + "\"") +
           (labelled ? " data-head=\"" + markup(columns[i].head) + "\"" : "") + ">" + content +
           "</" + tag + ">";
  };
  std::string out = std::string(kUnnamed) + "<thead><tr>";
  for (std::size_t i = 0; i < columns.size(); ++i) out += cell("th", i, breakable(columns[i].head));
  out += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) out += cell("td", i, row[i]);
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

std::string captioned(std::string_view title, const std::string& body) {
  // A label in place of a caption that is hidden, which would lie over what is seen.
  const std::string begins = "<table aria-label=\"" + markup(title) + "\">";
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = body.find(kUnnamed, from)) != std::string::npos;) {
    out.append(body, from, at - from);
    out += begins;
    from = at + kUnnamed.size();
  }
  return out.append(body, from);
}

std::string list(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += element("li", line);
  return out.empty() ? out : "<ul>" + out + "</ul>\n";
}

std::string section(std::string_view title, const std::string& body) {
  if (body.empty()) return "";
  return "<section>" + element("h2", title) + "\n" + captioned(title, body) + "</section>\n";
}

std::string folded(std::string_view title, const std::string& body) {
  if (body.empty()) return "";
  return "<section><details class=\"part\"><summary>" + element("h2", title) + "</summary>\n" +
         captioned(title, body) + "</details></section>\n";
}

std::string data(std::string_view id, const std::string& json) {
  std::string out = "<script type=\"application/json\" id=\"" + std::string(id) + "\">";
  for (std::size_t i = 0; i < json.size(); ++i)  // no end of the element inside it
    out += json[i] == '<' ? std::string("\\u003c") : std::string(1, json[i]);
  return out + "</script>\n";
}

std::string foot(const ReportContext& context) {
  return "<p><small>models " + markup(context.model_version) + ", stallcast " +
         markup(context.version) + "</small></p>\n";
}

std::string page(std::string_view title, const std::string& body, bool scripts) {
  // What there is to save, and what is opened when a page is printed.
  const bool needs_script = scripts && (body.find("role=\"img\"") != std::string::npos ||
                                        body.find("<details") != std::string::npos);
  const bool has_main = body.find("<main") != std::string::npos;
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n" +
         element("title", title) + "\n<style>" + std::string(kStyle) + cause_colours() +
         "</style></head><body>" + (has_main ? "\n" + body : "<main>\n" + body + "</main>") +
         (needs_script ? export_script() : "") + "</body></html>\n";
}

}  // namespace stallcast::report::html
