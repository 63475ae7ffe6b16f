/* What can be done with a message at this moment. */
import { chosen, isActive } from "./store.js";

const CUT = new Set(["stopped", "interrupted", "failed"]);

/** Acts on `message` that the server would take, as true or false by their names. */
export function possible(store, message) {
  const { state } = store;
  const reply = message.replies.length ? chosen(message) : null;
  const writing = message.replies.some(isActive);
  const last = message === state.messages.at(-1);
  const text = reply ? reply.text.trim() : message.text;
  const answers = reply !== null && hasQuestion(store, message);
  return {
    copy: Boolean(text) || writing,
    edit: !writing,
    page: message.replies.length > 1 && !writing,
    again: answers && (!state.reply || writing),
    retry: answers && last && !state.reply,
    goOn: answers && last && !state.reply && Boolean(text),
    cut: reply !== null && (CUT.has(reply.status) || reply.cut_by_length) && Boolean(text),
    removeVersion: message.replies.length > 1 && !writing,
    remove: !writing,
    removeFrom: !last && !state.reply,
  };
}

/** Whether what this answers is still there. */
function hasQuestion({ state, find }, message) {
  if (!message.answers) return false;
  const question = find(message.answers);
  if (question) return !question.deleted;
  return state.older && message === state.messages[0];
}

/** The messages after this one that are still there. */
export function after(state, message) {
  return state.messages.filter(({ position }) => position > message.position);
}

/** The character's message that answers a person's. */
export function answerTo(state, message) {
  return state.messages.find(({ answers }) => answers === message.id);
}
