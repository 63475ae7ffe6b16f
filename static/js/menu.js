/* The menu of a message: beside its button on a desk, a sheet at the foot of a phone. */
import { place } from "./place.js";
import { after, possible } from "./possible.js";
import { say } from "./text.js";

/** `act(name, message id, element)` does what is chosen. */
export function createMenu(store, act) {
  const menu = document.getElementById("message-menu");
  const { state } = store;
  let open = null; // the message's id
  let opener = null;
  let closing = null; // the button whose press closes its own menu

  function item(name, shown, words) {
    const entry = menu.querySelector(`[data-act="${name}"]`);
    entry.closest("li").hidden = !shown;
    if (words) entry.textContent = words;
    return entry;
  }

  function fill(message) {
    const can = possible(store, message);
    const versions = message.replies.length;
    item("copy", can.copy);
    item("edit", can.edit);
    item("again", can.again).disabled = state.busy;
    item("go-on", can.goOn).disabled = state.busy;
    item("remove-version", can.removeVersion);
    item("remove", can.remove, say(versions > 1 ? "delete-versions" : "delete", { number: versions }));
    const number = after(state, message).length + 1;
    item("remove-from", can.removeFrom, say("delete-from", { number }));
  }

  /** Open it for a message, beside `button`; `keyboard` puts the focus on its first act. */
  function show(id, button, keyboard) {
    const message = state.messages.find((one) => one.id === id);
    if (!message || button === closing) return;
    open = id;
    opener = button;
    fill(message);
    menu.showPopover();
    button.setAttribute("aria-expanded", "true");
    place(menu, button);
    if (keyboard) offered(menu)[0]?.focus();
  }

  menu.addEventListener("click", (event) => {
    const chosenAct = event.target.closest("[data-act]");
    if (!chosenAct || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    menu.hidePopover();
    act(chosenAct.dataset.act, open, chosenAct, event.detail === 0);
  });
  menu.addEventListener("keydown", (event) => step(menu, event));
  menu.addEventListener("toggle", (event) => {
    if (event.newState === "open") return;
    opener?.setAttribute("aria-expanded", "false");
    if (document.activeElement === document.body) opener?.focus({ preventScroll: true });
  });
  const note = ({ target }) => {
    const button = target.closest("[data-act=more]");
    closing = menu.matches(":popover-open") && button === opener ? button : null;
  };
  document.addEventListener("pointerdown", note, true);
  document.addEventListener("keydown", () => (closing = null), true);
  return { show };
}

function offered(menu) {
  const items = [...menu.querySelectorAll("[data-act]:not(:disabled)")];
  return items.filter((item) => item.checkVisibility());
}

/** ↑ and ↓ go from act to act. */
function step(menu, event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const items = offered(menu);
  const at = items.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  items.at(at % items.length)?.focus();
}
