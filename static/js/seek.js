/* Opens the talk at one message, `?at=POSITION`, as a search links to it. */
import { nodeOf, SHOWN } from "./render.js";

const MOST = 200; // messages of one call
const CALLS = 50; // further back than these nobody waits for
const ABOVE = 100; // messages drawn before the one that is sought

/** Fetch what is said until then, and show that message. */
export async function seek(store, server, scroll) {
  const at = Number(new URLSearchParams(location.search).get("at"));
  if (!Number.isSafeInteger(at) || at < 1) return;
  const { state } = store;
  for (let calls = 0; state.older && state.floor > at && calls < CALLS; calls += 1) {
    store.set({ fetching: true });
    const { ok, data } = await server.before(state.floor, MOST);
    if (!ok) return store.set({ fetching: false });
    store.prepend(data.items, Boolean(data.next));
  }
  const index = state.messages.findIndex(({ position }) => position >= at);
  if (index < 0) return;
  scroll.leave();
  const last = Math.max(0, state.messages.length - SHOWN);
  store.set({ from: Math.min(Math.max(0, index - ABOVE), last) });
  show(nodeOf(state.messages[index].id));
}

function show(node) {
  node.tabIndex = -1;
  node.scrollIntoView({ block: "center" });
  node.focus({ preventScroll: true });
  node.classList.add("found");
}
