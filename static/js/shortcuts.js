/* Keys that work wherever one stands, unless a dialog is open or an input method is at work. */
import { belongsToInputMethod } from "./ime.js";

const plain = (event) => !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);

/** `keys`: acts by the name of their key; each is given whether somebody is writing. */
export function listen(keys) {
  const box = document.getElementById("text");
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || belongsToInputMethod(event)) return;
    if (document.querySelector("dialog[open], :popover-open")) return;
    const act = keys[event.key];
    if (!act || (event.key !== "?" && !plain(event))) return;
    const empty = event.target === box && box.value === "";
    const writes = event.target.closest("input, textarea, select, pre, [contenteditable]");
    if (act({ empty, writes: writes !== null })) event.preventDefault();
  });
}
