/* Draws the state. Every element comes from a <template> of the page, every text is a text node;
   the one exception is a finished reply, whose HTML the server has made safe (A4). */
import { fillSaid, fillUnsent, fillUnsentWays, fillWays } from "./message.js";
import { chosen } from "./store.js";
import { say } from "./text.js";

export const SHOWN = 300; // messages in the page at most
export const STEP = 50;

const byId = (id) => document.getElementById(id);
const drawn = new Map(); // key → {node, said, ways, text: the text node of a stream}

/** The messages that are in the page now, as [first, end) of `state.messages`. */
export function range(state) {
  const total = state.messages.length;
  const room = SHOWN - state.outbox.length;
  const first = state.from ?? Math.max(0, total - room);
  return [first, Math.min(total, first + room)];
}

export function draw(store, streamed) {
  const { state } = store;
  if (streamed) return stream(state.reply);
  const [first, end] = range(state);
  const entries = state.messages.slice(first, end).map((message) => entryOf(store, message));
  if (end === state.messages.length) entries.push(...state.outbox.map((one) => unsentEntry(state, one)));
  place(entries);
  byId("older").hidden = !state.fetching;
  byId("title").textContent = titleOf(state.conversation);
  drawMask(state.conversation);
}

/** As whom one talks here, which another tab may have changed. */
function drawMask({ persona_name: name }) {
  byId("worn").hidden = !name;
  byId("worn").textContent = say("worn", { name });
}

export function titleOf({ title, participants }) {
  return title || participants.map(({ name }) => name).join(", ");
}

/** The element of a message, when it is in the page. */
export function nodeOf(id) {
  return [...drawn.values()].find(({ node }) => node.dataset.id === id)?.node;
}

function entryOf(store, message) {
  const { state } = store;
  const reply = message.replies.length ? chosen(message) : null;
  const last = message === state.messages.at(-1);
  const first = message === state.messages[0];
  const wait = reply?.error ? secondsLeft(message, reply) : null;
  const asked = store.find(message.answers)?.deleted;
  const free = state.reply === null;
  return {
    key: message.client_id ?? message.id,
    said: [message.drawing, reply?.id].join(),
    ways: [last, first, wait, asked, free, state.busy].join(),
    fillSaid: (node) => fillSaid(node, state, message, reply),
    fillWays: (node) => fillWays(node, store, message, reply, wait),
    reply: reply && state.reply?.id === reply.id ? state.reply : null,
  };
}

function unsentEntry({ conversation }, entry) {
  return {
    key: entry.client_id,
    said: "unsent",
    ways: `${entry.status} ${entry.reason}`,
    fillSaid: (node) => fillUnsent(node, entry, conversation),
    fillWays: (node) => fillUnsentWays(node, entry),
  };
}

/** Until a provider wants to be asked again. */
function secondsLeft(message, reply) {
  if (reply.error.retry_after === null) return null;
  return Math.max(0, Math.ceil(reply.error.retry_after - (Date.now() - message.received) / 1000));
}

function place(entries) {
  const list = byId("messages");
  const keys = new Set(entries.map((entry) => entry.key));
  for (const [key, { node }] of drawn) {
    if (keys.has(key)) continue;
    node.remove();
    drawn.delete(key);
  }
  entries.forEach((entry, index) => {
    const node = nodeFor(entry);
    if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
  });
}

function nodeFor(entry) {
  let known = drawn.get(entry.key);
  if (!known) {
    const node = byId("message").content.firstElementChild.cloneNode(true);
    drawn.set(entry.key, (known = { node, said: null, ways: null, text: null }));
  }
  const other = known.said !== entry.said;
  if (other) {
    entry.fillSaid(known.node);
    known.text = null;
  }
  // Words that did not change are left alone: somebody may be marking them.
  if (other || known.ways !== entry.ways) entry.fillWays(known.node);
  known.said = entry.said;
  known.ways = entry.ways;
  if (entry.reply) stream(entry.reply, known);
  return known.node;
}

/** Append what is new of a stream, and nothing else. */
function stream(reply, known = null) {
  if (!reply) return;
  known ??= [...drawn.values()].find(({ node }) => node.dataset.reply === reply.id);
  if (!known || !(reply.text || known.text)) return;
  if (!known.text) {
    known.text = document.createTextNode("");
    known.node.querySelector(".words").replaceChildren(known.text);
  }
  const shown = known.text.data;
  if (reply.text.startsWith(shown)) known.text.appendData(reply.text.slice(shown.length));
  else known.text.data = reply.text;
}
