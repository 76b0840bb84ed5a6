// What a browser with scripts adds: lists that change in place, keys, and marks that answer each other.
"use strict";

const PARTS = ["content", "filters", "words"];
let shown = document.location.search;

async function send(form, button) {
  const data = new FormData(form);
  if (button && button.name) data.set(button.name, button.value);
  form.classList.add("busy");
  form.setAttribute("aria-busy", "true");
  let answer;
  try {
    answer = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "text/html" } });
  } catch {
    return form.submit();
  } finally {
    form.classList.remove("busy");
    form.removeAttribute("aria-busy");
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const other = page.getElementById("search");
  if (!other) return document.location.reload();
  const held = heldBy(button || document.activeElement);
  if (!document.querySelector(".page.found") || !PARTS.every((id) => page.getElementById(id))) swap(form, other);
  else {
    for (const id of PARTS) swap(document.getElementById(id), page.getElementById(id));
    swap(form.querySelector(".ask"), other.querySelector(".ask"));
  }
  document.title = page.title;
  if (answer.url && answer.redirected) history.pushState({}, "", answer.url);
  shown = document.location.search;
  focusAgain(held);
}

// What a reader folded open or shut stays so, and long lists stay where they were.
function swap(old, other) {
  const lists = [];
  for (const one of old.querySelectorAll("details[id]")) {
    const same = other.querySelector(`#${CSS.escape(one.id)}`);
    if (!same) continue;
    same.open = one.open;
    lists.push([same.querySelector("ul"), one.querySelector("ul")?.scrollTop]);
  }
  old.replaceWith(document.adoptNode(other));
  for (const [list, top] of lists) if (list && top) list.scrollTop = top;
}

function heldBy(element) {
  return element && element.name && element.form ? { name: element.name, value: element.value } : null;
}

function focusAgain(held) {
  const same = held && [...document.querySelectorAll("button, input, select")].find((e) => e.name === held.name && (e.value === held.value || e.tagName === "SELECT"));
  if (same) return same.focus({ preventScroll: true });
  const panel = held && (held.name === "edit" || held.name === "undo") && document.querySelector("#words summary");
  (panel || document.getElementById("content")).focus({ preventScroll: true });
}

// A form's own `id` is hidden by its field of that name.
function isSearch(form) {
  return form.getAttribute("id") === "search";
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!isSearch(form)) return;
  event.preventDefault();
  send(form, event.submitter);
});

document.addEventListener("change", (event) => {
  const field = event.target;
  const form = field.form;
  if (!form || !isSearch(form) || !document.querySelector(".page.found")) return;
  if (field.matches("select:not([name=add_word]), input[type=checkbox], input[type=date]")) send(form, null);
});

// Going back shows the search that was there; a link to a part of this page changes no search.
window.addEventListener("popstate", () => {
  if (document.location.search !== shown) document.location.reload();
});

// Keys: / to the text, j and k from hit to hit, o opens one.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Enter" && event.target.matches("input:not([type=file]):not([type=checkbox])")) {
      event.preventDefault();
      const inAdd = event.target.closest(".add");
      send(event.target.form, inAdd ? inAdd.querySelector("button") : null);
    }
    return;
  }
  const links = [...document.querySelectorAll(".hit h2 a")];
  const at = links.indexOf(document.activeElement);
  const go = { j: at + 1, k: Math.max(0, at - 1) }[event.key];
  if (event.key === "/") {
    const text = document.getElementById("q");
    if (text) { event.preventDefault(); text.focus(); text.select(); }
  } else if (go !== undefined && links[go]) {
    event.preventDefault();
    links[go].focus();
  } else if (event.key === "o" && at >= 0) links[at].click();
});

// Marks that share a pair of words light up together, on both sides and in the table.
function light(element) {
  for (const one of document.querySelectorAll(".lit")) one.classList.remove("lit");
  if (!element) return;
  const wanted = new Set(element.dataset.pairs.split(" "));
  const scope = element.closest(".hit") || document;
  for (const one of scope.querySelectorAll("[data-pairs]"))
    if (one.dataset.pairs.split(" ").some((pair) => wanted.has(pair))) one.classList.add("lit");
}

function partner(element) {
  const side = element.closest(".side, .met");
  const lit = [...document.querySelectorAll(".lit")];
  return lit.find((one) => one.closest(".side, .met") !== side && one.tagName === "MARK");
}

if (document.querySelector(".reading"))
  for (const one of document.querySelectorAll("[data-pairs]")) one.tabIndex = 0;

document.addEventListener("mouseover", (event) => light(event.target.closest("[data-pairs]")));
document.addEventListener("focusin", (event) => light(event.target.closest("[data-pairs]")));
document.addEventListener("click", (event) => {
  const mark = event.target.closest(".reading [data-pairs]");
  if (!mark) return;
  light(mark);
  const other = partner(mark);
  if (other) other.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
});
