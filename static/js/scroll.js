/* Keeps the place of whoever reads: sticks to the end only near it, and never jumps elsewhere. */
import { range, SHOWN, STEP } from "./render.js";

const NEAR = 100; // px from the end within which the page follows
const EDGE = 300; // px from the beginning at which older messages are fetched

/** `older()` fetches what was said before the first message. */
export function createScroll(store, { older }) {
  const view = document.getElementById("scroll");
  const pill = document.getElementById("pill");
  const unseen = document.getElementById("unseen");
  const { state } = store;
  let stuck = true;
  let seen = "";

  const fromEnd = () => view.scrollHeight - view.clientHeight - view.scrollTop;
  const toEnd = () => (view.scrollTop = view.scrollHeight);

  function anchor() {
    const top = view.getBoundingClientRect().top;
    const nodes = view.querySelectorAll(".message");
    const node = [...nodes].find((one) => one.getBoundingClientRect().bottom > top);
    return node && { node, top: node.getBoundingClientRect().top };
  }

  /** Draw by `paint` without moving what is being read. */
  function keep(paint, moved) {
    const held = stuck || !moved ? null : anchor();
    if (stuck) state.from = null;
    paint();
    if (stuck) toEnd();
    else if (held?.node.isConnected) view.scrollTop += held.node.getBoundingClientRect().top - held.top;
    tellNew();
    if (view.scrollHeight <= view.clientHeight + EDGE) back(); // too little to scroll, so no event
  }

  function tellNew() {
    const end = `${state.messages.at(-1)?.id}${state.reply?.seq ?? ""}`;
    if (stuck) seen = end;
    unseen.hidden = seen === end;
    pill.hidden = stuck || (unseen.hidden && fromEnd() < view.clientHeight);
  }

  function scrolled() {
    stuck = fromEnd() <= NEAR && range(state)[1] === state.messages.length;
    if (view.scrollTop < EDGE) back();
    else if (fromEnd() < EDGE) forth();
    tellNew();
  }

  function back() {
    const [first] = range(state);
    if (first > 0) store.set({ from: Math.max(0, first - STEP) });
    else if (state.older && !state.fetching) older();
  }

  function forth() {
    const [first, end] = range(state);
    if (end === state.messages.length) return;
    const next = first + STEP;
    store.set({ from: next + SHOWN >= state.messages.length ? null : next });
  }

  function follow() {
    stuck = true;
    store.set({ from: null });
    toEnd();
  }

  /** Stay where one is put, and not at the end. */
  function leave() {
    stuck = false;
  }

  view.addEventListener("scroll", scrolled, { passive: true });
  pill.addEventListener("click", follow);
  new ResizeObserver(() => stuck && toEnd()).observe(view);
  return { keep, follow, leave, toEnd };
}
