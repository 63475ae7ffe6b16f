/* What passes: a line that says what was done, with a way back for ten seconds. */

const STAYS = 10000; // ms
const PASSES = 5000; // ms; with nothing to do about it, it only hides what lies below

const node = document.getElementById("toast");
const words = node.querySelector(".said");
const button = node.querySelector("button");
let back = null;
let timer = 0;
let left = 0;
let since = 0;

/** Say `text`; `undo()` is offered while it stays. `focus` when it was done by keyboard. */
export function toast(text, undo = null, focus = false) {
  clearTimeout(timer);
  back = undo;
  words.textContent = text;
  button.hidden = !undo;
  node.hidden = false;
  left = undo ? STAYS : PASSES;
  if (focus && undo) button.focus();
  run();
}

/** Time stands still while somebody points at it or stands on it. */
function run() {
  clearTimeout(timer);
  if (node.hidden || node.matches(":hover, :focus-within")) return;
  since = performance.now();
  timer = setTimeout(close, left);
}

function pause() {
  if (timer) left = Math.max(1500, left - (performance.now() - since));
  clearTimeout(timer);
  timer = 0;
}

function close() {
  const held = node.contains(document.activeElement);
  clearTimeout(timer);
  timer = 0;
  node.hidden = true;
  back = null;
  if (held) document.querySelector("#text, #memory-add textarea")?.focus({ preventScroll: true });
}

button.addEventListener("click", () => {
  const undo = back;
  close();
  undo?.();
});
node.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  close();
});
node.addEventListener("pointerenter", pause);
node.addEventListener("pointerleave", run);
node.addEventListener("focusin", pause);
node.addEventListener("focusout", () => setTimeout(run));
