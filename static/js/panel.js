/* The memory panel beside the talk: a column on a desk, a sheet on a phone. */
import { createMemories } from "./memories.js";

const WIDE = matchMedia("(min-width: 72.01rem)");
const CLOSED = "reverie:panel-closed";

export function createPanel() {
  const panel = document.getElementById("panel");
  const body = document.getElementById("panel-body");
  const toggle = document.getElementById("panel-toggle");
  const toast = document.getElementById("toast");
  const stage = toast.parentElement;
  const tabs = [...panel.querySelectorAll(".tabs a[hx-get]")];
  const memories = createMemories(panel);

  const isClosed = () => localStorage.getItem(CLOSED) === "yes";
  const isOpen = () => (WIDE.matches ? !isClosed() : panel.matches(":popover-open"));

  /** Fetch what it shows, once it is looked at. */
  function load() {
    const first = tabs.find((tab) => tab.hasAttribute("data-first")) ?? tabs[0];
    if (!body.firstElementChild && !body.dataset.loading) {
      body.dataset.loading = "yes";
      choose(first);
      window.htmx.trigger(first, "click");
    }
  }

  function choose(tab) {
    for (const one of tabs) one.removeAttribute("aria-current");
    tab.setAttribute("aria-current", "page");
  }

  function show() {
    document.getElementById("chat").classList.toggle("without-panel", isClosed());
    toggle.setAttribute("aria-expanded", String(isOpen()));
    if (isOpen()) load();
  }

  function turn(open) {
    if (WIDE.matches) localStorage.setItem(CLOSED, open ? "no" : "yes");
    else if (open) panel.showPopover();
    else panel.hidePopover();
    show();
    if (!open) toggle.focus();
  }

  toggle.addEventListener("click", () => turn(!isOpen()));
  document.getElementById("panel-close").addEventListener("click", () => turn(false));
  panel.addEventListener("toggle", ({ newState }) => {
    (newState === "open" ? panel : stage).append(toast); // above what is above the page
    show();
  });
  panel.addEventListener("click", ({ target }) => {
    const tab = target.closest(".tabs a[hx-get]");
    if (tab) choose(tab);
  });
  panel.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.target === body) delete body.dataset.loading;
  });
  WIDE.addEventListener("change", () => {
    if (panel.matches(":popover-open")) panel.hidePopover();
    show();
  });
  document.addEventListener("DOMContentLoaded", show);
  return memories;
}
