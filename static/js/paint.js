/* When to draw: at once for what people do, at most twenty times a second for a stream. */
import { draw } from "./render.js";

const PAUSE = 50; // ms between two paints of a stream

/** A listener of the store that draws and keeps the place of whoever reads. */
export function createPainter(store, scroll) {
  let last = 0;
  let timer = 0;

  function paint(streamed) {
    clearTimeout(timer);
    timer = 0;
    last = performance.now();
    scroll.keep(() => draw(store, streamed), !streamed);
  }

  return (_, streamed) => {
    if (!streamed) return paint(false);
    timer ||= setTimeout(paint, Math.max(0, PAUSE - (performance.now() - last)), true);
  };
}
