/* The budget bar: what the next reply would take, asked anew after every change that may matter. */

const PAUSE = 600; // ms after the last of several changes

/** A listener of the store that keeps `#budget` true to `address`, while somebody can see it. */
export function createBudget(address) {
  let stale = true;
  let shown = null; // the place that is watched
  let revision = null;
  let timer = 0;

  const eye = new IntersectionObserver((seen) => seen.at(-1).isIntersecting && refresh());

  /** The place may come with a panel that is fetched, and come anew. */
  function watch() {
    const place = document.getElementById("budget");
    if (!place || place === shown) return;
    shown = place;
    stale = true;
    eye.disconnect();
    eye.observe(place);
  }

  function refresh() {
    if (!stale || !shown?.checkVisibility()) return;
    stale = false;
    const asked = window.htmx.ajax("GET", address, { source: shown, target: shown, swap: "innerHTML" });
    asked.catch(() => (stale = true));
  }

  function changed() {
    stale = true;
    clearTimeout(timer);
    timer = setTimeout(refresh, PAUSE);
  }

  document.body.addEventListener("memories", changed);
  document.addEventListener("htmx:afterSettle", watch);
  watch();

  return (state, streamed) => {
    if (streamed || state.reply || state.revision === revision) return;
    revision = state.revision;
    changed();
  };
}
