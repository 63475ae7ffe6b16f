/* The box that people write in. */
import { belongsToInputMethod } from "./ime.js";
import { say, storedLength } from "./text.js";

const COUNT_FROM = 2000; // characters left when the counter appears
const PREFERENCE = "reverie:enter-sends";

const byId = (id) => document.getElementById(id);

function enterSends() {
  const set = localStorage.getItem(PREFERENCE);
  return set ? set === "yes" : !matchMedia("(hover: none) and (pointer: coarse)").matches;
}

/** `onSend(text)` when a person sends, `onStop()` when they stop the reply. */
export function createComposer({ kept, limit, onSend, onStop }) {
  const form = byId("composer");
  const box = byId("text");
  const refusal = byId("refusal");
  const count = byId("count");
  let active = false;
  let gone = false;

  function length() {
    // No text gets longer than three times its UTF-16 units by NFC; short ones need no counting.
    return box.value.length * 3 < limit - COUNT_FROM ? 0 : storedLength(box.value);
  }

  function settle() {
    const used = length();
    count.hidden = used < limit - COUNT_FROM;
    count.classList.toggle("over", used > limit);
    count.textContent = say("count", { count: used.toLocaleString(), limit: limit.toLocaleString() });
    const empty = !box.value.trim();
    byId("send").disabled = gone || used > limit || empty;
    byId("send").hidden = active && empty; // beside Stop it lets a message wait for the reply
    if (!CSS.supports("field-sizing", "content")) grow();
  }

  function grow() {
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }

  function typed() {
    refuse("");
    kept.keep({ text: box.value });
    settle();
  }

  function refuse(reason) {
    refusal.hidden = !reason;
    refusal.textContent = reason;
  }

  function write(text) {
    box.value = text;
    kept.keep({ text });
    settle();
  }

  function send() {
    const text = box.value;
    if (gone || !text.trim()) return;
    if (length() > limit) return refuse(say("too_long", { limit: limit.toLocaleString() }));
    onSend(text);
  }

  function pressed(event) {
    if (belongsToInputMethod(event) || event.key !== "Enter" || event.altKey) return;
    const always = event.ctrlKey || event.metaKey;
    if (!always && (event.shiftKey || !enterSends())) return;
    event.preventDefault();
    if (!event.repeat) send();
  }

  box.addEventListener("input", typed);
  box.addEventListener("keydown", pressed);
  byId("stop").addEventListener("click", onStop);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  offerPreference();

  box.value = kept.read().text ?? box.value;
  settle();
  if (matchMedia("(hover: hover)").matches) box.focus(); // a keyboard on the screen waits to be asked

  return {
    refuse,
    write,
    value: () => box.value,
    focus: () => box.focus({ preventScroll: true }),
    /** Give a text back, before whatever was begun meanwhile. */
    restore(text, reason) {
      write(box.value.trim() ? `${text}\n\n${box.value}` : text);
      refuse(reason);
      box.focus();
    },
    show(state) {
      active = state.reply !== null;
      gone = state.connection === "gone";
      const focused = document.activeElement?.closest(".send");
      byId("stop").hidden = !active;
      byId("send").title = active ? say("send-later") : "";
      settle();
      if (focused && (focused.hidden || focused.disabled)) box.focus({ preventScroll: true });
    },
  };
}

function offerPreference() {
  const tick = byId("enter-sends");
  tick.checked = enterSends();
  tick.addEventListener("change", () => {
    localStorage.setItem(PREFERENCE, tick.checked ? "yes" : "no");
  });
}
