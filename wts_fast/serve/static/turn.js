// The next turn: naming both squares, and showing step by step what the turn does.

import * as api from "./api.js";
import { $, fill, h } from "./dom.js";
import { playTurn, shown } from "./game.js";
import { t } from "./i18n.js";
import { attempt, notify, say } from "./notices.js";
import { parsePosition, pieceOn } from "./position.js";
import { addMode, mode, NO_CHOICE, set, state, watch } from "./state.js";
import { moments, sentence } from "./story.js";

const other = (colour) => (colour === "black" ? "white" : "black");

let playing = null; // the animation that runs: an object, so that an older one sees that it is over

const hands = () => mode().hands?.() ?? [];

/** Whether all squares are named that are named here, so that the turn can be played. */
export const ready = () => hands().length > 0 && hands().every((colour) => state.choice[colour]) && (hands().length === 2 || mode().sealed());

/** Name a square for a colour; says why not if it is not free. */
export function choose(square, colour = state.hand) {
  finish();
  if (state.board?.outcome) {
    notify(t("turn.over"));
    return false;
  }
  const piece = pieceOn(parsePosition(shown()), square);
  if (piece) {
    notify(t("turn.occupied", { square, piece: t(`cell.${piece === "egg" ? "anegg" : piece}`) }));
    return false;
  }
  const choice = { ...state.choice, [colour]: state.choice[colour] === square ? null : square };
  const next = choice[colour] && !choice[other(colour)] && hands().length === 2 ? other(colour) : colour;
  set({ choice, hand: next });
  say(choice[colour] ? t(`turn.named.${colour}`, { square }) + (ready() ? ` ${t("turn.ready")}` : "") : t("turn.cleared"));
  return true;
}

/** Play the turn that is named. */
export async function submit() {
  const { black, white } = state.choice;
  if (!black || !white) {
    notify(t(black ? "turn.need.white" : "turn.need.black"));
    return;
  }
  await attempt(async () => {
    const turn = await playTurn(black, white);
    if (turn) await tellTurn(turn);
  });
}

/** Show a turn that has led to the shown position: all of it in words, and step by step if animation is on. */
export async function tellTurn({ before, events, story = null }, { animate = state.animation } = {}) {
  story ??= { frames: moments(before, events), events };
  const { frames } = story;
  const token = {};
  playing = token;
  say(events.map(sentence).join(" "));
  set({ story, frame: animate ? frames[0] : null });
  if (!animate) return;
  for (const frame of frames) {
    if (playing !== token || state.story !== story) return;
    set({ frame });
    await new Promise((resolve) => setTimeout(resolve, frame.ms));
  }
  if (playing === token && state.story === story) finish();
}

/** End the animation, if one runs. */
export function finish() {
  playing = null;
  if (state.frame) set({ frame: null });
}

/** Show the turn that led to the shown position again. */
export async function again(animate = true) {
  const { game, at } = state;
  if (!at) return;
  await attempt(async () => {
    const [black, white] = game.turns[at - 1];
    const { events } = await api.turn(game.positions[at - 1], black, white);
    if (state.game === game && state.at === at) await tellTurn({ before: game.positions[at - 1], events }, { animate });
  });
}

function showEntry() {
  for (const colour of ["black", "white"]) {
    const button = $(`hand-${colour}`);
    const own = hands().includes(colour);
    const square = own ? state.choice[colour] : mode().sealed?.() ? "?" : "…";
    button.disabled = !own;
    button.setAttribute("aria-pressed", String(own && state.hand === colour));
    button.querySelector(".square").textContent = square ?? "–";
    const said = own ? (square ?? t("turn.none")) : t(square === "?" ? "turn.sealed" : "turn.thinking");
    button.setAttribute("aria-label", t(`turn.hand.${colour}`, { square: said }));
  }
  $("play-turn").classList.toggle("ready", ready());
  $("play-turn").setAttribute("aria-disabled", String(!ready()));
  $("clear-turn").disabled = !state.choice.black && !state.choice.white;
  const hidden = !hands().length || Boolean(state.board?.outcome);
  if (hidden && $("entry").contains(document.activeElement)) $("boards").focus({ preventScroll: true });
  $("entry").hidden = hidden;
}

function buildStory() {
  const { story } = state;
  $("story").hidden = !story;
  if (!story) return;
  fill(
    $("story-events"),
    story.events.map((event, i) =>
      h("li", {}, h("button", { type: "button", class: `event ${event.event}`, onclick: () => preview(i) }, sentence(event))),
    ),
  );
}

function showStory() {
  const { story, frame } = state;
  if (!story) return;
  const now = frame ? frame.event : -1;
  for (const [i, item] of [...$("story-events").children].entries()) {
    item.className = frame && i > now ? "later" : "";
    if (i === now) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  }
}

/** Hold the board at the moment of one event. */
function preview(index) {
  playing = null;
  const frames = state.story.frames.filter((frame) => frame.event === index && frame.kind !== "leave");
  set({ frame: frames.at(-1) === state.frame || index === state.story.events.length - 1 ? null : frames.at(-1) });
}

/** Wire up the panel. */
export function initTurn() {
  addMode({ name: "analyse", choose, submit, hands: () => ["black", "white"], hints: () => true });
  for (const colour of ["black", "white"]) {
    const button = $(`hand-${colour}`);
    button.addEventListener("click", () => set({ hand: colour }));
  }
  $("play-turn").addEventListener("click", () => mode().submit());
  $("clear-turn").addEventListener("click", () => set({ choice: NO_CHOICE, hand: hands()[0] ?? "black" }));
  $("story-again").addEventListener("click", () => again());
  watch(["choice", "hand", "mode", "board", "sealed", "lang"], showEntry);
  watch(["story", "lang"], buildStory);
  watch(["story", "frame", "lang"], showStory);
  // Without a story of its own a position tells the turn that led to it, at rest.
  watch(["game", "at"], () => {
    if (state.at && !state.story) setTimeout(() => state.at && !state.story && again(false));
  });
}
