// Puts the page together.

import { initAnalysis } from "./analysis.js";
import { $ } from "./dom.js";
import { initGraph } from "./graph.js";
import { LANGUAGES, preferred, t, useLanguage } from "./i18n.js";
import { initKeys } from "./keys.js";
import { attempt } from "./notices.js";
import { icon } from "./pieces.js";
import { initPlay } from "./play.js";
import { initRecord } from "./record.js";
import { initSetup } from "./setup.js";
import { keepSettings, nextTheme, remember, restore, theme } from "./settings.js";
import { initShare, useHash } from "./share.js";
import { set, setMode, state, watch } from "./state.js";
import { initTurn } from "./turn.js";
import { initTutorial } from "./tutorial.js";
import { initView } from "./view.js";
import { initWalk } from "./walk.js";

function showIcons() {
  for (const element of document.querySelectorAll("[data-icon]")) element.innerHTML = icon(element.dataset.icon);
}

function showTheme() {
  $("theme").setAttribute("aria-label", t(`theme.${theme()}`));
  $("theme").title = t(`theme.${theme()}`);
}

async function changeLanguage(name) {
  await useLanguage(name);
  remember("lang", name);
  set({ lang: name });
}

function initHeader() {
  for (const button of document.querySelectorAll("[data-mode]")) {
    button.addEventListener("click", () => setMode(button.dataset.mode));
  }
  watch(["mode"], () => {
    document.body.dataset.mode = state.mode;
    const tab = state.mode === "setup" ? "analyse" : state.mode;
    for (const button of document.querySelectorAll("[data-mode]")) {
      button.setAttribute("aria-current", button.dataset.mode === tab ? "page" : "false");
    }
  });
  $("language").addEventListener("click", () =>
    attempt(() => changeLanguage(LANGUAGES[(LANGUAGES.indexOf(state.lang) + 1) % LANGUAGES.length])),
  );
  $("theme").addEventListener("click", () => {
    nextTheme();
    showTheme();
  });
  watch(["lang"], () => {
    showIcons();
    showTheme();
  });
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.querySelector(".close")?.addEventListener("click", () => dialog.close());
  }
}

async function begin() {
  const address = location.hash; // before the page writes its own
  initTurn();
  initView(); // the board first: it needs no server and no language
  for (const init of [initHeader, initWalk, initAnalysis, initSetup, initRecord, initShare, initGraph, initPlay, initTutorial, initKeys]) init();
  const chosen = restore();
  await attempt(() => useLanguage(preferred(chosen)));
  // Everything is shown once, as if all had changed.
  const all = { ...state, lang: document.documentElement.lang };
  for (const key of Object.keys(state)) state[key] = undefined;
  set(all);
  keepSettings();
  await useHash(address);
  document.body.dataset.ready = ""; // for who waits for it
}

begin();
