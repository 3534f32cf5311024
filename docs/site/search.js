// SPDX-License-Identifier: Apache-2.0
// Search in SEARCH_INDEX (search-index.js), made when the site is built: nothing goes over a network, and pages may be files.
"use strict";

const SHOWN = 40;

/** Score of an entry for lower-case words: every word must occur; in the title it counts more than in the text. 0: no match. */
function score(entry, words) {
  const title = entry.title.toLowerCase();
  const text = entry.text.toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (title === word) sum += 100;
    else if (title.startsWith(word)) sum += 40;
    else if (title.includes(word)) sum += 20;
    else if (text.includes(word)) sum += 3;
    else return 0;
  }
  return sum - Math.min(title.length / 100, 1);  // of equals the shorter name first
}

/** Entries that match a query, best first. */
function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return [];
  return SEARCH_INDEX.map((entry) => ({entry, points: score(entry, words)}))
      .filter((found) => found.points > 0)
      .sort((a, b) => b.points - a.points || (a.entry.title < b.entry.title ? -1 : 1))
      .map((found) => found.entry);
}

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function resultItem(entry) {
  const link = document.createElement("a");
  link.href = document.body.dataset.root + entry.url;
  link.append(element("span", entry.kind, "kind"), element("b", entry.title), element("p", entry.text.slice(0, 160)));
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function start() {
  const form = document.querySelector(".search");
  const input = form.querySelector("input");
  const results = form.querySelector(".results");
  let chosen = -1;

  function show() {
    const found = search(input.value);
    const items = found.slice(0, SHOWN).map(resultItem);
    if (items.length === 0) items.push(element("li", "Nothing has all of these words.", "none"));
    results.replaceChildren(...items);
    results.hidden = input.value.trim() === "";
    chosen = -1;
  }

  function choose(step) {
    const links = [...results.querySelectorAll("a")];
    if (links.length === 0) return;
    if (chosen >= 0) links[chosen].classList.remove("chosen");
    chosen = (chosen + step + links.length) % links.length;
    links[chosen].classList.add("chosen");
    links[chosen].scrollIntoView({block: "nearest"});
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(1);
    else if (event.key === "ArrowUp") choose(-1);
    else if (event.key === "Escape") results.hidden = true;
    else return;
    event.preventDefault();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const links = results.querySelectorAll("a");
    if (links.length > 0) location.href = links[Math.max(chosen, 0)].href;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === input) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener("click", (event) => {
    if (!form.contains(event.target)) results.hidden = true;
  });

  const query = new URLSearchParams(location.search).get("q");
  if (query) {
    input.value = query;
    show();
  }
}

start();
