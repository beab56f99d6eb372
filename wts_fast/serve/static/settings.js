// What the page remembers on this machine. A browser that keeps nothing is no reason to stop.

import { LANGUAGES } from "./i18n.js";
import { set, state, watch } from "./state.js";

const NAME = "wts-fast";
const KEPT = ["map", "threats", "animation", "seconds", "analysing"];
const VALID = {
  map: (v) => ["off", "black", "white", "both"].includes(v),
  threats: (v) => typeof v === "boolean",
  animation: (v) => typeof v === "boolean",
  seconds: (v) => [2, 5, 15, 60].includes(v),
  analysing: (v) => typeof v === "boolean",
};

/** All that is remembered. */
export function stored() {
  try {
    return JSON.parse(localStorage.getItem(NAME)) ?? {};
  } catch {
    return {};
  }
}

/** Take over what was remembered; returns the language chosen before, if any. */
export function restore() {
  const known = stored();
  const patch = { animation: !matchMedia("(prefers-reduced-motion: reduce)").matches };
  for (const key of KEPT) if (VALID[key](known[key])) patch[key] = known[key];
  set(patch);
  const { lang } = known;
  return LANGUAGES.includes(lang) ? lang : null;
}

/** From now on remember what is changed. */
export function keepSettings() {
  for (const key of KEPT) watch([key], () => remember(key, state[key]));
}

/** Remember one thing. */
export function remember(key, value) {
  try {
    localStorage.setItem(NAME, JSON.stringify({ ...stored(), [key]: value }));
  } catch {
    // Private windows may refuse; the page works without.
  }
}

/** "auto", "light" or "dark". */
export const theme = () => document.documentElement.dataset.theme ?? "auto";

/** Change the theme to the next one. */
export function nextTheme() {
  const next = { auto: "light", light: "dark", dark: "auto" }[theme()];
  document.documentElement.dataset.theme = next;
  remember("theme", next);
  return next;
}
