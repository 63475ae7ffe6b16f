/* What people do with messages, as commands to the server. */
import { ask } from "./ask.js";
import { copy } from "./clipboard.js";
import { after } from "./possible.js";
import { chosen } from "./store.js";
import { count, say } from "./text.js";
import { toast } from "./toast.js";

/** `refuse(answer)` says why the server did not do it. */
export function createActs({ store, server, scroll, refuse, caughtUp }) {
  const { state } = store;
  const find = (id) => state.messages.find((message) => message.id === id);

  /** One command at a time. Its answer; null when it was refused or another was on its way. */
  async function command(call) {
    if (state.busy) return null;
    store.set({ busy: true });
    const answer = await call();
    store.set({ busy: false });
    if (!answer.ok) refuse(answer);
    return answer.ok ? answer : null;
  }

  async function begin(call) {
    const answer = await command(call);
    if (!answer) return;
    scroll.follow();
    store.accept(answer.data);
  }

  async function stop() {
    if (state.reply) await command(server.stop);
  }

  /** Whether the answer may be written anew although what follows it goes. */
  function allowed(id) {
    const number = after(state, find(id)).length;
    return number === 0 || ask(count("ask-again", number), say("ask-again-yes"));
  }

  /** Another version of an answer; one that is still coming ends with what it has (C43). */
  function run(id) {
    const following = after(state, find(id)).length > 0;
    return begin(() => server.regenerate(id, following));
  }

  async function again(id) {
    if (!state.busy && find(id) && (await allowed(id)) && find(id)) run(id);
  }

  function goOn(id) {
    const message = find(id);
    if (message) begin(() => server.goOn(chosen(message).id));
  }

  /** Delete a message, or it and all after it. */
  async function remove(id, following, keyboard) {
    const message = find(id);
    if (!message) return;
    const gone = following ? [message, ...after(state, message)] : [message];
    const answer = await command(() => server.remove(id, following));
    if (!answer) return;
    store.drop(gone.map((one) => one.id));
    toast(count("deleted", answer.data.messages), () => restore(id), keyboard);
  }

  async function removeVersion(id, keyboard) {
    const version = chosen(find(id)).id;
    const answer = await command(() => server.removeReply(version));
    if (!answer) return;
    store.take([answer.data]);
    toast(say("version-deleted"), () => restore(id, version), keyboard);
  }

  async function restore(id, version) {
    const answer = await command(() => server.restore(id));
    if (answer && version) await command(() => server.choose(version));
    if (answer) caughtUp();
  }

  async function copyText(id, button) {
    const row = find(id);
    const reply = row.replies.length ? chosen(row) : null;
    await copy(reply && reply.id === state.reply?.id ? state.reply.text : (reply ?? row).text);
    document.getElementById("said").textContent = say("copied");
    if (!button.matches(".act")) return toast(say("copied"));
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1500);
  }

  return { stop, again, allowed, run, goOn, remove, removeVersion, copy: copyText };
}
