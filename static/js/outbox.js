/*
 * Messages that the server has not taken yet, kept in this browser until it has (P3). Each has a
 * place of its own in the store, so that two tabs never write over one another.
 */

export function outbox(person, conversation) {
  const prefix = `reverie:${person}:out:${conversation}:`;

  function entry(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  return {
    /** What is kept, the oldest first. */
    read() {
      try {
        const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
        const found = keys.map(entry).filter(Boolean);
        return found.sort((a, b) => a.created_at.localeCompare(b.created_at));
      } catch {
        return [];
      }
    },

    put({ client_id, text, created_at }) {
      try {
        localStorage.setItem(prefix + client_id, JSON.stringify({ client_id, text, created_at }));
      } catch {
        // A full or forbidden store: the page itself still holds it.
      }
    },

    drop(client_id) {
      try {
        localStorage.removeItem(prefix + client_id);
      } catch {
        // Nothing was kept.
      }
    },

    /** `came(entry)` and `went(client_id)` when another tab of this browser does that. */
    watch({ came, went }) {
      addEventListener("storage", ({ key, newValue }) => {
        if (!key?.startsWith(prefix)) return;
        const kept = newValue && entry(key);
        if (kept) came(kept);
        else went(key.slice(prefix.length));
      });
    },
  };
}

/** Run `act` unless another tab is at it: null then. Where there are no locks, just run it. */
export function alone(name, act) {
  if (!navigator.locks) return act();
  return navigator.locks.request(`reverie:${name}`, { ifAvailable: true }, (lock) =>
    lock ? act() : null,
  );
}
