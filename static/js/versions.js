/* ‹ 2/3 › — paging through the versions of an answer. Shown at once, told to the server in turn. */
import { chosen, isActive } from "./store.js";

/** `refuse(answer)` says why the server did not take a choice. */
export function createVersions(store, server, refuse) {
  const telling = new Set();
  const find = (id) => store.state.messages.find((message) => message.id === id);

  /** One version earlier (−1) or later (+1). False when there is none. */
  function turn(id, step) {
    const message = find(id);
    if (!message || message.replies.length < 2 || message.replies.some(isActive)) return false;
    const next = message.replies[message.replies.indexOf(chosen(message)) + step];
    if (!next) return false;
    store.want(id, next.id);
    tell(id);
    return true;
  }

  /** Until the server has chosen what is shown; however fast somebody pages, one call at a time. */
  async function tell(id) {
    if (telling.has(id)) return;
    telling.add(id);
    let message = find(id);
    while (message?.wanted && message.wanted !== message.chosen_reply_id) {
      const { wanted } = message;
      const answer = await server.choose(wanted);
      message = find(id);
      if (answer.ok && message) message.chosen_reply_id = wanted;
      if (answer.ok) continue;
      refuse(answer);
      break;
    }
    telling.delete(id);
    if (message) store.want(id, null);
  }

  return { turn };
}
