// What the page says: to everybody for a few seconds, and to screen readers.

import { $, fill, h } from "./dom.js";
import { has, t } from "./i18n.js";
import { ApiError } from "./api.js";

let timer = 0;

/** Say something to screen readers only. */
export function say(text) {
  $("live").textContent = text;
}

/** Show a line for a while, and say it; `action` is {text, run} for a button in it. */
export function notify(text, { action = null, bad = false } = {}) {
  const box = $("notice");
  fill(
    box,
    h("span", {}, text),
    action && h("button", { type: "button", class: "link", onclick: () => (hide(), action.run()) }, action.text),
    h("button", { type: "button", class: "quiet", "aria-label": t("close"), onclick: hide }, "×"),
  );
  box.classList.toggle("bad", bad);
  box.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(hide, bad ? 9000 : 5000);
}

function hide() {
  $("notice").hidden = true;
}

/** What went wrong, in the reader's language if there are words for it. */
export function reason(error) {
  if (!(error instanceof ApiError)) return String(error.message ?? error);
  const where = error.line ? ` (${t("error.where", { line: error.line, column: error.column ?? 1 })})` : "";
  const key = `error.${error.code}`;
  return (has(key) ? t(key) : error.message) + where;
}

/** Run something; what goes wrong in it is shown. */
export async function attempt(task) {
  try {
    return await task();
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    notify(reason(error), { bad: true });
    return undefined;
  }
}
