// SPDX-License-Identifier: Apache-2.0
#include "tools/timing/html_parts.h"

namespace etalon::tools {

// Colours: work is blue; what holds a unit up inside is amber; waiting for others red to violet; synchronisation green;
// nothing to do is almost the background. Names are those of sim::Activity and sim::ActivityClass.
std::string_view reportStyle() {
  return R"css(
:root { color-scheme: light dark;
  --back: #ffffff; --text: #1c2024; --faint: #59636d; --line: #d8dde3; --panel: #f5f7f9; --accent: #1f6fb2; --roof: #3d464f;
  --busy: #2b7abf; --weights: #f0bf4c; --chain: #dd9426; --ports: #b4681c; --operand: #cf5751; --structural: #e99a94;
  --memory: #8b3d78; --queue_full: #d9709a; --window_full: #a85a90; --latency: #b9634f; --cache_miss: #75509f; --local: #a283c4;
  --fence: #5b9c78; --semaphore: #8abd9b; --barrier: #347a5f; --interrupt: #1f5c52; --empty: #e3e7eb; --halted: #cfd5db;
  --work: #2b7abf; --inside: #e0a238; --wait: #c55a66; --order: #5b9c78; --idle: #e3e7eb; }
@media (prefers-color-scheme: dark) { :root {
  --back: #14181c; --text: #e2e7eb; --faint: #a0abb5; --line: #343c44; --panel: #1b2127; --accent: #6fb1ee; --roof: #c3ccd4;
  --busy: #4a97d8; --weights: #e5b64a; --chain: #cf8b2b; --ports: #a8672a; --operand: #d7635d; --structural: #b97772;
  --memory: #a7538f; --queue_full: #c9668f; --window_full: #95507f; --latency: #ab5f4e; --cache_miss: #8462ad; --local: #9578b5;
  --fence: #5f9d7b; --semaphore: #7aa98a; --barrier: #3f8a6c; --interrupt: #2c6e63; --empty: #2a3138; --halted: #373f47;
  --work: #4a97d8; --inside: #d29a3a; --wait: #c9616c; --order: #5f9d7b; --idle: #2a3138; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.1rem; }
p { margin: .4rem 0; }
.faint, figcaption, .under { color: var(--faint); font-size: .9rem; }
.under { overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .875em; }
pre { margin: 0; padding: .75rem .9rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1.25rem 0 1rem; }
.card { padding: .7rem .9rem; background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; }
.card b { display: block; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
.card span { color: var(--faint); font-size: .85rem; }
.unit { display: grid; grid-template-columns: 4.5rem 1fr 4.2rem; align-items: center; gap: .1rem .7rem; margin: .45rem 0; }
.unit .name { font-weight: 600; }
.unit .share { text-align: right; font-variant-numeric: tabular-nums; }
.unit .why { grid-column: 2 / 4; color: var(--faint); font-size: .85rem; }
.bar { display: flex; width: 100%; height: 1.15rem; overflow: hidden; border-radius: .2rem; background: var(--empty); }
.bar i { display: block; height: 100%; }
.small.bar { width: 7rem; height: .7rem; }
.legend { display: flex; flex-wrap: wrap; gap: .15rem 1rem; margin: .8rem 0 0; padding: 0; color: var(--faint); font-size: .85rem; list-style: none; }
.legend i { display: inline-block; width: .75em; height: .75em; margin-right: .4em; border-radius: .15em; }
figure { margin: 0; }
figcaption { margin-top: .4rem; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--faint); font: 12px system-ui, "DejaVu Sans", sans-serif; }
svg .strong { fill: var(--text); font-weight: 600; }
.roofline { max-width: 34rem; }
svg.plot text { font-size: 11px; }
.timeline { min-width: 56rem; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; }
.plain { border: 0; border-radius: 0; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .35rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
th { background: var(--panel); font-weight: 600; white-space: nowrap; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.name { overflow-wrap: break-word; min-width: 9rem; }
details { margin: .8rem 0 0; }
summary { color: var(--accent); cursor: pointer; }
details > .scroll { margin-top: .6rem; }
@media print { details { display: block; } main { max-width: none; } }
)css";
}

}  // namespace etalon::tools
