// Setting up a position: by its text, or piece by piece. Every change can be taken back.

import * as api from "./api.js";
import { $ } from "./dom.js";
import { gameFrom, replaceGame, shown } from "./game.js";
import { t } from "./i18n.js";
import { attempt, say } from "./notices.js";
import { copyOf, formatPosition, parsePosition, pieceOn, START } from "./position.js";
import { addMode, setMode, state, watch } from "./state.js";

const TOOLS = ["black", "white", "egg", "erase"];
let tool = "black";

function use(name) {
  tool = name;
  for (const button of document.querySelectorAll("[data-tool]")) {
    button.setAttribute("aria-pressed", String(button.dataset.tool === name));
  }
}

/** Take the next piece of the palette. */
export function nextTool() {
  use(TOOLS[(TOOLS.indexOf(tool) + 1) % TOOLS.length]);
  say(t(`setup.${tool}`));
}

let busy = Promise.resolve();

/** Put the piece of the palette on a square, or take it off where it lies already; one after the other. */
function put(square) {
  busy = busy.then(() => putNow(square));
  return busy;
}

async function putNow(square) {
  const pieces = copyOf(parsePosition(shown()));
  const there = pieceOn(pieces, square);
  pieces.black.delete(square);
  pieces.white.delete(square);
  pieces.eggs = pieces.eggs.filter((egg) => egg !== square);
  if (tool === "egg" && there !== "egg") pieces.eggs.push(square);
  else if (tool in pieces && tool !== "eggs" && there !== tool) pieces[tool].add(square);
  await usePosition(formatPosition(pieces));
}

/** Begin anew from a position's text; false if it is none. */
export async function usePosition(text) {
  const board = await attempt(() => api.board(text.trim()));
  if (!board) return false;
  replaceGame(gameFrom(board.position));
  return true;
}

/** Wire up the palette and the line of text. */
export function initSetup() {
  addMode({ name: "setup", choose: put, submit: () => setMode("analyse") });
  $("setup-toggle").addEventListener("click", () => setMode(state.mode === "setup" ? "analyse" : "setup"));
  $("setup-done").addEventListener("click", () => setMode("analyse"));
  $("setup-empty").addEventListener("click", () => usePosition(START));
  for (const button of document.querySelectorAll("[data-tool]")) button.addEventListener("click", () => use(button.dataset.tool));
  use("black");
  const form = $("position-form");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!(await usePosition($("position").value))) $("position").setAttribute("aria-invalid", "true");
  });
  $("position").addEventListener("input", () => $("position").removeAttribute("aria-invalid"));
  watch(["game", "at"], () => {
    $("position").value = shown();
    $("position").removeAttribute("aria-invalid");
  });
  watch(["mode"], () => {
    $("palette").hidden = state.mode !== "setup";
    $("setup-toggle").setAttribute("aria-pressed", String(state.mode === "setup"));
  });
  $("new-game").addEventListener("click", () => replaceGame(gameFrom(START)));
}
