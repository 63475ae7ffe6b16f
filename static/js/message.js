/* One message, filled into its clone of the <template>. */
import { possible } from "./possible.js";
import { isActive } from "./store.js";
import { languageOf, narrated, say } from "./text.js";

const byId = (id) => document.getElementById(id);
const part = (node, selector) => node.querySelector(selector);
const told = new WeakMap(); // words of a person, by the element that shows them
const act = (node, name) => part(node, `[data-act="${name}"]`);

/** Who said it, when, and the words. */
export function fillSaid(node, { conversation }, message, reply) {
  node.className = `message ${message.role}`;
  node.dataset.id = message.id;
  node.dataset.reply = reply?.id ?? "";
  const language = languageOf(reply ? reply.text : message.text, conversation.language);
  const name = message.name || (reply ? say("character") : byId("chat").dataset.name);
  fillHead(node, name, message.created_at, language);
  part(node, ".edited").hidden = !(reply ?? message).edited;
  fillWords(part(node, ".words"), message, reply);
  if (reply) fillFace(part(node, ".face"), conversation, message, name);
}

/** What went wrong, and what can be done. `wait`: seconds until it makes sense, or null. */
export function fillWays(node, store, message, reply, wait) {
  const { busy } = store.state;
  const can = possible(store, message);
  fillTrouble(node, reply, can, wait, busy);
  fillActs(node, reply, can, busy);
  fillVersions(node, message, reply, can);
  fillGoOn(node, reply, can, wait, busy);
}

function fillHead(node, name, time, language) {
  part(node, ".name").textContent = name;
  const stamp = part(node, "time");
  stamp.dateTime = time;
  stamp.textContent = clock(time);
  part(node, ".words").lang = language;
}

function clock(time) {
  const at = new Date(time);
  const zone = byId("chat").dataset.zone;
  const date = (moment) => moment.toLocaleDateString("en", { timeZone: zone });
  const today = date(at) === date(new Date());
  const day = today ? {} : { month: "short", day: "numeric" };
  return at.toLocaleString(document.documentElement.lang, {
    ...day,
    hour: "numeric",
    minute: "2-digit",
    timeZone: zone,
  });
}

function fillWords(words, message, reply) {
  words.classList.toggle("raw", !reply || isActive(reply) || !reply.html);
  words.classList.toggle("streaming", Boolean(reply && isActive(reply)));
  if (!reply) return tell(words, message.text);
  if (isActive(reply)) return words.replaceChildren(byId("thinking").content.cloneNode(true));
  if (reply.html) words.innerHTML = reply.html;
  else words.replaceChildren(reply.text);
}

/** Only once: a long text takes long to lay out, and somebody may be marking it. */
function tell(words, text) {
  if (told.get(words) === text) return;
  told.set(words, text);
  words.replaceChildren(narrated(text));
}

function fillFace(face, conversation, message, name) {
  const speaker = conversation.participants.find(
    (one) => one.character_id && one.character_id === message.character_id,
  );
  if (!speaker?.avatar_url) return (face.textContent = [...name][0] ?? "");
  const picture = new Image();
  picture.alt = "";
  picture.src = speaker.avatar_url;
  face.replaceChildren(picture);
}

function fillTrouble(node, reply, can, wait, busy) {
  const reason = troubleOf(reply);
  part(node, ".trouble").hidden = !reason;
  if (!reason) return;
  part(node, ".why").textContent = reason;
  part(node, ".ways").hidden = !can.retry;
  fillRetry(act(node, "retry"), wait, busy);
  act(node, "take-back").hidden = act(node, "discard").hidden = true;
  part(node, "details").hidden = !reply.error;
  if (reply.error) part(node, "pre").textContent = `${reply.error.code}\n${reply.error.detail}`;
}

function troubleOf(reply) {
  if (reply?.error) return reply.error.explanation || say("failed");
  if (reply?.status === "failed" || reply?.status === "interrupted") return say(reply.status);
  return "";
}

function fillRetry(button, wait, busy) {
  button.hidden = false;
  button.disabled = busy || wait > 0;
  button.textContent = wait > 0 ? say("retry-in", { seconds: wait }) : say("retry");
}

function fillActs(node, reply, can, busy) {
  act(node, "copy").hidden = !can.copy;
  act(node, "edit").hidden = !can.edit;
  act(node, "again").hidden = !can.again;
  act(node, "again").disabled = busy;
  fillChip(act(node, "prompt"), reply);
  act(node, "more").hidden = false;
  part(node, ".acts").hidden = false;
}

/** How many memories went into this version; it opens what was sent for it. */
function fillChip(chip, reply) {
  chip.hidden = !reply?.has_prompt;
  if (chip.hidden) return;
  chip.href = byId("chat").dataset.prompt.replace(/0{8}-[0-]+/, reply.id);
  chip.textContent = say("remembered", { number: reply.remembered });
  chip.classList.toggle("none", reply.remembered === 0);
  chip.title = usageOf(reply.usage) || say("made-from");
}

/** What the provider counted and took for it, in a line; empty when it said nothing. */
function usageOf({ prompt_tokens, completion_tokens, cost }) {
  const number = (count) => (count ?? 0).toLocaleString(document.documentElement.lang);
  const counts = { sent: number(prompt_tokens), written: number(completion_tokens) };
  const tokens = prompt_tokens === null ? "" : say("counted", counts);
  return [tokens, cost === null ? "" : dollars(Number(cost))].filter(Boolean).join(" · ");
}

/** As the page of the prompt writes it. */
function dollars(cost) {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6 };
  return `$${cost.toLocaleString("en", digits)}`;
}

function fillVersions(node, message, reply, can) {
  const pager = part(node, ".pager");
  pager.hidden = message.replies.length < 2;
  if (pager.hidden) return;
  const number = message.replies.indexOf(reply) + 1;
  const total = message.replies.length;
  part(pager, ".number").textContent = `${number}/${total}`;
  part(pager, ".unseen").textContent = say("version", { number, total });
  act(pager, "earlier").setAttribute("aria-disabled", !can.page || number === 1);
  act(pager, "later").setAttribute("aria-disabled", !can.page || number === total);
}

/** A reply that did not come to its end says so, and offers to go on. */
function fillGoOn(node, reply, can, wait, busy) {
  const end = reply?.cut_by_length ? "length" : reply?.status;
  part(node, ".state").textContent = can.cut ? say(`cut-${end}`) : "";
  if (reply?.status === "stopped" && !can.cut) part(node, ".state").textContent = say("stopped");
  const button = act(node, "go-on");
  button.hidden = !(can.cut && can.goOn);
  button.disabled = busy || wait > 0;
}

/** The words of a message that is not sent yet. */
export function fillUnsent(node, { client_id, text, created_at }, conversation) {
  node.dataset.id = client_id;
  const language = languageOf(text, conversation.language);
  fillHead(node, conversation.persona_name || byId("chat").dataset.name, created_at, language);
  part(node, ".edited").hidden = true;
  const words = part(node, ".words");
  words.classList.add("raw");
  tell(words, text);
  part(node, "details").hidden = true;
  part(node, ".acts").hidden = true;
}

/** Why it is not sent, and what can be done about it. */
export function fillUnsentWays(node, { status, reason }) {
  node.className = `message user ${status}`;
  part(node, ".trouble").hidden = status === "sending";
  part(node, ".why").textContent = status === "waiting" ? say("waits") : reason;
  part(node, ".ways").hidden = false;
  fillRetry(act(node, "retry"), null, false);
  act(node, "retry").hidden = status === "waiting";
  act(node, "take-back").hidden = act(node, "discard").hidden = false;
}
