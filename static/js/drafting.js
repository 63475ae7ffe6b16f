/* "Draft my next line": the model writes what one might say; it stays a proposal in the box. */
import { place } from "./place.js";
import { say } from "./text.js";

const byId = (id) => document.getElementById(id);

/** A cancelled or failed draft leaves the box as it was; a draft over own words can be undone. */
export function createDrafting({ store, server, composer, kept, refusalOf }) {
  const row = byId("drafting");
  const button = byId("draft-line");
  const menu = byId("composer-menu");
  let running = null; // what cancels it

  function show(shape, words, raw = "") {
    row.hidden = !shape;
    row.dataset.shape = shape;
    row.querySelector(".said").textContent = words;
    row.querySelector("details").hidden = !raw;
    row.querySelector("pre").textContent = raw;
    for (const way of row.querySelectorAll("[data-when]")) {
      way.hidden = !way.dataset.when.split(" ").includes(shape);
    }
  }

  async function begin() {
    if (running || store.state.reply) return;
    const mine = (running = new AbortController());
    show("working", say("drafting"));
    const answer = await server.impersonate(mine);
    if (running !== mine) return; // cancelled
    running = null;
    if (answer.ok) propose(answer.data.text);
    else show("failed", answer.status ? refusalOf(answer) : say("not-drafted"), answer.data.raw);
  }

  /** Put the draft into the box, and what stood there aside. */
  function propose(text) {
    if (!text) return show("failed", say("not-drafted"));
    const mine = composer.value();
    composer.write(text);
    composer.focus();
    kept.keep({ mine: mine.trim() ? mine : null });
    if (mine.trim()) show("drafted", say("drafted"));
    else show("", "");
  }

  function putBack() {
    composer.write(kept.read().mine ?? "");
    kept.keep({ mine: null });
    show("", "");
    composer.focus();
  }

  /** True when there was something to cancel. */
  function cancel() {
    if (!running) return false;
    running.abort();
    running = null;
    show("", "");
    composer.focus();
    return true;
  }

  function close() {
    kept.keep({ mine: null });
    show("", "");
  }

  button.addEventListener("click", () => {
    menu.hidePopover();
    begin();
  });
  menu.addEventListener("toggle", ({ newState }) => {
    if (newState === "open") place(menu, byId("composer-more"));
  });
  const ways = { cancel, back: putBack, again: begin, close };
  row.addEventListener("click", (event) => ways[event.target.closest("[data-way]")?.dataset.way]?.());
  store.subscribe(({ reply }) => (button.disabled = reply !== null));
  if (kept.read().mine) show("drafted", say("drafted"));

  return {
    cancel,
    /** The message is on its way: nothing to put back any more. */
    sent: () => row.dataset.shape === "drafted" && show("", ""),
  };
}
