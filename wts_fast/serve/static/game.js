// The game on the board: playing turns, walking, taking changes back.

import * as api from "./api.js";
import { notify } from "./notices.js";
import { mode, NEW_GAME, NO_CHOICE, set, state, watch } from "./state.js";
import { t } from "./i18n.js";
import { moments } from "./story.js";

const MOST_UNDONE = 200;
const undone = [];
const done = [];

/** The text of the position that is shown. */
export const shown = () => state.game.positions[state.at];

/** Whether there is something to take back, or to bring back. */
export const canUndo = () => done.length > 0;
export const canRedo = () => undone.length > 0;

const REST = { choice: NO_CHOICE, hand: "black", frame: null, story: null };

/** Put another game in the place of this one; `undo` brings this one back. `more` is shown with it. */
export function replaceGame(game, at = game.turns.length, more = {}) {
  done.push({ game: state.game, at: state.at });
  if (done.length > MOST_UNDONE) done.shift();
  undone.length = 0;
  set({ ...REST, game, at, ...more });
}

function swap(from, to) {
  const entry = from.pop();
  if (!entry) return false;
  to.push({ game: state.game, at: state.at });
  set({ ...REST, ...entry });
  return true;
}

/** Take the last change back: a turn, a piece, a loaded game. */
export const undo = () => (mode().undo ? mode().undo() : swap(done, undone));

/** Bring back what was taken back. */
export const redo = () => (mode().undo ? false : swap(undone, done));

/** Begin anew from a position. */
export const gameFrom = (position) => ({ ...NEW_GAME, start: position, positions: [position] });

/** Show the position after `turns` turns. */
export function goTo(turns, more = {}) {
  const at = Math.max(0, Math.min(turns, state.game.turns.length));
  if (at !== state.at || state.frame) set({ ...REST, at, ...more });
}

/**
 * Play a turn from the shown position; what followed it in the game is replaced, unless it is the turn that was played
 * there. Shows its first moment, or its end if animation is off; `tellTurn` of turn.js tells the rest of what this
 * returns: {before, events, after, story}, or null if something else happened meanwhile.
 */
export async function playTurn(black, white, { undo: undoable = true } = {}) {
  const { game, at } = state;
  const before = game.positions[at];
  const answer = await api.turn(before, black, white);
  const same = game.turns[at]?.[0] === black && game.turns[at]?.[1] === white;
  if (game !== state.game || at !== state.at) return null;
  const story = { frames: moments(before, answer.events), events: answer.events };
  const first = { story, frame: state.animation ? story.frames[0] : null };
  if (same) {
    goTo(at + 1, first);
  } else {
    const notes = Object.fromEntries(Object.entries(game.notes).filter(([n]) => Number(n) <= at));
    const tags = { ...game.tags };
    delete tags.Result; // the writer knows it from the position
    const next = {
      ...game,
      tags,
      turns: [...game.turns.slice(0, at), [black, white]],
      positions: [...game.positions.slice(0, at + 1), answer.after.position],
      notes,
    };
    if (undoable) replaceGame(next, at + 1, first);
    else set({ ...REST, game: next, at: at + 1, ...first });
    if (undoable && at < game.turns.length) notify(t("game.replaced"), { action: { text: t("undo"), run: undo } });
  }
  return { before, events: answer.events, after: answer.after, story };
}

/** Play a list of turns from a position, for links; returns the game. */
export async function replay(start, turns) {
  const positions = [(await api.board(start)).position];
  for (const [black, white] of turns) positions.push((await api.turn(positions.at(-1), black, white)).after.position);
  return { ...NEW_GAME, start: positions[0], turns, positions };
}

// Whatever position is shown, its board is fetched; a board that comes too late is dropped.
watch(["game", "at"], async () => {
  const position = shown();
  const known = api.knownBoard(position);
  if (known) {
    set({ board: known });
    return;
  }
  set({ board: null });
  try {
    const board = await api.board(position);
    if (shown() === position) set({ board });
  } catch (error) {
    if (shown() === position) notify(error.message, { bad: true });
  }
});
