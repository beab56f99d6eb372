// Texts in the reader's language. Elements with data-t hold a text of their own, data-t-label an aria-label.

export const LANGUAGES = ["en", "de"];

let texts = {};
let language = "en";

/** The language that texts are in now. */
export const lang = () => language;

/** Return the text named `key`, with {names} filled in; a text that is missing shows its name. */
export function t(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Whether there is a text of that name. */
export const has = (key) => key in texts;

/** Choose from {en: …, de: …}. */
export const pick = (both) => both[language] ?? both.en ?? "";

/** The language to begin with: the one chosen before, or the browser's. */
export const preferred = (chosen) =>
  [chosen, ...navigator.languages.map((name) => name.slice(0, 2))].find((name) => LANGUAGES.includes(name)) ?? "en";

/** Load a language's texts and put them into the page. */
export async function useLanguage(name) {
  const response = await fetch(`/static/lang/${name}.json`);
  if (!response.ok) throw new Error(`no texts for ${name}`);
  texts = await response.json();
  language = name;
  document.documentElement.lang = name;
  document.title = t("title");
  translate(document);
}

/** Put texts into what is marked below `root`. */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll("[data-t-label]")) {
    element.setAttribute("aria-label", t(element.dataset.tLabel));
    if (!element.matches("section, nav, div, ul, ol, table")) element.title = t(element.dataset.tLabel);
  }
}
