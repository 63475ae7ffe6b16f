/* Text as the server counts it. */

/** Length in code points. */
export function codePoints(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** `text` without its first `count` code points. */
export function skipCodePoints(text, count) {
  let at = 0;
  for (let skipped = 0; skipped < count && at < text.length; skipped += 1) {
    at += text.codePointAt(at) > 0xffff ? 2 : 1;
  }
  return text.slice(at);
}

/** Length as it will be stored: NFC, and one sign for each end of a line. */
export function storedLength(text) {
  return codePoints(text.replace(/\r\n?/g, "\n").normalize("NFC"));
}

const BLANK = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const AROUND = new RegExp(`^${BLANK}|${BLANK}$`, "g");

/** Length of a memory as it will be stored, which is without blanks around it. */
export const memoryLength = (text) => storedLength(text.replace(AROUND, ""));

/** "ja" with kana or mostly kanji in it, "en" with letters only, else what the talk is in. */
export function languageOf(text, fallback) {
  const sample = text.slice(0, 400);
  if (/[\u3041-\u30ff\uff66-\uff9d]/.test(sample)) return "ja";
  if (/[\u3400-\u9fff\uf900-\ufaff]/.test(sample)) return fallback;
  return /[A-Za-z]/.test(sample) ? "en" : fallback;
}

/** `*narration*` as <em>, everything as text nodes: what people write never becomes markup (A4). */
export function narrated(text) {
  const piece = document.createDocumentFragment();
  let at = 0;
  for (const found of text.matchAll(/(?<!\*)\*(?![\s*])([^*\n]*[^\s*])\*(?!\*)/g)) {
    piece.append(text.slice(at, found.index));
    const narration = document.createElement("em");
    narration.textContent = found[1];
    piece.append(narration);
    at = found.index + found[0].length;
  }
  piece.append(text.slice(at));
  return piece;
}

/** A uuid, also where the page is not served over TLS and `randomUUID` is missing. */
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Words of the page, in its language: `say("retry-in", {seconds: 5})`. */
export function say(name, values = {}) {
  const words = document.getElementById("words").content.querySelector(`[data-word="${name}"]`);
  return Object.entries(values).reduce(
    (text, [key, value]) => text.replace(`{${key}}`, value),
    words ? words.textContent : name,
  );
}

/** As `say`, with the word that belongs to the number: `name-one` or `name-other`. */
export function count(name, number) {
  const form = new Intl.PluralRules(document.documentElement.lang).select(number);
  return say(`${name}-${form === "one" ? "one" : "other"}`, { number });
}
