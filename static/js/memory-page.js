/* The page of memories, kept in step with every other one. */
import { createMemories } from "./memories.js";
import { connect } from "./socket.js";

const memories = createMemories(document.querySelector("#memory-page, .memories"));

connect("/ws/memories/", {
  hello: () => ({ revision: 0 }),
  onFrame: ({ revision }) => memories.heard(revision),
  onStatus: () => {},
});
