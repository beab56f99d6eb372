// All that the page knows, and who wants to hear about changes. Modules talk to each other through it.

import { START } from "./position.js";

export const NO_CHOICE = Object.freeze({ black: null, white: null });

export const NEW_GAME = Object.freeze({
  tags: Object.freeze({}),
  start: START,
  turns: Object.freeze([]), // [[Black's square, White's square], …]
  positions: Object.freeze([START]), // one more than turns
  notes: Object.freeze({}), // by number of turns: {text, value, black, white}
});

export const state = {
  mode: "analyse", // a name that was given to addMode
  game: NEW_GAME, // a value: replaced, never changed
  at: 0, // which of the game's positions is shown
  board: null, // what the server says about it: legal, outcome, threats …; null until it is known
  choice: NO_CHOICE, // squares named for the next turn
  hand: "black", // whose square the next click names
  sealed: 0, // counts when what is hidden of a game changes
  frame: null, // a moment of a turn that the board shows instead of the position
  story: null, // the turn that led to the position: {frames, events}
  map: "black", // heat maps: "off", "black", "white" or "both"
  threats: false, // whether they are drawn
  animation: true,
  seconds: 5, // how long one position is analysed
  analysing: false, // whether positions are analysed as they are shown
  running: null, // position text that is being analysed now
  waiting: 0, // searches before ours
  found: new Map(), // position text -> the latest line of its analysis
  review: null, // {game, data}: Review.to_dict() of that game
  lang: "en",
};

const watchers = [];

/** Call `listener(state)` whenever one of `keys` has changed. */
export function watch(keys, listener) {
  watchers.push([keys, listener]);
}

/** Change the state; listeners of what is different now are called at once. */
export function set(patch) {
  const changed = Object.keys(patch).filter((key) => state[key] !== patch[key]);
  Object.assign(state, patch);
  for (const [keys, listener] of watchers) {
    if (keys.some((key) => changed.includes(key))) listener(state);
  }
}

// What clicks and keys mean depends on the mode. A mode is
//   {name, enter(), leave(), choose(square, colour), submit(), hands(), sealed(), undo(), hints()}
// choose: a free or occupied square was clicked or typed, for that colour; submit: "play turn" or Enter.
// hands: whose squares are named here, both, one or none; sealed: whether the other's is fixed and hidden;
// undo: what taking back means, if not the last change of the game;
// hints: whether heat maps and threats may be seen.
const modes = new Map();

/** Make a mode known. */
export function addMode(mode) {
  modes.set(mode.name, mode);
}

/** Return the mode that the page is in. */
export const mode = () => modes.get(state.mode);

/** Go to another mode. */
export function setMode(name) {
  if (!modes.has(name) || name === state.mode) return;
  mode().leave?.();
  set({ mode: name, choice: NO_CHOICE, hand: "black", frame: null });
  mode().enter?.();
}
