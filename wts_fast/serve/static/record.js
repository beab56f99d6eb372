// Records and positions that come as text: pasted, dropped, or from a file; and records that go out.

import * as api from "./api.js";
import { $, fill, h } from "./dom.js";
import { replaceGame } from "./game.js";
import { t } from "./i18n.js";
import { attempt, notify, say } from "./notices.js";
import { parsePosition } from "./position.js";
import { setMode, state, watch } from "./state.js";
import { usePosition } from "./setup.js";

const MOST = 1 << 20; // what the server takes

let games = [];

/** Take over a position or a record, whichever the text is; true if it is one. */
async function useText(text) {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (!trimmed) return false;
  if (parsePosition(trimmed)) return usePosition(trimmed);
  const loaded = await attempt(() => api.record(text.replace(/^\uFEFF/, "")));
  if (!loaded?.length) {
    if (loaded) notify(t("record.none"), { bad: true });
    return false;
  }
  games = loaded;
  fill($("games"), games.map((game, i) => h("option", { value: String(i) }, title(game, i))));
  $("games-part").hidden = games.length < 2;
  useGame(0);
  return true;
}

const title = ({ tags, result, moves }, i) =>
  `${i + 1}. ${tags.Black ?? "?"} – ${tags.White ?? "?"}, ${t("record.turns", { n: moves.length })}, ${result}`;

function useGame(index) {
  const game = games[index];
  if (["play", "tutorial"].includes(state.mode)) setMode("analyse");
  replaceGame({ tags: game.tags, start: game.start, turns: game.moves, positions: game.positions, notes: game.notes ?? {} }, 0);
  const text = t("record.loaded", { black: game.tags.Black ?? "?", white: game.tags.White ?? "?", n: game.moves.length });
  notify(text);
  say(text);
}

async function useFile(file) {
  if (file.size > MOST) {
    notify(t("record.large"), { bad: true });
    return;
  }
  await useText(await file.text());
}

/** The record of the game on the board, with the values that are known now. */
async function recordText() {
  const notes = { ...state.game.notes };
  for (const [n, position] of state.game.positions.entries()) {
    const found = state.found.get(position);
    if (!found) continue;
    const rounded = (strategy) =>
      Object.fromEntries(
        Object.entries(strategy).map(([square, part]) => [square, Math.floor(1000 * part) / 1000]).filter(([, part]) => part > 0),
      );
    notes[n] = {
      text: notes[n]?.text ?? "",
      value: Math.round(1000 * found.value) / 1000,
      black: rounded(found.black),
      white: rounded(found.white),
    };
  }
  return api.write({ ...state.game, notes });
}

async function save() {
  const text = await attempt(recordText);
  if (text === undefined) return;
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const { Black, White } = state.game.tags;
  const name = [Black, White].filter(Boolean).join("-").replace(/[^\p{L}\p{N}-]+/gu, "_").slice(0, 60);
  h("a", { href: url, download: `${name || "game"}.wts` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Copy text, and say whether it worked. */
export async function copy(text, told) {
  try {
    await navigator.clipboard.writeText(text);
    notify(told);
  } catch {
    notify(t("copy.failed"), { bad: true });
  }
}

/** Wire up what takes and gives records. */
export function initRecord() {
  const dialog = $("load-dialog");
  $("load").addEventListener("click", () => dialog.showModal());
  $("load-file").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    dialog.close();
    await useFile(file);
  });
  $("load-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await useText($("load-text").value)) {
      $("load-text").value = "";
      dialog.close();
    }
  });
  $("save").addEventListener("click", save);
  $("copy-record").addEventListener("click", async () => {
    const text = await attempt(recordText);
    if (text !== undefined) await copy(text, t("copy.record"));
  });
  $("games").addEventListener("change", (event) => useGame(Number(event.target.value)));
  watch(["lang"], () => {
    for (const [i, option] of [...$("games").options].entries()) option.textContent = title(games[i], i);
  });

  const typing = (target) => target.closest?.("input, textarea, select");
  document.addEventListener("paste", (event) => {
    if (typing(event.target)) return;
    const text = event.clipboardData.getData("text");
    if (text) {
      event.preventDefault();
      useText(text);
    }
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const { files } = event.dataTransfer;
    const text = event.dataTransfer.getData("text");
    if (files.length) useFile(files[0]);
    else if (text) useText(text);
  });
}
