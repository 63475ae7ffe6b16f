/* One socket that heals itself. It only listens; what people do goes over HTTP. */

const FIRST = 300; // ms until the first new try
const LONGEST = 10000;
const QUIET = 25000; // a socket silent for this long is asked
const ANSWER = 6000; // and has this long to answer
const SIGNED_OUT = 4401;
const GONE = 4404;

/**
 * Connect to `path`. `hello()` gives the first frame; `onFrame(frame)` gets every other one;
 * `onStatus("open" | "lost" | "signed-out" | "gone")` follows the connection.
 */
export function connect(path, { hello, onFrame, onStatus }) {
  let socket = null;
  let wait = FIRST;
  let timer = 0;
  let quiet = 0;
  let ended = false;

  function open() {
    clearTimeout(timer);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const mine = (socket = new WebSocket(`${scheme}//${location.host}${path}`));
    mine.onopen = () => mine === socket && sayHello();
    mine.onmessage = (event) => mine === socket && heard(JSON.parse(event.data));
    mine.onclose = (event) => mine === socket && closed(event.code);
    listen(ANSWER + LONGEST);
  }

  function sayHello() {
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ type: "hello", ...hello() }));
    listen(ANSWER);
  }

  /** After `patience` of silence give this socket up. */
  function listen(patience) {
    clearTimeout(quiet);
    quiet = setTimeout(giveUp, patience);
  }

  function heard(frame) {
    clearTimeout(quiet);
    quiet = setTimeout(sayHello, QUIET);
    wait = FIRST;
    onStatus("open");
    onFrame(frame);
  }

  function giveUp() {
    const dead = socket;
    closed(0);
    dead?.close();
  }

  function closed(code) {
    socket = null;
    clearTimeout(quiet);
    if (code === SIGNED_OUT || code === GONE) {
      ended = true;
      return onStatus(code === GONE ? "gone" : "signed-out");
    }
    onStatus("lost");
    clearTimeout(timer);
    timer = setTimeout(open, wait * (0.75 + Math.random() / 2));
    wait = Math.min(wait * 2, LONGEST);
  }

  /** Now, not later: the network is back, or somebody looks again. */
  function wake() {
    if (ended || document.hidden) return;
    if (socket === null) open();
    else sayHello();
  }

  addEventListener("online", wake);
  addEventListener("pageshow", (event) => event.persisted && wake());
  document.addEventListener("visibilitychange", wake);
  open();
  return { sayHello };
}
