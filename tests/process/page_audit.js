// What is wrong with the page that is shown, as far as it can be computed: a list of sentences, none
// where it is as it should be. Opens what is folded first.
(() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const faults = [];
  const fault = (kind, what) => faults.length < 40 && faults.push(kind + ": " + what);
  const quoted = (text) => '"' + text.trim().replace(/\s+/g, " ").slice(0, 60) + '"';
  const styles = new Map();
  const style = (e) => styles.get(e) || (styles.set(e, getComputedStyle(e)), styles.get(e));

  // --- what is seen ---

  const opacity = (e) => {
    let out = 1;
    for (; e; e = e.parentElement) out *= +style(e).opacity;
    return out;
  };
  const pieces = [];  // of text: one for each line of a text node, one for each SVG text
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    if (!node.data.trim()) continue;
    const e = node.parentElement;
    if (["SCRIPT", "STYLE", "TITLE", "OPTION"].includes(e.tagName.toUpperCase())) continue;
    if (!e.checkVisibility({ checkVisibilityCSS: true }) || opacity(e) === 0) continue;
    const svg = e.closest("svg");
    let rects;
    if (svg) {
      rects = [e.getBoundingClientRect()];
    } else {
      const range = document.createRange();
      range.selectNodeContents(node);
      rects = [...range.getClientRects()];
    }
    // Not what is scrolled out of sight.
    const clip = e.closest("[aria-hidden]")?.getBoundingClientRect();
    for (const r of rects)
      if (clip && !svg && (r.top < clip.top || r.bottom > clip.bottom)) continue;
      else if (r.width > 0.5 && r.height > 0.5) pieces.push({ node, e, svg, text: node.data, l: r.left, r: r.right, t: r.top, b: r.bottom });
  }

  // --- places ---

  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width + 1)
    fault("scroll", `the page is ${document.documentElement.scrollWidth} wide on ${width}`);
  for (const e of document.querySelectorAll("body *")) {
    if (e.tagName === "TEXTAREA" || e.closest("svg, [aria-hidden]")) continue;
    const s = style(e);
    if (s.overflowX === "visible" || !e.checkVisibility()) continue;
    if (e.scrollWidth > e.clientWidth + 1 && e.innerText.trim())
      fault("cut", `${e.tagName}.${e.className} shows ${e.clientWidth} of ${e.scrollWidth}: ${quoted(e.innerText)}`);
    if (s.overflowY === "hidden" && e.scrollHeight > e.clientHeight + 1 && e.innerText.trim())
      fault("cut", `${e.tagName}.${e.className} shows ${e.clientHeight} of ${e.scrollHeight} high: ${quoted(e.innerText)}`);
  }
  for (const p of pieces) {
    if (p.l < -1 || p.r > width + 1) fault("outside", quoted(p.text) + ` is at ${p.l} to ${p.r} of ${width}`);
    if (!p.svg) continue;
    const frame = p.svg.getBoundingClientRect();
    if (p.l < frame.left - 1 || p.r > frame.right + 1 || p.t < frame.top - 2 || p.b > frame.bottom + 2)
      fault("outside", quoted(p.text) + " is over the edge of its drawing");
    for (let g = p.e.parentElement; g && g !== p.svg; g = g.parentElement) {
      const box = [...g.children].find((c) => c.tagName === "rect" && c.classList.contains("box"));
      if (!box) continue;
      const room = box.getBoundingClientRect();
      if (p.l < room.left || p.r > room.right || p.t < room.top - 1 || p.b > room.bottom + 1)
        fault("outside", quoted(p.text) + " is over the edge of its box");
    }
    if (/\.\.\.$|\u2026$|\w\.\.\w/.test(p.text.trim())) fault("shortened", quoted(p.text));
  }
  // Letters do not fill the height of their line: what only touches does not count.
  const tight = pieces.map((p) => ({ p, l: p.l + 0.5, r: p.r - 0.5, t: p.t + 0.2 * (p.b - p.t), b: p.b - 0.2 * (p.b - p.t) }));
  tight.sort((a, b) => a.t - b.t);
  for (let i = 0; i < tight.length; ++i)
    for (let j = i + 1; j < tight.length && tight[j].t < tight[i].b; ++j) {
      const a = tight[i], b = tight[j];
      if (a.p.node !== b.p.node && a.l < b.r && b.l < a.r) fault("overlap", quoted(a.p.text) + " and " + quoted(b.p.text));
    }

  // --- colours ---

  const colour = (text) => {
    const n = (text.match(/[\d.]+(e-\d+)?/g) || []).map(Number);
    return { c: n.slice(0, 3), a: n.length > 3 ? n[3] : text === "transparent" || text === "none" ? 0 : 1 };
  };
  const over = (top, alpha, below) => top.map((v, i) => v * alpha + below[i] * (1 - alpha));
  const grounds = new Map();
  const ground = (e) => {
    if (!e) return style(document.documentElement).colorScheme.includes("dark") ? [18, 18, 18] : [255, 255, 255];
    if (grounds.has(e)) return grounds.get(e);
    const { c, a } = colour(style(e).backgroundColor);
    const out = a === 1 ? c : a > 0 ? over(c, a, ground(e.parentElement)) : ground(e.parentElement);
    grounds.set(e, out);
    return out;
  };
  const drawn = (p) => {  // the shapes of a drawing that are below a text
    let out = ground(p.svg);
    const x = (p.l + p.r) / 2, y = (p.t + p.b) / 2;
    for (const shape of p.svg.querySelectorAll("rect,circle,text")) {
      if (shape === p.e) break;
      if (shape.tagName === "text") continue;
      const r = shape.getBoundingClientRect(), { c, a } = colour(style(shape).fill);
      if (a > 0 && r.left <= x && x <= r.right && r.top <= y && y <= r.bottom)
        out = over(c, a * opacity(shape) * +style(shape).fillOpacity, out);
    }
    return out;
  };
  const luminance = (c) => {
    const [r, g, b] = c.map((v) => (v /= 255, v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const seen = new Set();
  for (const p of pieces) {
    if (seen.has(p.node)) continue;
    seen.add(p.node);
    const s = style(p.e), below = p.svg ? drawn(p) : ground(p.e);
    if (p.e.closest(":disabled")) continue;
    const { c, a } = colour(p.svg ? s.fill : s.color);
    const [x, y] = [luminance(over(c, a * opacity(p.e), below)), luminance(below)];
    const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    const scale = p.svg ? p.svg.getScreenCTM().a : 1;
    const size = parseFloat(s.fontSize) * scale;
    const large = size >= 24 || (size >= 18.66 && +s.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) fault("contrast", `${ratio.toFixed(2)} of ${quoted(p.text)}`);
    if (size < 9) fault("small", `${size.toFixed(1)} px: ${quoted(p.text)}`);
  }
  return faults;
})()
