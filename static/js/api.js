/* Commands of one talk, over HTTP. Never throws: status 0 is "the server could not be reached". */

const PATIENCE = 20000; // ms
const DRAFTING = 100000; // ms that a model may take for a line

export function csrfToken() {
  const cookie = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
  return cookie ? cookie[1] : document.querySelector("[name=csrfmiddlewaretoken]").value;
}

/** Calls below `base`; the answer is {ok, status, data, after: seconds that the server asks for}. */
export function api(base) {
  async function call(method, path, body, signal = AbortSignal.timeout(PATIENCE)) {
    try {
      const response = await fetch(base + path, {
        method,
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
        body: body && JSON.stringify(body),
        signal,
      });
      const data = await response.json().catch(() => ({}));
      const after = Number(response.headers.get("Retry-After")) || 0;
      return { ok: response.ok, status: response.status, data, after };
    } catch {
      return { ok: false, status: 0, data: {}, after: 0 };
    }
  }
  return {
    send: (client_id, text) => call("POST", "messages", { client_id, text }),
    stop: () => call("POST", "stop"),
    before: (position, limit = 50) => call("GET", `messages?before=${position}&limit=${limit}`),
    edit: (message, text, revision) => call("PATCH", `messages/${message}`, { text, revision }),
    remove: (message, following) =>
      call("DELETE", `messages/${message}?following=${Boolean(following)}`),
    restore: (message) => call("POST", `messages/${message}/restore`),
    regenerate: (message, following) =>
      call("POST", `messages/${message}/regenerate${following ? "?following=true" : ""}`),
    editReply: (reply, text, revision) => call("PATCH", `replies/${reply}`, { text, revision }),
    removeReply: (reply) => call("DELETE", `replies/${reply}`),
    choose: (reply) => call("POST", `replies/${reply}/choose`),
    goOn: (reply) => call("POST", `replies/${reply}/continue`),
    impersonate(cancelled) {
      const late = setTimeout(() => cancelled.abort(), DRAFTING);
      const answer = call("POST", "impersonate", undefined, cancelled.signal);
      return answer.finally(() => clearTimeout(late));
    },
  };
}

/** Whether the same call may work later, without anybody changing anything. */
export const passes = ({ status }) => status === 0 || status === 408 || status === 429 || status >= 500;
