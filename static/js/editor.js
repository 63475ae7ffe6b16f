/* Editing in place: one's own words, or a version of what a character said. */
import { passes } from "./api.js";
import { draft } from "./draft.js";
import { belongsToInputMethod } from "./ime.js";
import { answerTo, possible } from "./possible.js";
import { nodeOf } from "./render.js";
import { chosen } from "./store.js";
import { say, storedLength } from "./text.js";
import { toast } from "./toast.js";

/**
 * One editor at a time; it outlives whatever is drawn, and a reload. `acts` writes an answer anew
 * when a person asks again: that is a command of its own, an edit alone changes nothing else.
 */
export function createEditor({ store, server, composer, person, limit, acts, refusalOf }) {
  const { state } = store;
  const kept = draft(person, `${state.conversation.id}:edit`, () => sessionStorage);
  const form = document.getElementById("editor").content.firstElementChild.cloneNode(true);
  const box = form.querySelector("textarea");
  const why = form.querySelector(".why");
  const now = form.querySelector("details");
  const [save, again] = form.querySelectorAll("[data-save]");
  let open = null; // {message, reply, revision, before}
  let saving = false;

  const changed = () => box.value !== open.before;

  /** Edit a message; a character's in the version that is shown. False when that cannot be. */
  function edit(id, left = null) {
    const message = state.messages.find((one) => one.id === id);
    if (!message || !possible(store, message).edit) return false;
    if (open && (open.message === id || changed())) return focus();
    close();
    const reply = message.replies.length ? chosen(message) : null;
    const before = (reply ?? message).text;
    open = { message: id, reply: reply?.id ?? null, revision: message.revision, before };
    box.value = before;
    if (left) restore(left);
    refuse("");
    again.hidden = reply !== null || !answerTo(state, message);
    attach();
    focus();
    return true;
  }

  function restore({ reply, revision, text }) {
    if ((reply ?? null) === open.reply) open.revision = revision;
    box.value = text;
  }

  function attach() {
    const node = nodeOf(open.message);
    if (!node || form.parentElement === node.firstElementChild) return;
    node.querySelector(".words").after(form);
    settle();
  }

  function focus() {
    form.scrollIntoView({ block: "nearest" });
    box.focus({ preventScroll: true });
    return true;
  }

  function close() {
    const held = form.contains(document.activeElement);
    const node = open && nodeOf(open.message);
    form.remove();
    open = null;
    kept.keep({ message: null, reply: null, revision: null, text: null });
    kept.flush();
    if (held) (node?.querySelector('.acts [data-act="more"]') ?? box).focus({ preventScroll: true });
  }

  function settle() {
    if (!CSS.supports("field-sizing", "content")) {
      box.style.height = "auto";
      box.style.height = `${box.scrollHeight}px`;
    }
    const empty = !box.value.trim();
    save.disabled = saving || empty;
    again.disabled = saving || empty || state.reply !== null;
  }

  function typed() {
    refuse("");
    const { message, reply, revision } = open;
    kept.keep(changed() ? { message, reply, revision, text: box.value } : { text: null });
    settle();
  }

  function refuse(reason) {
    why.hidden = !reason;
    why.textContent = reason;
    if (!reason) now.hidden = true;
  }

  async function submit(rerun) {
    const text = box.value;
    if (saving || !open || !text.trim()) return;
    if (storedLength(text) > limit) return refuse(say("too_long", { limit: limit.toLocaleString() }));
    const { message } = open;
    const answer = answerTo(state, { id: message });
    if (rerun && answer && !(await acts.allowed(answer.id))) return;
    if (changed() && !(await written(text))) return;
    close();
    if (rerun && answer) acts.run(answer.id);
  }

  /** Whether the server took it; else the text stays, with the reason. */
  async function written(text) {
    saving = true;
    settle();
    const { message, reply, revision } = open;
    const result = reply
      ? await server.editReply(reply, text, revision)
      : await server.edit(message, text, revision);
    saving = false;
    settle();
    if (!result.ok) failed(result);
    else if (reply) store.takeReply(result.data);
    else store.take([result.data]);
    return result.ok;
  }

  function failed(result) {
    refuse(passes(result) ? say("not-saved") : refusalOf(result));
    box.focus({ preventScroll: true });
    if (result.data.code === "changed_elsewhere") showOther();
  }

  /** What somebody made of it meanwhile; who then saves once more does so knowingly. */
  function showOther() {
    const message = store.find(open.message);
    const other = message.replies.find(({ id }) => id === open.reply) ?? message;
    open.revision = message.revision;
    now.hidden = other.text === open.before;
    now.querySelector("p").textContent = other.text;
  }

  function cancel() {
    const { message, reply, revision } = open;
    const left = changed() && { reply, revision, text: box.value };
    close();
    if (left) toast(say("edit-dropped"), () => edit(message, left));
  }

  /** Draw again where it belongs; what was being edited may be gone altogether. */
  function follow(_, streamed) {
    if (!open || streamed) return;
    if (store.find(open.message)?.deleted) return orphaned();
    attach();
    again.disabled ||= state.reply !== null;
  }

  function orphaned() {
    const text = changed() ? box.value : "";
    close();
    if (text) composer.restore(text, say("edit-gone"));
  }

  box.addEventListener("input", typed);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(false);
  });
  again.addEventListener("click", () => submit(true));
  form.querySelector("[data-cancel]").addEventListener("click", cancel);
  form.addEventListener("keydown", (event) => {
    if (belongsToInputMethod(event)) return;
    if (event.key === "Escape") cancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  store.subscribe(follow);

  return {
    edit,
    /** Open again what a reload closed. */
    resume() {
      const left = kept.read();
      if (left.message && left.text) edit(left.message, left);
    },
  };
}
