/*
 * A swap for lists in which somebody may be writing: an unchanged row stays the node that it is,
 * a row with an open editor stays whatever comes, and the focus stays where it was.
 */

const isOpen = (row) => row.querySelector(".edits form") !== null;

/** What takes the focus when `row` went while `way` in it had it. */
function refocus(row, way) {
  row?.querySelector(`[data-way="${way}"]`)?.focus({ preventScroll: true });
}

/** Bring the rows of `list` in line with those of `fresh`; the rows that are new nodes. */
function reconcile(list, fresh, gone) {
  const old = new Map([...list.children].map((row) => [row.id, row]));
  const added = [];
  let at = list.firstElementChild;
  for (const row of [...fresh.children]) {
    const known = old.get(row.id);
    old.delete(row.id);
    const keep = known && (isOpen(known) || known.dataset.version === row.dataset.version);
    if (known && !keep) {
      const way = known.contains(document.activeElement) && document.activeElement.dataset.way;
      if (at === known) at = at.nextElementSibling;
      known.replaceWith(row);
      list.insertBefore(row, at);
      if (way) refocus(row, way);
      added.push(row);
    } else if (keep) {
      if (known.contains(document.activeElement)) at = known; // moving it would take the focus
      if (known === at) at = at.nextElementSibling;
      else list.insertBefore(known, at);
    } else {
      list.insertBefore(row, at);
      added.push(row);
    }
  }
  for (const row of old.values()) isOpen(row) ? gone(row) : row.remove();
  return added;
}

/** The swap for the parts of a page of memories; `gone(row)` when a row went under its editor. */
export function defineKeyed(htmx, gone) {
  htmx.defineExtension("keyed", {
    isInlineSwap: () => false,
    handleSwap(style, target, fragment) {
      if (style !== "keyed") return false;
      const added = [];
      for (const part of fragment.querySelectorAll("[data-part]")) {
        const here = document.getElementById(part.id);
        if (part.querySelector(".rows") && here?.querySelector(".rows")) {
          added.push(...update(here, part, gone));
        } else if (here && !here.contains(document.activeElement)) {
          here.replaceWith(part);
          added.push(part);
        }
      }
      return added;
    },
  });
}

function update(here, part, gone) {
  here.dataset.revision = part.dataset.revision;
  const rows = here.querySelector(".rows");
  for (const node of [...here.children]) if (node !== rows) node.remove();
  const fresh = part.querySelector(".rows");
  for (const node of [...part.children]) if (node !== fresh) here.insertBefore(node, rows);
  return reconcile(rows, fresh, gone);
}
