/* What is being written and not sent, kept in this browser for each person and chat (P3). */

const PAUSE = 200; // ms of typing between two writes

/** `read()` gives the fields, `keep(fields)` takes some; empty ones leave nothing behind. */
export function draft(person, conversation, storage = () => localStorage) {
  const key = `reverie:${person}:draft:${conversation}`;
  let waiting = null;
  let timer = 0;

  function stored() {
    try {
      return JSON.parse(storage().getItem(key)) ?? {};
    } catch {
      return {};
    }
  }

  const read = () => ({ ...stored(), ...waiting });

  function flush() {
    clearTimeout(timer);
    timer = 0;
    if (!waiting) return;
    const kept = Object.entries(read()).filter(([, value]) => value);
    waiting = null;
    try {
      if (kept.length) storage().setItem(key, JSON.stringify(Object.fromEntries(kept)));
      else storage().removeItem(key);
    } catch {
      // A full or forbidden store: the text still stands in the box.
    }
  }

  function keep(fields) {
    waiting = { ...waiting, ...fields };
    timer ||= setTimeout(flush, PAUSE);
  }

  addEventListener("pagehide", flush);
  document.addEventListener("visibilitychange", flush);
  return { read, keep, flush };
}
