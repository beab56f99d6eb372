// The engine's view: starting and stopping a search, its stream of results, and the panel that shows them.

import * as api from "./api.js";
import { $, fill, h } from "./dom.js";
import { playTurn, shown } from "./game.js";
import { t } from "./i18n.js";
import { attempt, notify, reason, say } from "./notices.js";
import { percent, signed } from "./position.js";
import { mode, set, state, watch } from "./state.js";
import { tellTurn } from "./turn.js";
import { knowledge } from "./view.js";

const KEPT = 500;
const COMPILING = -1; // in the place of a number of searches before ours
const PAUSE = 150; // ms without walking on before a search begins

let controller = null;
let timer = 0;
let asked = 0; // seconds of the search that runs

function keep(position, line) {
  const found = new Map(state.found);
  found.delete(position);
  found.set(position, line);
  if (found.size > KEPT) found.delete(found.keys().next().value);
  set({ found });
}

/** Analyse the shown position now. */
async function run() {
  stopSearch();
  const position = shown();
  if (state.board?.outcome) return;
  const mine = new AbortController();
  controller = mine;
  asked = state.seconds;
  set({ running: position, waiting: 0 });
  const impatient = setTimeout(() => prepares(mine), 2500);
  try {
    await api.analyze(
      { position, seconds: asked },
      (line) => {
        if (controller !== mine) return;
        if ("queued" in line) set({ waiting: line.queued });
        else if (line.black) {
          if (state.waiting) set({ waiting: 0 });
          keep(position, { ...line, asked });
        }
      },
      mine.signal,
    );
    if (controller === mine && shown() === position) tellResult();
  } catch (error) {
    if (error.name !== "AbortError" && controller === mine) {
      notify(reason(error), { bad: true });
      set({ analysing: false });
    }
  } finally {
    clearTimeout(impatient);
    if (controller === mine) {
      controller = null;
      set({ running: null, waiting: 0 });
    }
  }
}

/** Where nothing comes for a while, say so if the server is still compiling its code, which it does once. */
async function prepares(mine) {
  const { warm } = await api.about().catch(() => ({ warm: true }));
  if (!warm && controller === mine && !state.found.has(state.running)) set({ waiting: COMPILING });
}

function stopSearch() {
  clearTimeout(timer);
  controller?.abort();
  controller = null;
  set({ running: null, waiting: 0 });
}

/** Begin to analyse whatever is shown, or stop; what has been found stays. */
export function toggleAnalysis() {
  set({ analysing: !state.analysing });
}

function tellResult() {
  const found = knowledge();
  if (found) say(t("analysis.done", { value: signed(found.value) }));
}

/** Whether the shown position needs (more of) a search. */
function wanted() {
  const found = state.found.get(shown());
  return state.analysing && mode().hints?.() && !(found?.final && found.asked >= state.seconds) && !state.board?.outcome;
}

function follow() {
  if (state.running === shown() && asked === state.seconds && state.analysing && mode().hints?.()) return;
  stopSearch();
  if (wanted()) timer = setTimeout(run, PAUSE);
}

const share = (part) => `${percent(part)} %`;

function squares(colour, strategy) {
  const top = Object.entries(strategy).slice(0, 4);
  const most = Math.max(...top.map(([, part]) => part), 1e-9);
  return h(
    "table",
    { class: `mixture ${colour}` },
    h("caption", {}, t(`colour.${colour}`)),
    h(
      "tbody",
      {},
      top.map(([square, part]) => {
        const meter = h("span", { class: "meter" });
        meter.style.setProperty("--part", `${(100 * part) / most}%`);
        return h("tr", {}, h("th", { scope: "row" }, square), h("td", { class: "track" }, meter), h("td", {}, share(part)));
      }),
    ),
  );
}

