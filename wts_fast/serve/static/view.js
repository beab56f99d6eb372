// Puts the state on the boards: one, or two side by side with a heat map each.

import { Board, boardsHost } from "./board.js";
import { $ } from "./dom.js";
import { shown } from "./game.js";
import { reviewOf } from "./graph.js";
import { t } from "./i18n.js";
import { parsePosition, signed } from "./position.js";
import { mode, state, watch } from "./state.js";
import { ready } from "./turn.js";

const boards = [];

/** What is known about the strategies in the shown position: an analysis, the review, or a note of the record; or null. */
export function knowledge() {
  const found = state.found.get(shown());
  if (found) return found;
  const turn = reviewOf(state.at);
  if (turn) {
    const { before: value, lower, upper } = turn;
    return { value, lower, upper, black: turn.black.mix, white: turn.white.mix, fromReview: true };
  }
  const note = state.game.notes[state.at];
  if (!note || (note.value === null && !Object.keys(note.black ?? {}).length)) return null;
  return { value: note.value, black: note.black ?? {}, white: note.white ?? {}, lower: -1, upper: 1, fromRecord: true };
}

const heatOf = (colour, known) => {
  const shares = known?.[colour];
  return shares && Object.keys(shares).length ? { colour, shares } : null;
};

/** Whether heat maps and threats may be seen now. */
const hints = () => mode().hints?.() === true;

function draw() {
  const both = state.map === "both" && hints();
  const known = hints() ? knowledge() : null;
  const { frame, game, at } = state;
  boardsHost().classList.toggle("both", both);
  boardsHost().lastElementChild.hidden = !both;
  for (const [i, board] of boards.entries()) {
    if (i === 1 && !both) continue;
    const colour = both ? ["black", "white"][i] : state.map;
    board.show(
      frame
        ? { pieces: frame.pieces, marks: frame.marks, last: game.turns[at - 1] }
        : {
            pieces: parsePosition(shown()),
            last: game.turns[at - 1],
            choice: state.choice,
            heat: colour === "off" ? null : heatOf(colour, known),
            threats: state.threats && hints() ? (state.board?.threats ?? null) : null,
            winning: state.board ? [...state.board.winning.black, ...state.board.winning.white] : [],
          },
    );
  }
  if (!frame) drawBar(known); // a turn that is being told keeps its end to itself
}

function drawBar(known) {
  const bar = $("bar");
  const over = state.board?.outcome;
  const value = over ? { black: 1, white: -1, draw: 0 }[over] : (known?.value ?? null);
  bar.classList.toggle("unknown", value === null);
  const share = (v) => `${(50 + 50 * v).toFixed(1)}%`;
  bar.style.setProperty("--black", share(value ?? 0));
  const [lower, upper] = over ? [value, value] : [known?.lower ?? -1, known?.upper ?? 1];
  bar.style.setProperty("--lower", share(lower));
  bar.style.setProperty("--upper", share(upper));
  bar.classList.toggle("proved", lower > -1 || upper < 1);
  $("bar-value").textContent = value === null ? "" : signed(value).slice(0, -1);
  bar.setAttribute("aria-valuenow", String(value ?? 0));
  const text = value === null ? t("bar.unknown") : t("bar.value", { value: signed(value), lower: signed(lower), upper: signed(upper) });
  bar.setAttribute("aria-valuetext", text);
  bar.title = `${t("bar.label")}: ${text}`;
}

/** The board that has the keyboard's focus, or the first. */
export const focusedBoard = () => boards.find((board) => board.grid.contains(document.activeElement)) ?? boards[0];

/** Make the boards and keep them up to date. */
export function initView() {
  const label = (i) => () =>
    state.map === "both" ? t(`board.${["black", "white"][i]}`) : t("board.label");
  for (const i of [0, 1]) {
    boards.push(
      new Board(boardsHost().children[i], {
        label: label(i),
        // Side by side each board is its player's: a click there names that player's square.
        onChoose: (square) => mode().choose(square, state.map === "both" && state.mode === "analyse" ? ["black", "white"][i] : state.hand),
        onEnter: (square) =>
          ready() ? mode().submit() : mode().choose(square, state.hand),
      }),
    );
  }
  watch(["game", "at", "board", "choice", "frame", "map", "threats", "found", "review", "sealed", "mode", "lang"], draw);
  draw();
}
