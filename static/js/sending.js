/* From the box to the server: kept first, sent once, tried again for as long as it takes. */
import { passes } from "./api.js";
import { alone } from "./outbox.js";
import { say, uuid } from "./text.js";

const AGAIN = 3000; // ms before the first new try
const LONGEST = 30000;
const ELSEWHERE = 3000; // ms that another tab has for what it sends
const MOMENT = 1500; // ms between what another tab sent and its coming here

/**
 * Entries of `state.outbox` are {client_id, text, created_at, status, reason, trying, tries}; the
 * status is "waiting" (for the reply under way, or for the one before), "sending" or "failed".
 */
export function createSending({ store, server, kept, box, composer, scroll, refusalOf }) {
  const { state } = store;
  const stored = new Set(); // the ids that this page knows to lie in the browser's store
  let takenBack = null;

  const find = (id) => state.outbox.find((entry) => entry.client_id === id);

  function add(entry, status) {
    if (find(entry.client_id) || store.has(entry.client_id)) return;
    stored.add(entry.client_id);
    const fresh = { reason: "", trying: false, tries: 0, ...entry, status };
    store.set({ outbox: [...state.outbox, fresh] });
  }

  function change(id, fields) {
    const outbox = state.outbox.map((one) => (one.client_id === id ? { ...one, ...fields } : one));
    store.set({ outbox });
  }

  function drop(id) {
    store.set({ outbox: state.outbox.filter((entry) => entry.client_id !== id) });
  }

  /** Send a text, or let it wait for its turn. One may wait; a second stays in the box. */
  function send(text) {
    if (state.outbox.some((entry) => entry.status === "waiting")) {
      return composer.refuse(say("one-waits"));
    }
    // What was taken back and sends unchanged is the same message: it may have arrived after all.
    const again = takenBack?.text === text ? takenBack : null;
    takenBack = null;
    const client_id = again?.client_id ?? uuid();
    const entry = { client_id, text, created_at: new Date().toISOString() };
    box.put(entry);
    kept.keep({ mine: null });
    composer.write("");
    composer.refuse("");
    scroll.follow();
    add(entry, "waiting");
  }

  /** Whatever is first and may go, goes. */
  function advance(now, streamed) {
    if (streamed) return;
    forget(now);
    const next = now.outbox[0];
    const ended = now.connection === "gone" || now.connection === "signed-out";
    if (next?.status !== "waiting" || next.held || now.reply || ended) return;
    deliver(next);
  }

  /** What has left the outbox leaves the browser's store. */
  function forget(now) {
    for (const id of stored) {
      if (now.outbox.some((entry) => entry.client_id === id)) continue;
      stored.delete(id);
      box.drop(id);
    }
  }

  /** Try one text under its one id: however often, it is stored once (P2). */
  async function deliver({ client_id, text, trying }) {
    if (trying) return;
    change(client_id, { status: "sending", reason: "", trying: true });
    const answer = await alone(client_id, () => server.send(client_id, text));
    if (!find(client_id)) return answer?.ok && store.accept(answer.data);
    change(client_id, { trying: false });
    if (answer === null) hold(client_id, ELSEWHERE);
    else if (answer.ok) store.accept(answer.data);
    else if (answer.data.code === "turn_in_progress") hold(client_id, AGAIN);
    else if (passes(answer)) failed(client_id, answer);
    else refused(client_id, answer);
  }

  /** Let it wait; try by itself after `patience` should nobody tell us of an end. */
  function hold(id, patience) {
    change(id, { status: "waiting", held: true });
    setTimeout(() => find(id)?.held && change(id, { held: false }), patience);
  }

  /** The text stays where it stands, and is tried again until somebody answers (P9). */
  function failed(id, { status, after }) {
    const reason = say(status === 0 ? "unsent" : status === 429 ? "unsent-rate" : "unsent-server");
    const tries = find(id).tries + 1;
    change(id, { status: "failed", reason, tries });
    const wait = after * 1000 || Math.min(LONGEST, AGAIN * 1.5 ** (tries - 1));
    setTimeout(() => find(id)?.tries === tries && retry(id), wait);
  }

  /** The server will never take it as it is. */
  function refused(id, answer) {
    takeBack(id, refusalOf(answer));
    if (answer.status === 401) store.set({ connection: "signed-out" });
  }

  function retry(id) {
    const entry = find(id);
    if (entry && entry.status === "failed") deliver(entry);
  }

  /** The text goes back into the box, with the reason beside it. */
  function takeBack(id, reason = "") {
    const entry = find(id);
    if (!entry || entry.trying) return;
    takenBack = composer.value().trim() ? null : { client_id: id, text: entry.text };
    composer.restore(entry.text, reason);
    kept.flush();
    drop(id);
  }

  function discard(id) {
    if (!find(id)?.trying) drop(id);
  }

  function wake() {
    for (const entry of state.outbox) retry(entry.client_id);
  }

  box.watch({
    came(entry) {
      add({ ...entry, held: true }, "waiting");
      hold(entry.client_id, ELSEWHERE);
    },
    went: (id) => setTimeout(() => !find(id)?.trying && drop(id), MOMENT),
  });
  addEventListener("online", wake);
  store.subscribe(advance);
  for (const entry of box.read()) {
    if (store.has(entry.client_id)) box.drop(entry.client_id);
    else add(entry, "waiting");
  }

  return { send, retry, takeBack, discard, wake };
}
