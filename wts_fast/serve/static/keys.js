// The keyboard. Letters A to I with a digit name squares, so commands use other keys.

import { $, fill, h } from "./dom.js";
import { goTo, redo, undo } from "./game.js";
import { t } from "./i18n.js";
import { say } from "./notices.js";
import { squareNamed } from "./position.js";
import { mode, NO_CHOICE, set, setMode, state, watch } from "./state.js";
import { toggleAnalysis } from "./analysis.js";
import { nextTool } from "./setup.js";
import { shareLink } from "./share.js";
import { again, finish } from "./turn.js";
import { focusedBoard } from "./view.js";
import { back, forward } from "./walk.js";

const MAPS = ["black", "white", "both", "off"];

/** [keys as event.key, as shown, name of the text, what they do] */
const COMMANDS = [
  [["p"], "P", "keys.play", () => mode().submit()],
  [["x"], "X", "keys.hand", () => (state.mode === "setup" ? nextTool() : swapHand())],
  [["k", "ArrowLeft"], "K ←", "keys.previous", back],
  [["j", "ArrowRight"], "J →", "keys.next", forward],
  [["Home"], "Home", "keys.first", () => goTo(0)],
  [["End"], "End", "keys.last", () => goTo(Infinity)],
  [["r"], "R", "keys.again", () => again()],
  [["z", "Backspace"], "Z", "keys.undo", undo],
  [["y"], "Y", "keys.redo", redo],
  [["l"], "L", "keys.analysis", toggleAnalysis],
  [["m"], "M", "keys.map", nextMap],
  [["t"], "T", "keys.threats", () => set({ threats: !state.threats })],
  [["v"], "V", "keys.animation", () => set({ animation: !state.animation })],
  [["u"], "U", "keys.setup", () => setMode(state.mode === "setup" ? "analyse" : "setup")],
  [["o"], "O", "keys.open", () => $("load-dialog").showModal()],
  [["s"], "S", "keys.share", shareLink],
  [["n"], "N", "keys.board", () => focusedBoard().focus()],
  [["?"], "?", "keys.help", () => $("keys-dialog").showModal()],
];

let file = null; // the letter of a square that is being typed

function swapHand() {
  if (mode().hands?.().length !== 2) return;
  set({ hand: state.hand === "black" ? "white" : "black" });
  say(t(`turn.to.${state.hand}`));
}

function nextMap() {
  set({ map: MAPS[(MAPS.indexOf(state.map) + 1) % MAPS.length] });
  say(t(`map.${state.map}`));
}

function onKey(event) {
  const { key, target } = event;
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (target.closest("input, textarea, select")) return;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && ["z", "y", "Z"].includes(key)) {
    event.preventDefault();
    if (key === "z") undo();
    else redo();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "Escape") {
    if (state.frame) finish();
    else set({ choice: NO_CHOICE, hand: mode().hands?.()[0] ?? "black" });
    file = null;
    return;
  }
  if (/^[a-i]$/i.test(key)) {
    file = key;
    return;
  }
  const square = file && squareNamed(file + key);
  file = null;
  if (square) {
    event.preventDefault();
    focusedBoard().moveTo(square, false);
    mode().choose(square, state.hand);
    return;
  }
  const lower = key.length === 1 ? key.toLowerCase() : key;
  // Arrows, Home and End are left to elements that use them.
  if (key.length > 1 && target.closest("[role=radiogroup], [role=slider], .scrolls")) return;
  if (key === "Enter" && target === document.body) {
    mode().submit();
    return;
  }
  const command = COMMANDS.find(([keys]) => keys.includes(lower));
  if (command) {
    event.preventDefault();
    command[3]();
  }
}

/** Listen to keys, and list them. */
export function initKeys() {
  document.addEventListener("keydown", onKey);
  $("keys").addEventListener("click", () => $("keys-dialog").showModal());
  watch(["lang"], () => {
    const rows = [
      ["A–I 1–9", t("keys.square")],
      ["↑ ↓ ← →", t("keys.cursor")],
      [t("keys.space"), t("keys.choose")],
      ["Enter", t("keys.enter")],
      ...COMMANDS.map(([, shown, text]) => [shown, t(text)]),
      ["Esc", t("keys.escape")],
    ];
    fill($("keys-list"), rows.map(([keys, text]) => h("tr", {}, h("th", { scope: "row" }, keys.split(" ").map((key) => h("kbd", {}, key))), h("td", {}, text))));
  });
}
