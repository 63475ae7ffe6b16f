/* A list of chats: the menu of a row opens beside its button. Without this it opens in the middle. */
import { place } from "./place.js";

for (const menu of document.querySelectorAll(".chat-row .menu")) {
  const button = document.querySelector(`[popovertarget="${menu.id}"]`);
  menu.addEventListener("toggle", ({ newState }) => newState === "open" && place(menu, button));
}
