/* A plain question before something goes. */

const dialog = document.getElementById("ask");

/** True when a person says yes to `question`; `yes` is the word on the button. */
export function ask(question, yes) {
  document.getElementById("ask-question").textContent = question;
  document.getElementById("ask-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
