/* The chat's settings: fetched when they are opened, so that no tab changes what it does not know. */
const byId = (id) => document.getElementById(id);

/** A slider and its field say the same; an empty field is the model's own and stays empty. */
function couple(slider) {
  const field = byId(slider.dataset.slides);
  const follow = () => (slider.value = field.value === "" ? "1" : field.value);
  slider.hidden = false;
  follow();
  slider.addEventListener("input", () => (field.value = slider.value));
  field.addEventListener("input", follow);
}

export function createSettings({ onSaved }) {
  const dialog = byId("settings");
  const body = byId("settings-body");

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-settings]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.closest("[popover]")?.hidePopover();
    body.replaceChildren();
    dialog.showModal();
    window.htmx.ajax("GET", link.href, { source: body, target: body, swap: "innerHTML" });
  });

  body.addEventListener("htmx:load", () => {
    for (const slider of body.querySelectorAll("[data-slides]")) couple(slider);
    body.querySelector("select, input:not([type=hidden])")?.focus();
  });
  document.addEventListener("chat-settings-saved", ({ detail }) => {
    dialog.close();
    onSaved(detail);
  });
  for (const name of ["htmx:responseError", "htmx:sendError"]) {
    body.addEventListener(name, () => {
      if (body.querySelector("form")) return;
      body.replaceChildren(byId("prompt-failed").content.cloneNode(true));
    });
  }
}
