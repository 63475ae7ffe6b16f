/* The Remembered chip's dialog: what a version of a reply was made from. */

const dialog = document.getElementById("prompt");
const body = document.getElementById("prompt-body");

export function showPrompt(address) {
  fill("prompt-coming");
  dialog.showModal();
  window.htmx.ajax("GET", address, { source: body, target: body, swap: "innerHTML" }).catch(failed);
}

function failed() {
  fill("prompt-failed");
}

function fill(template) {
  body.replaceChildren(document.getElementById(template).content.cloneNode(true));
}

document.addEventListener("htmx:responseError", ({ detail }) => detail.target === body && failed());

/** From a memory that was sent to the same one among those that are kept. */
body.addEventListener("click", (event) => {
  const link = event.target.closest("[data-memory]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { memory } = link.dataset;
  dialog.close();
  // Whoever shows the memories may have to open first; it follows the address otherwise.
  const asked = new CustomEvent("show-memory", { cancelable: true, detail: { memory } });
  if (!document.body.dispatchEvent(asked)) event.preventDefault();
});
