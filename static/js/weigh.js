/*
 * What a character weighs while it is written: tokens, counted by the server as the model counts
 * them, and characters of what is short. Without this script the numbers are those of the last save.
 */
const PAUSE = 500; // milliseconds without a key

const csrf = document.querySelector("[name=csrfmiddlewaretoken]")?.value;

function texts(form) {
  const told = new FormData();
  for (const place of form.querySelectorAll("[data-tokens]")) {
    const field = form.elements[place.dataset.tokens];
    if (field) told.set(field.name, field.value);
  }
  return told;
}

function show(form, counted) {
  for (const place of form.querySelectorAll("[data-tokens]")) {
    place.textContent = counted[place.dataset.tokens].toLocaleString(document.documentElement.lang);
  }
  form.querySelector("meter").value = counted.total;
}

/** The answer to an older question must not replace that to a newer one. */
let asked = null;

async function weigh(form) {
  asked?.abort();
  asked = new AbortController();
  const options = { method: "POST", body: texts(form), headers: { "X-CSRFToken": csrf } };
  try {
    const answer = await fetch(form.dataset.weighs, { ...options, signal: asked.signal });
    if (answer.ok) show(form, await answer.json());
  } catch {
    // Offline, or asked again: the next key asks anew.
  }
}

for (const form of document.querySelectorAll("[data-weighs]")) {
  let timer = 0;
  form.addEventListener("input", (event) => {
    if (!form.querySelector(`[data-tokens="${CSS.escape(event.target.name)}"]`)) return;
    clearTimeout(timer);
    timer = setTimeout(weigh, PAUSE, form);
  });
}

for (const place of document.querySelectorAll("[data-counts]")) {
  const field = document.getElementById(place.dataset.counts);
  field.addEventListener("input", () => {
    const length = [...field.value.normalize("NFC")].length; // code points, as the server counts
    place.textContent = `${length}/${place.dataset.most}`;
    place.classList.toggle("over", length > Number(place.dataset.most));
  });
}
