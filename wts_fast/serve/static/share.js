// Links that hold what is on the board: #p=<position>&m=<turns>&n=<turns shown>. Nothing of it leaves the machine.

import { $ } from "./dom.js";
import { gameFrom, replaceGame, replay } from "./game.js";
import { t } from "./i18n.js";
import { attempt, notify } from "./notices.js";
import { START } from "./position.js";
import { state, watch } from "./state.js";
import { copy } from "./record.js";

const MOST = 400; // turns that a link may hold

let written = null;

/** The part of the address behind # for the game on the board. */
export function hash({ game, at } = state) {
  const parts = [];
  // In a position text only the blank needs another sign.
  if (game.start !== START) parts.push(`p=${game.start.replace(" ", "_")}`);
  if (game.turns.length) parts.push(`m=${game.turns.map((turn) => turn.join("")).join(".")}`);
  if (at !== game.turns.length) parts.push(`n=${at}`);
  return parts.length ? `#${parts.join("&")}` : "";
}

/** Read such a part; null if it is none. */
function readHash(text) {
  const fields = new URLSearchParams(text.replace(/^#/, ""));
  if (!fields.has("p") && !fields.has("m")) return null;
  const start = (fields.get("p") ?? START).replace("_", " ");
  const turns = (fields.get("m") ?? "").split(".").filter(Boolean).map((turn) => [turn.slice(0, 2), turn.slice(2)]);
  const at = fields.has("n") ? Number(fields.get("n")) : turns.length;
  return { start, turns, at: Number.isInteger(at) && at >= 0 ? Math.min(at, turns.length) : turns.length };
}

/** Take over what an address says behind #; true if it says something. */
export async function useHash(text) {
  const told = readHash(text);
  if (!told) return false;
  if (told.turns.length > MOST) {
    notify(t("share.long"), { bad: true });
    return false;
  }
  const game = await attempt(() => (told.turns.length ? replay(told.start, told.turns) : gameFromText(told.start)));
  if (!game) return false;
  replaceGame(game, told.at);
  return true;
}

async function gameFromText(text) {
  return gameFrom((await replay(text, [])).start);
}

/** Copy the link. */
export const shareLink = () => copy(location.href, t("copy.link"));

/** Keep the address up to date, and follow it. */
export function initShare() {
  $("share").addEventListener("click", shareLink);
  watch(["game", "at", "mode"], () => {
    if (state.mode === "tutorial") return;
    written = hash();
    history.replaceState(null, "", written || location.pathname);
  });
  addEventListener("hashchange", () => {
    if (location.hash !== written) useHash(location.hash);
  });
}
