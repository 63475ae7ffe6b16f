/* Copying, also where the page is not served over TLS and browsers hide their clipboard. */

export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = document.createElement("textarea");
  const before = document.activeElement;
  box.value = text;
  box.className = "unseen";
  (document.querySelector("dialog:modal") ?? document.body).append(box); // the rest is inert
  box.select();
  document.execCommand("copy");
  box.remove();
  before?.focus();
}
