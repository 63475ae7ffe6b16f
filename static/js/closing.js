/* A menu made of <details> closes like any other: by Escape, and by a click elsewhere. */
const open = () => document.querySelector("details[name=does][open]");

document.addEventListener("click", (event) => {
  const menu = open();
  if (menu && !menu.contains(event.target)) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  const menu = open();
  if (event.key !== "Escape" || !menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
