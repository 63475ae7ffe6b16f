/* Memories on a page or in the panel: writing them, finding them, and staying up to date. */
import { csrfToken } from "./api.js";
import { draft } from "./draft.js";
import { belongsToInputMethod } from "./ime.js";
import { defineKeyed } from "./keyed.js";
import { memoryLength, say } from "./text.js";
import { toast } from "./toast.js";

const TYPING = 250; // ms of quiet before a search
const FEWEST = 50; // rows that are asked for anew

/** `root` holds one set of memories at a time, whatever htmx puts there. */
export function createMemories(root) {
  const { htmx } = window;
  const { person } = root.dataset;
  let waiting = null; // a revision that was heard while the list was on its way
  let asking = 0;
  let keyboard = false;
  let timer = 0;
  let kept = null; // the draft of the box that is shown

  const list = () => root.querySelector("#memory-list");

  function refresh() {
    const source = root.querySelector("[data-refresh]");
    if (source) htmx.trigger(source, "memories");
  }

  /** Fetch the list anew when it does not show this revision. */
  function heard(revision) {
    if (asking) waiting = revision;
    else if (list() && Number(list().dataset.revision) !== revision) refresh();
  }

  function settled() {
    const revision = waiting;
    waiting = null;
    if (revision !== null) heard(revision);
  }

  /* ---- writing ---- */

  function count(box) {
    const place = box.form.querySelector(".count");
    const limit = Number(box.dataset.limit);
    const used = memoryLength(box.value);
    const values = { count: used.toLocaleString(), limit: limit.toLocaleString() };
    place.textContent = used ? say("memory-count", values) : "";
    place.classList.toggle("over", used > limit);
  }

  function typed(box) {
    count(box);
    if (box.form.id === "memory-add") kept?.keep({ text: box.value });
  }

  /** The box for a new memory gets back what was written into it and not saved. */
  function restore() {
    const form = root.querySelector("#memory-add");
    if (!form || form.dataset.ready) return;
    form.dataset.ready = "yes";
    kept?.flush();
    kept = draft(person, `memory-${form.dataset.draft}`);
    form.elements.text.value ||= kept.read().text ?? "";
  }

  function saved() {
    const form = root.querySelector("#memory-add");
    if (!form) return;
    form.elements.text.value = "";
    form.elements.pinned.checked = false;
    form.querySelector(".problem").replaceChildren();
    kept.keep({ text: "" });
    kept.flush();
    count(form.elements.text);
  }

  function edits(form) {
    const box = form.elements.text;
    count(box);
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
  }

  function leave(form) {
    const row = form.closest(".memory");
    if (!row) return;
    form.remove();
    if (row.dataset.gone) return row.remove();
    row.querySelector("[data-way=edit]").focus({ preventScroll: true });
    refresh();
  }

  function gone(row) {
    row.dataset.gone = "yes";
    row.querySelector(".edits .problem").textContent = say("memory-gone");
  }

  /* ---- what was done ---- */

  async function takeBack(address) {
    const headers = { "X-CSRFToken": csrfToken(), "HX-Request": "true" };
    const answer = await fetch(address, { method: "POST", headers }).catch(() => null);
    if (answer?.ok) return refresh();
    toast(answer?.status === 409 ? wordsOf(await answer.text()) : say("not-reached"));
  }

  const wordsOf = (html) =>
    new DOMParser().parseFromString(html, "text/html").querySelector(".why")?.textContent ?? say("not-done");

  /** htmx tells of a request on what is still in the page; its own event may be on a row that a
      quicker poke of another device has taken away by now. */
  function told({ elt, xhr }) {
    const news = xhr.status === 204 && JSON.parse(xhr.getResponseHeader("HX-Trigger") ?? "{}")["memory-done"];
    if (news) done(elt, news);
  }

  function done(elt, detail) {
    if (detail.act === "saved") saved();
    const editor = elt.closest(".rewriting");
    if (editor) leave(editor);
    if (detail.undo) toast(detail.words, () => takeBack(detail.undo), keyboard);
    else if (detail.act !== "saved" && detail.act !== "edited") toast(detail.words);
    refresh();
  }

  function failed({ detail }) {
    const place = detail.target?.closest(".problem") ?? detail.elt.closest(".memory, form")?.querySelector(".problem");
    if (!place) return;
    const missing = detail.xhr?.status === 404 && place.closest(".memory");
    place.textContent = say(missing ? "memory-gone" : detail.xhr?.status ? "not-done" : "not-reached");
  }

  /* ---- ears ---- */

  root.addEventListener("input", ({ target, isComposing }) => {
    if (target.matches("textarea[data-limit]")) return typed(target);
    if (target.type === "search" && !isComposing) search();
  });
  root.addEventListener("compositionend", ({ target }) => target.type === "search" && search());
  function search() {
    clearTimeout(timer);
    timer = setTimeout(refresh, TYPING);
  }

  root.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow")) event.stopPropagation(); // they page no versions here
    if (belongsToInputMethod(event) || !event.target.matches("textarea[data-limit]")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.target.form.requestSubmit();
    } else if (event.key === "Escape" && event.target.closest(".rewriting .under, .rewriting")) {
      event.preventDefault();
      event.stopPropagation();
      leave(event.target.form);
    }
  });
  root.addEventListener("click", (event) => {
    keyboard = event.detail === 0;
    const cancel = event.target.closest("[data-cancel]");
    if (cancel) leave(cancel.closest("form"));
  });
  root.addEventListener("htmx:responseError", failed);
  root.addEventListener("htmx:sendError", failed);
  root.addEventListener("htmx:configRequest", ({ detail }) => {
    if (!detail.elt.matches("[data-refresh]")) return;
    const shown = root.querySelectorAll(".rows > li:not(.more)").length;
    detail.parameters.limit = Math.min(Math.max(FEWEST, shown), 200);
  });
  root.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.requestConfig.verb === "get") asking += 1;
  });
  root.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.requestConfig.verb === "get") asking = Math.max(0, asking - 1);
    else told(detail);
  });
  root.addEventListener("htmx:afterSwap", ({ detail }) => {
    ready();
    const editor = detail.target.matches(".edits") && detail.target.querySelector("form");
    if (editor) edits(editor);
  });
  root.addEventListener("htmx:afterSettle", () => asking || settled());

  function ready() {
    restore();
    for (const box of root.querySelectorAll("textarea[data-limit]")) count(box);
  }

  defineKeyed(htmx, gone);
  ready();
  return { heard, refresh };
}
