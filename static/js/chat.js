/* The chat page: puts the pieces together. */
import { createActs } from "./acts.js";
import { api } from "./api.js";
import { createBudget } from "./budget.js";
import { showPrompt } from "./chip.js";
import { createComposer } from "./composer.js";
import { draft } from "./draft.js";
import { createDrafting } from "./drafting.js";
import { createEditor } from "./editor.js";
import { createMenu } from "./menu.js";
import { outbox } from "./outbox.js";
import { createPainter } from "./paint.js";
import { createPanel } from "./panel.js";
import { createScroll } from "./scroll.js";
import { seek } from "./seek.js";
import { createSending } from "./sending.js";
import { createSettings } from "./settings.js";
import { listen } from "./shortcuts.js";
import { connect } from "./socket.js";
import { announce, createBanner } from "./status.js";
import { createStore } from "./store.js";
import { say } from "./text.js";
import { createVersions } from "./versions.js";

const root = document.getElementById("chat");
const { api: address, person } = root.dataset;
const limit = Number(root.dataset.limit);
const store = createStore(JSON.parse(document.getElementById("state").textContent));
const { state } = store;
const server = api(address);
const kept = draft(person, state.conversation.id);
const scroll = createScroll(store, { older: fetchOlder });
const composer = createComposer({ kept, limit, onSend: send, onStop: () => acts.stop() });
const refuse = (answer) => composer.refuse(refusalOf(answer));

store.subscribe(createPainter(store, scroll));
store.subscribe((now, streamed) => streamed || composer.show(now));
store.subscribe(createBanner());
store.subscribe(announce);
store.subscribe(createBudget(root.dataset.budget));

const box = outbox(person, state.conversation.id);
const acts = createActs({ store, server, scroll, refuse, caughtUp: () => socket.sayHello() });
const sending = createSending({ store, server, kept, box, composer, scroll, refusalOf });
const versions = createVersions(store, server, refuse);
const editor = createEditor({ store, server, composer, person, limit, acts, refusalOf });
const drafting = createDrafting({ store, server, composer, kept, refusalOf });
const menu = createMenu(store, act);
createSettings({ onSaved: ({ demo }) => (document.getElementById("demo").hidden = !demo) });
const panel = createPanel();

function send(text) {
  sending.send(text);
  if (composer.value() === "") drafting.sent();
}

/** Why the server did not do it, in plain words. */
function refusalOf({ status, data }) {
  if (data.code === "turn_in_progress") return say("turn_in_progress", { name: speaker() });
  if (status === 0) return say("not-reached");
  return typeof data.detail === "string" ? data.detail : say("not-done");
}

function speaker() {
  return state.conversation.participants[0]?.name ?? say("character");
}

async function fetchOlder() {
  store.set({ fetching: true });
  const answer = await server.before(state.floor);
  if (answer.ok) store.prepend(answer.data.items, Boolean(answer.data.next));
  else setTimeout(() => store.set({ fetching: false }), 2000);
}

/* ---- the socket ---- */

const socket = connect(root.dataset.socket, {
  hello: () => ({ revision: state.revision }),
  onFrame(frame) {
    if ("memories" in frame) panel.heard(frame.memories);
    if (frame.type === "state") store.settle(frame);
    else if (frame.type === "changed") store.advance(frame) || socket.sayHello();
    else if (frame.type === "memories") {
      panel.heard(frame.revision);
      document.body.dispatchEvent(new Event("memories"));
    } else if (frame.type === "delta") store.append(frame) || socket.sayHello();
  },
  onStatus(connection) {
    if (connection === state.connection) return;
    store.set({ connection });
    if (connection === "open") sending.wake();
  },
});

/* ---- what people press ---- */

const pressed = {
  copy: acts.copy,
  edit: (id) => editor.edit(id),
  again: (id) => acts.again(id),
  retry: (id) => (isUnsent(id) ? sending.retry(id) : acts.again(id)),
  "go-on": (id) => acts.goOn(id),
  earlier: (id) => versions.turn(id, -1),
  later: (id) => versions.turn(id, 1),
  more: (id, button, keyboard) => menu.show(id, button, keyboard),
  "remove-version": (id, _, keyboard) => acts.removeVersion(id, keyboard),
  remove: (id, _, keyboard) => acts.remove(id, false, keyboard),
  "remove-from": (id, _, keyboard) => acts.remove(id, true, keyboard),
  "take-back": (id) => sending.takeBack(id),
  discard: (id) => sending.discard(id),
  prompt: (_, link) => showPrompt(link.href),
};

function act(name, id, element, keyboard) {
  pressed[name](id, element, keyboard);
}

const isUnsent = (id) => state.outbox.some((entry) => entry.client_id === id);

document.getElementById("messages").addEventListener("click", (event) => {
  const node = event.target.closest(".message");
  const button = event.target.closest("[data-act]");
  document.querySelector(".message.touched")?.classList.remove("touched");
  node?.classList.add("touched");
  if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (button.ariaDisabled !== "true") act(button.dataset.act, node.dataset.id, button, event.detail === 0);
});

const turnLast = (step, { empty, writes }) =>
  (empty || !writes) && state.messages.length > 0 && versions.turn(state.messages.at(-1).id, step);

listen({
  Escape: () => drafting.cancel() || (state.reply && acts.stop()),
  "?": ({ writes }) => !writes && (document.getElementById("keys").showModal(), true),
  ArrowUp: ({ empty }) => empty && editLast(),
  ArrowLeft: (where) => turnLast(-1, where),
  ArrowRight: (where) => turnLast(1, where),
});

/** The last thing one said: what still waits goes back into the box, else it is edited. */
function editLast() {
  const waiting = state.outbox.findLast(({ trying }) => !trying);
  if (waiting) return sending.takeBack(waiting.client_id), true;
  const mine = state.messages.findLast(({ role }) => role === "user");
  return Boolean(mine) && editor.edit(mine.id);
}

/* ---- the beginning ---- */

// Safari lays its keyboard over the page; the composer has to stay above it.
window.visualViewport?.addEventListener("resize", ({ target }) => {
  if (target.scale === 1) root.style.setProperty("--tall", `${target.height}px`);
});

store.set({});
scroll.toEnd();
seek(store, server, scroll);
editor.resume();
setInterval(() => state.messages.at(-1)?.replies.some((reply) => reply.error) && store.set({}), 1000);
