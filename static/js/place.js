/* Where a menu opens: beside its button. */

const GAP = 6; // px between a button and its menu

/** Put an open popover where its button is, above it when there is no room below. */
export function place(popover, button) {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const below = at.bottom + GAP + height <= innerHeight - GAP;
  const top = below ? at.bottom + GAP : Math.max(GAP, at.top - GAP - height);
  const left = Math.min(Math.max(GAP, at.left), innerWidth - width - GAP);
  popover.style.setProperty("--top", `${top}px`);
  popover.style.setProperty("--left", `${left}px`);
}
