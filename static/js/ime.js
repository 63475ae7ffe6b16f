/*
 * Keys that belong to an input method, on every text field of every page: the Enter that confirms
 * a conversion must neither send a message nor submit a form (C67, C69, C117, C118, C119).
 */
let composing = null;

/** Whether this key event is the input method's and not the person's. */
export function belongsToInputMethod(event) {
  return (
    event.isComposing ||
    event.keyCode === 229 || // Safari ends the composition before it reports its Enter
    event.key === "Process" ||
    event.key === "Unidentified" || // Android
    (composing !== null && composing === event.target)
  );
}

function isField(node) {
  return node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement;
}

function forget() {
  composing = null;
}

/** Guard all fields, also those that come later. */
export function guard(root = document) {
  root.addEventListener("compositionstart", (event) => (composing = event.target), true);
  root.addEventListener("compositionend", forget, true);
  // An input method may go without saying so: switched away from, or cancelled.
  root.addEventListener("blur", forget, true);
  root.addEventListener("keyup", (event) => event.key === "Escape" && forget(), true);
  root.addEventListener("keydown", keepFromForms, true);
  root.addEventListener("submit", refuseHalfWritten, true);
}

function keepFromForms(event) {
  if (event.key !== "Enter" || !isField(event.target) || !belongsToInputMethod(event)) return;
  event.stopPropagation();
  if (event.target instanceof HTMLInputElement) event.preventDefault();
}

function refuseHalfWritten(event) {
  if (composing === null || composing !== document.activeElement) return;
  event.preventDefault();
  event.stopPropagation();
}
