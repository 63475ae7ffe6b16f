/*
 * The one state of the chat page. The server's rows are the truth; what is not there yet (a text
 * being sent, the stream of a reply, a version being chosen) stands beside them.
 */
import { codePoints, skipCodePoints } from "./text.js";

const ACTIVE = new Set(["queued", "streaming"]);

export const isActive = (reply) => ACTIVE.has(reply.status);

/** The version of a character's message that is shown. */
export const chosen = (message) =>
  message.replies.find((reply) => reply.id === (message.wanted ?? message.chosen_reply_id)) ??
  message.replies.at(-1);

export function createStore(page) {
  const state = {
    conversation: page.conversation,
    revision: page.revision,
    messages: [],
    older: page.older,
    floor: page.messages[0]?.position ?? 0, // what lies before it is fetched on scrolling up
    fetching: false,
    reply: null,
    outbox: [], // what is not sent yet, see sending.js
    busy: false, // a stop, regenerate or the like is on its way
    connection: "connecting",
    from: null, // index of the first message in the page; null follows the end
  };
  const known = new Map(); // every row by its id; deleted ones too, so that none comes back late
  const sent = new Set(); // client ids that the server has
  const listeners = [];
  let drawings = 0;

  /** `streamed` is true when nothing but the text of the stream grew. */
  function changed(streamed = false) {
    for (const listener of listeners) listener(state, streamed);
  }

  function merge(rows) {
    for (const row of rows) {
      const old = known.get(row.id);
      if (old && old.revision > row.revision) continue;
      drawings += 1;
      const wanted = row.replies.some(({ id }) => id === old?.wanted) ? old.wanted : undefined;
      known.set(row.id, { ...row, received: Date.now(), drawing: drawings, wanted });
      if (row.client_id) sent.add(row.client_id);
      if (row.deleted && state.reply?.message_id === row.id) state.reply = null;
      for (const reply of row.replies) follow(row, reply);
    }
    if (state.outbox.some((entry) => sent.has(entry.client_id))) {
      state.outbox = state.outbox.filter((entry) => !sent.has(entry.client_id));
    }
    arrange();
  }

  /** In order, and without a hole between what is shown and what was not fetched yet. */
  function arrange() {
    const floor = state.older ? state.floor : 0;
    const there = [...known.values()].filter((row) => !row.deleted && row.position >= floor);
    state.messages = there.sort((a, b) => a.position - b.position);
  }

  /** Take up a reply that began, let go of one that ended. */
  function follow(message, reply) {
    const mine = state.reply?.id === reply.id;
    if (!isActive(reply)) return mine && (state.reply = null);
    if (mine) return;
    const { id, text, status } = reply;
    state.reply = { id, message_id: message.id, seq: codePoints(text), text, status };
  }

  function snapshot(reply) {
    const mine = state.reply;
    const ahead = mine && reply?.text && mine.id === reply.id && mine.text.startsWith(reply.text);
    state.reply = ahead ? { ...mine, status: reply.status } : reply;
  }

  /** A fresh page, for whoever is too far behind: it replaces what is here. */
  function startAnew({ older, messages }) {
    known.clear();
    state.older = older;
    state.floor = messages[0]?.position ?? 0;
    state.from = null;
  }

  merge(page.messages);
  snapshot(page.reply);

  return {
    state,
    subscribe: (listener) => listeners.push(listener),
    /** Whether the server has the message that was sent under this id. */
    has: (client_id) => sent.has(client_id),
    /** A row by its id, deleted or not; undefined when it was never seen. */
    find: (id) => known.get(id),

    /** The whole answer to a hello. */
    settle(frame) {
      if (frame.revision >= state.revision) {
        if (frame.whole) startAnew(frame);
        state.revision = frame.revision;
        state.conversation = frame.conversation;
        merge(frame.messages);
        snapshot(frame.reply);
      }
      changed();
    },

    /** Newer rows. False when some in between are missing and have to be asked for. */
    advance({ revision, messages, conversation }) {
      merge(messages);
      if (conversation) state.conversation = conversation;
      const whole = revision <= state.revision + 1;
      if (whole) state.revision = Math.max(state.revision, revision);
      changed();
      return whole;
    },

    /** More text of the reply under way. False when a piece before it is missing. */
    append({ reply, seq, text, reset }) {
      const mine = state.reply;
      if (!mine) return false;
      if (mine.id !== reply) return true;
      const start = seq - codePoints(text);
      if (!reset && start > mine.seq) return false;
      if (!reset && seq <= mine.seq) return true;
      mine.text = reset ? text : mine.text + skipCodePoints(text, mine.seq - start);
      mine.seq = seq;
      mine.status = "streaming";
      changed(!reset);
      return true;
    },

    /** What the server stored for a send, a new version or a continued one. */
    accept({ message, answer, revision }) {
      merge([message, answer].filter(Boolean));
      if (revision === state.revision + 1) state.revision = revision;
      state.from = null;
      changed();
    },

    /** Rows that an act gave back. */
    take(rows) {
      merge(rows);
      changed();
    },

    /** A version that an act gave back without its message. */
    takeReply(reply) {
      const message = state.messages.find(({ replies }) => replies.some(({ id }) => id === reply.id));
      if (!message) return;
      const replies = message.replies.map((one) => (one.id === reply.id ? reply : one));
      merge([{ ...message, replies }]);
      changed();
    },

    /** Deleted here; the server's own rows follow. */
    drop(ids) {
      merge(ids.map((id) => ({ ...known.get(id), deleted: true, replies: [] })));
      changed();
    },

    /** Show a version that is not chosen on the server yet; null: what the server says. */
    want(id, wanted) {
      known.get(id).wanted = wanted ?? undefined;
      changed();
    },

    prepend(rows, more) {
      state.older = more;
      state.floor = Math.min(state.floor, rows[0]?.position ?? state.floor);
      state.fetching = false;
      state.from = 0;
      merge(rows);
      changed();
    },

    set(fields) {
      Object.assign(state, fields);
      changed();
    },
  };
}
