// Playing against the engine. It seals its square (a salted hash) before ours is chosen; the page checks the seal when
// the square is shown. Lives in #play.

import * as api from "./api.js";
import { $, fill, h } from "./dom.js";
import { gameFrom, playTurn, replaceGame, shown } from "./game.js";
import { pick, t } from "./i18n.js";
import { attempt, notify, reason, say } from "./notices.js";
import { START } from "./position.js";
import { addMode, NO_CHOICE, set, setMode, state, watch } from "./state.js";
import { choose, ready, tellTurn } from "./turn.js";

let levels = null;
let session = null; // {own, level, game: as we know it, seal: {game, commitment, position} or null, proof, failed}
let hints = false;

const other = (colour) => (colour === "black" ? "white" : "black");
const atEnd = () => state.at === state.game.turns.length;
const touch = () => set({ sealed: state.sealed + 1 });

/** Whether a seal is what it must be: the one that was shown before, and that of this square. Null: cannot be told. */
async function verify(seal, { square, salt, commitment }) {
  if (!globalThis.crypto?.subtle) return null;
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${square} ${salt}`));
  const digest = [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digest === seal.commitment && commitment === seal.commitment;
}

/** Let the engine choose for the last position of the game. */
async function seal() {
  const mine = session;
  const { game } = state;
  const position = game.positions.at(-1);
  Object.assign(mine, { seal: null, failed: false, game });
  touch();
  try {
    if ((await api.board(position)).outcome) return;
    const answer = await api.commit(position, other(mine.own), mine.level);
    if (session !== mine || mine.game !== game) return; // something else is on the board by now
    mine.seal = { ...answer, position };
    say(t("play.yours"));
  } catch (error) {
    if (session !== mine || mine.game !== game) return;
    mine.failed = true;
    notify(reason(error), { bad: true });
  } finally {
    touch();
  }
}

async function submit() {
  if (!session || session.revealing || !ready()) return;
  const { seal: sealed, own } = session;
  const mine = session;
  const square = state.choice[own];
  let answer;
  mine.revealing = true;
  try {
    answer = await api.reveal(sealed.game, square);
  } catch (error) {
    notify(reason(error), { bad: true });
    if (error.code === "game" && session === mine) await seal();
    return;
  } finally {
    mine.revealing = false;
  }
  if (session !== mine || shown() !== sealed.position) return;
  mine.seal = null; // it can be used once
  mine.proof = { ...answer, right: await verify(sealed, answer) };
  const pair = own === "black" ? [square, answer.square] : [answer.square, square];
  api.knowTurn(sealed.position, ...pair, answer.turn);
  await attempt(async () => {
    const turn = await playTurn(...pair);
    set({ hand: own });
    if (!turn) return;
    seal(); // while the turn is told
    await tellTurn(turn);
  });
}

function begin(own, level, position) {
  session = { own, level, game: null, seal: null, proof: null, failed: false };
  const names = { [own]: t("play.you"), [other(own)]: t("play.engine", { level }) };
  replaceGame({ ...gameFrom(position), tags: { Black: names.black, White: names.white } });
  set({ hand: own });
  seal();
}

function end() {
  session = null;
  touch();
}

// ---- the panel

async function loadLevels() {
  levels ??= await attempt(api.levels);
  showLevels();
}

function showLevels() {
  if (!levels) return;
  const chosen = $("play-form").elements.level?.value ?? "1";
  fill($("play-levels"), [
    h("legend", {}, t("play.level")),
    ...levels.map(({ number, name, about }) =>
      h(
        "label",
        { class: "level" },
        h("input", { type: "radio", name: "level", value: String(number), checked: String(number) === chosen }),
        h("strong", {}, `${number} ${pick(name)}`),
        h("small", {}, pick(about)),
      ),
    ),
  ]);
}

function standing() {
  const { outcome } = state.board ?? {};
  if (outcome && atEnd()) return t(outcome === "draw" ? "play.drawn" : outcome === session.own ? "play.won" : "play.lost");
  if (!atEnd()) return t("play.back");
  return session.seal ? t("play.yours") : session.failed ? "" : t("play.thinking");
}

function show() {
  $("play").hidden = state.mode !== "play";
  if (state.mode === "play" && hints) document.body.dataset.hints = "";
  else delete document.body.dataset.hints;
  if (state.mode !== "play") return;
  $("play-form").hidden = Boolean(session);
  $("play-game").hidden = !session;
  $("play-hints").setAttribute("aria-pressed", String(hints));
  if (!session || state.frame) return;
  const level = levels?.find(({ number }) => number === session.level);
  $("play-who").textContent = `${t(`colour.${session.own}`)} – ${t("play.level")} ${session.level}${level ? ` (${pick(level.name)})` : ""}`;
  const over = Boolean(state.board?.outcome) && atEnd();
  $("play-status").textContent = standing();
  $("play-status").classList.toggle("over", over);
  $("play-seal").hidden = !session.seal;
  if (session.seal) fill($("play-seal"), t("play.sealed"), h("code", {}, session.seal.commitment));
  const { proof } = session;
  $("play-proof").hidden = !proof;
  if (proof) {
    const key = { true: "verified", false: "broken", null: "unchecked" }[proof.right];
    $("play-proof").className = { true: "ok", false: "wrong", null: "hint" }[proof.right];
    $("play-proof").textContent = `${proof.square}: ${t(`play.${key}`, proof)}`;
  }
  $("play-retry").hidden = !session.failed;
  $("play-again").hidden = $("play-review").hidden = !over;
}

/** Make the mode known and wire up its panel. */
export function initPlay() {
  addMode({
    name: "play",
    enter() {
      loadLevels();
      if (session && session.game !== state.game) end();
      if (session) set({ hand: session.own });
    },
    choose(square) {
      if (session && !atEnd()) notify(t("play.back"));
      else if (session) choose(square, session.own);
    },
    submit,
    hands: () => (session && atEnd() ? [session.own] : []),
    sealed: () => Boolean(session?.seal),
    hints: () => hints,
  });
  $("play-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const { colour, level, from } = event.target.elements;
    if (!level?.value) return;
    const usable = from.checked && !state.board?.outcome;
    begin(colour.value, Number(level.value), usable ? shown() : START);
  });
  $("play-retry").addEventListener("click", seal);
  $("play-again").addEventListener("click", () => begin(session.own, session.level, state.game.start));
  $("play-give").addEventListener("click", end);
  $("play-review").addEventListener("click", () => {
    setMode("analyse");
    $("review-start").click();
    $("review").scrollIntoView({ block: "nearest" });
  });
  $("play-hints").addEventListener("click", () => {
    hints = !hints;
    show();
    set({ analysing: hints, sealed: state.sealed + 1 });
  });
  // A turn taken back: the engine chooses again for what is on the board now.
  watch(["game"], () => {
    if (state.mode !== "play" || !session || session.game === null || session.game === state.game) return;
    setTimeout(() => {
      if (session && session.game !== state.game) {
        session.proof = null;
        set({ choice: NO_CHOICE, hand: session.own });
        seal();
      }
    });
  });
  watch(["mode", "board", "at", "frame", "sealed", "lang"], show);
  watch(["lang"], showLevels);
}