/** Show the likely continuations, in place: a button that is replaced while it is pressed would miss its click. */
function showLines(next) {
  const list = $("lines");
  while (list.children.length > next.length) list.lastElementChild.remove();
  while (list.children.length < next.length) {
    const parts = ["chance", "moves", "value"].map((name) => h("span", { class: name }));
    const button = h("button", { type: "button", class: "line", onclick: () => attempt(() => playFirst(button.firstTurn)) }, parts);
    list.append(h("li", {}, button));
  }
  for (const [i, { turns, probability, value }] of next.entries()) {
    const button = list.children[i].firstElementChild;
    button.firstTurn = turns[0];
    button.children[0].textContent = share(probability);
    fill(button.children[1], turns.map((turn) => h("span", {}, turn)));
    button.children[2].textContent = signed(value);
  }
}

async function playFirst(turn) {
  const played = await playTurn(...turn.split(" "));
  if (played) await tellTurn(played);
}

/** The words that came with a result: a list, or one for each language. */
const wordsOf = (found) => (Array.isArray(found.words) ? found.words : (found.words?.[state.lang] ?? found.words?.en ?? []));

function show() {
  const known = knowledge();
  const over = state.board?.outcome;
  const toggle = $("analysis-toggle");
  toggle.setAttribute("aria-checked", String(state.analysing));
  $("analysis").classList.toggle("running", state.running !== null);
  $("analysis-value").textContent = known && known.value !== null && !over ? signed(known.value) : "";
  const bounds = known && !known.fromRecord && (known.lower > -1 || known.upper < 1);
  const lines_ = [];
  if (over) lines_.push(t("analysis.over"));
  else if (known?.fromReview) lines_.push(t("analysis.review"));
  else if (known?.fromRecord) lines_.push(t("analysis.record"));
  else if (known) {
    lines_.push(t("analysis.score", { score: Math.round(50 + 50 * known.value) }));
    if (bounds) {
      lines_.push(
        known.upper - known.lower < 2e-6
          ? t("analysis.exact")
          : t("analysis.proved", { lower: signed(known.lower), upper: signed(known.upper) }),
      );
    }
  } else if (!state.running) lines_.push(t("analysis.hint"));
  fill($("analysis-summary"), lines_.map((text) => h("span", {}, text)));
  const key = state.waiting === COMPILING ? "analysis.prepares" : "analysis.queued";
  const waiting = state.running && state.waiting ? t(key, { n: state.waiting }) : null;
  $("analysis-work").textContent = waiting
    ?? (known?.nodes !== undefined
      ? t(known.stopped_by === "memory" ? "analysis.full" : "analysis.work", { nodes: known.nodes.toLocaleString(state.lang), seconds: known.seconds.toLocaleString(state.lang, { maximumFractionDigits: 1 }) })
      : state.running ? t("analysis.begins") : "");
  $("mixtures").hidden = !known || over;
  if (known) fill($("mixtures"), ["black", "white"].map((colour) => squares(colour, known[colour])));
  const next = known && !over ? (known.continuations ?? []) : [];
  $("lines-part").hidden = !next.length;
  showLines(next);
  const words = known && !over ? wordsOf(known) : [];
  $("words").hidden = !words.length;
  $("words").lang = known && Array.isArray(known.words) ? "en" : state.lang;
  fill($("words"), words.map((text) => h("p", {}, text)));
}

/** Wire up the panel. */
export function initAnalysis() {
  $("analysis-toggle").addEventListener("click", toggleAnalysis);
  for (const button of document.querySelectorAll("[data-map]")) {
    button.addEventListener("click", () => set({ map: button.dataset.map }));
  }
  $("threats").addEventListener("click", () => set({ threats: !state.threats }));
  $("seconds").addEventListener("change", (event) => set({ seconds: Number(event.target.value) }));
  watch(["map", "threats", "seconds"], () => {
    for (const button of document.querySelectorAll("[data-map]")) {
      button.setAttribute("aria-pressed", String(button.dataset.map === state.map));
    }
    $("threats").setAttribute("aria-pressed", String(state.threats));
    $("seconds").value = String(state.seconds);
  });
  watch(["game", "at", "board", "analysing", "seconds", "mode"], follow);
  watch(["game", "at", "board", "found", "review", "running", "waiting", "analysing", "lang"], show);
  watch(["analysing"], () => say(t(state.analysing ? "analysis.on" : "analysis.off")));
}
