#include "ui/report/html/export.hpp"

#include "engine/base/sha256.hpp"

namespace stallcast::report {
namespace {

/// Puts two buttons under each chart that is seen: as SVG, with the colours it has on screen, and
/// as PNG at twice its size.
constexpr std::string_view kExport = R"((()=>{
const looks=['fill','stroke','stroke-width','opacity','font-family','font-size','font-weight','text-anchor','paint-order'];
const drawing=svg=>{
  const out=svg.cloneNode(true),from=[svg,...svg.querySelectorAll('*')],to=[out,...out.querySelectorAll('*')];
  from.forEach((e,i)=>{const s=getComputedStyle(e);for(const k of looks)to[i].style.setProperty(k,s.getPropertyValue(k))});
  const box=svg.viewBox.baseVal;
  out.setAttribute('xmlns','http://www.w3.org/2000/svg');
  out.setAttribute('width',box.width);out.setAttribute('height',box.height);
  out.style.background=getComputedStyle(document.body).backgroundColor;
  return new XMLSerializer().serializeToString(out)};
const save=(url,name)=>{const a=document.createElement('a');a.href=url;a.download=name;a.click()};
const png=(text,box,name)=>{const i=new Image();
  i.onload=()=>{const c=document.createElement('canvas');c.width=2*box.width;c.height=2*box.height;
    c.getContext('2d').drawImage(i,0,0,c.width,c.height);save(c.toDataURL('image/png'),name)};
  i.src='data:image/svg+xml;charset=utf-8,'+encodeURIComponent(text)};
for(const svg of document.querySelectorAll('svg[role=img]')){
  const name=svg.getAttribute('aria-label').replace(/[^A-Za-z0-9]+/g,'-').slice(0,60);
  const row=document.createElement('p');
  row.className='export'+(svg.classList.contains('slim')?' slim':svg.classList.contains('broad')?' broad':'');
  for(const kind of ['SVG','PNG']){const b=document.createElement('button');
    b.textContent=kind;b.setAttribute('aria-label',`save as ${kind}: ${name}`);
    b.onclick=()=>{const text=drawing(svg);
      kind=='SVG'?save('data:image/svg+xml;charset=utf-8,'+encodeURIComponent(text),name+'.svg'):png(text,svg.viewBox.baseVal,name+'.png')};
    row.append(b)}
  svg.after(row)}
// A slide is as large as its page, whatever is on it.
const slide=document.querySelector('.slide');
const narrow=matchMedia('screen and (max-width:44rem)');
const fit=()=>{slide.style.cssText='';
  if(narrow.matches)return;
  const rem=parseFloat(getComputedStyle(document.documentElement).fontSize);
  for(let round=0,k=1;round<6&&slide.scrollHeight>slide.clientHeight+1;++round){
    k*=Math.max(.5,Math.min(.97,slide.clientHeight/slide.scrollHeight));
    slide.style.zoom=k;slide.style.width=80*rem/k+'px';slide.style.height=45*rem/k+'px'}};
if(slide){fit();addEventListener('resize',fit);addEventListener('load',fit);narrow.addEventListener('change',fit)}
addEventListener('beforeprint',()=>{for(const d of document.querySelectorAll('details'))d.open=true});
})())";

}  // namespace

std::string export_script() { return "<script>" + std::string(kExport) + "</script>\n"; }

std::string script_source() { return "'sha256-" + base::sha256_base64(kExport) + "'"; }

}  // namespace stallcast::report
