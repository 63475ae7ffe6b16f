/* What every page does: input-method care, dialogs, and small comforts of forms. */
import { copy } from "./clipboard.js";
import { guard } from "./ime.js";

guard();

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) return open(opener.dataset.opens, opener);
  const copier = event.target.closest("[data-copies]");
  if (copier) return copyAll(copier);
  const closer = event.target.closest("[data-closes]");
  if (closer) return closer.closest("dialog").close();
  if (event.target instanceof HTMLDialogElement) event.target.close(); // its backdrop
});

function open(id, opener) {
  opener.closest("[popover]")?.hidePopover();
  document.getElementById(id).showModal();
}

/** Copy what an element says, as it is written, and say so on the button. */
async function copyAll(button) {
  button.dataset.words ??= button.textContent;
  await copy(document.getElementById(button.dataset.copies).innerText);
  button.textContent = button.dataset.done;
  setTimeout(() => (button.textContent = button.dataset.words), 1500);
}

/** Offer the browser's own time zone where another one is set. */
function suggestZone() {
  const hint = document.getElementById("zone-hint");
  const select = document.querySelector("select[name=time_zone]");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!hint || !select || select.value === zone) return;
  if (![...select.options].some((option) => option.value === zone)) return;
  hint.firstChild.data = hint.firstChild.data.replace("{zone}", zone.replaceAll("_", " "));
  hint.hidden = false;
  hint.querySelector("button").addEventListener("click", () => {
    select.value = zone;
    hint.hidden = true;
  });
}

/** A newcomer's time zone is where their browser is. */
function tellZone() {
  const box = document.querySelector("input[type=hidden][name=time_zone]");
  if (box) box.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

/** Buttons that copy what stands beside them, and say that they did. */
function offerCopies() {
  for (const button of document.querySelectorAll("[data-copies]")) {
    const words = button.textContent;
    button.addEventListener("click", async () => {
      await copy(document.getElementById(button.dataset.copies).innerText.trim());
      button.textContent = button.dataset.done;
      setTimeout(() => (button.textContent = words), 2000);
    });
  }
}

/** "Another one": a further box like the last. Without this, every save brings one. */
function offerMore() {
  for (const button of document.querySelectorAll("[data-adds]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const boxes = button.parentElement.querySelectorAll(`[name=${button.dataset.adds}]`);
      const box = boxes[boxes.length - 1].cloneNode();
      box.value = "";
      boxes[boxes.length - 1].after(box);
      box.focus();
    });
  }
}

/** Leaving a form with changes in it asks first. */
function keepChanges() {
  for (const form of document.querySelectorAll("form.sheet")) {
    let changed = false;
    form.addEventListener("input", () => (changed = true));
    form.addEventListener("submit", () => (changed = false));
    window.addEventListener("beforeunload", (event) => changed && event.preventDefault());
  }
}

suggestZone();
tellZone();
offerCopies();
offerMore();
keepChanges();
