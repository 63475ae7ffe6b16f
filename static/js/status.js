/* What is said about the talk beside it: the connection, and for screen readers the reply. */
import { say } from "./text.js";

const PATIENCE = 5000; // ms without a connection before anything is said

/** What is wrong: "open" is nothing, "away" a server that takes no messages just now. */
function troubleOf({ connection, outbox }) {
  if (connection === "connecting") return "lost";
  if (connection === "open" && outbox.some(({ status }) => status === "failed")) return "away";
  return connection;
}

/** A listener of the store that shows what is wrong with the connection, if it lasts. */
export function createBanner() {
  const banner = document.getElementById("banner");
  const words = { gone: "gone", away: "server-away", lost: "reconnecting" };
  let shown = "open";
  let timer = 0;

  function show(trouble) {
    timer = 0;
    banner.hidden = trouble === "open";
    banner.classList.toggle("ended", trouble === "signed-out" || trouble === "gone");
    if (trouble === "signed-out") banner.replaceChildren(signIn());
    else banner.textContent = trouble in words ? say(words[trouble]) : "";
  }

  return (state, streamed) => {
    const trouble = streamed ? shown : troubleOf(state);
    if (trouble === shown) return;
    shown = trouble;
    clearTimeout(timer);
    timer = 0;
    if (trouble === "lost" && banner.hidden) timer = setTimeout(show, PATIENCE, trouble);
    else show(trouble);
  };
}

function signIn() {
  return document.getElementById("signed-out").content.cloneNode(true);
}

let replying = null;

/** Say politely that a reply began or ended, and nothing in between. */
export function announce(state, streamed) {
  if (streamed) return;
  const now = state.reply?.id ?? null;
  if (now === replying) return;
  const name = state.conversation.participants[0]?.name ?? say("character");
  document.getElementById("said").textContent = now ? say("replying", { name }) : say("finished");
  replying = now;
}
