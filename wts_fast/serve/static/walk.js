// Walking through a game: the list of turns, the arrows, and who plays.

import { $, fill, h } from "./dom.js";
import { canRedo, canUndo, goTo, playTurn, redo, undo } from "./game.js";
import { reviewOf } from "./graph.js";
import { t } from "./i18n.js";
import { attempt } from "./notices.js";
import { signed } from "./position.js";
import { set, state, watch } from "./state.js";
import { tellTurn } from "./turn.js";

/** Go on by one turn, and show what it does. */
export async function forward() {
  const next = state.game.turns[state.at];
  if (!next) return;
  await attempt(async () => {
    const turn = await playTurn(...next);
    if (turn) await tellTurn(turn);
  });
}

/** Go back by one turn. */
export const back = () => goTo(state.at - 1);

/** Value known for the position after so many turns, or null. */
function valueAt(turns) {
  const { found, game } = state;
  return found.get(game.positions[turns])?.value ?? reviewOf(turns)?.before ?? game.notes[turns]?.value ?? null;
}

function row(n) {
  const [black, white] = n ? state.game.turns[n - 1] : [null, null];
  const text = state.game.notes[n]?.text;
  return h(
    "li",
    {},
    h(
      "button",
      { type: "button", class: "turn", onclick: () => goTo(n) },
      h("span", { class: "number" }, n ? `${n}.` : ""),
      n
        ? [
            h("span", { class: "black" }, black, h("small", {})),
            h("span", { class: "white" }, white, h("small", {})),
            h("span", { class: "kind" }, black === white ? t("walk.egg") : ""),
          ]
        : h("span", { class: "start" }, t("walk.start")),
      h("span", { class: "value" }),
    ),
    text && h("p", { class: "comment" }, text),
  );
}

function buildTurns() {
  fill($("turns"), Array.from({ length: state.game.turns.length + 1 }, (_, n) => row(n)));
}

// In place: a button that is replaced between press and release would miss its click.
function showTurns() {
  const { game, at } = state;
  const list = $("turns");
  for (const [n, button] of list.querySelectorAll(".turn").entries()) {
    const value = valueAt(n);
    const [black, white] = n ? game.turns[n - 1] : [];
    button.querySelector(".value").textContent = value === null ? "" : signed(value);
    const review = n ? reviewOf(n - 1) : null;
    for (const colour of n ? ["black", "white"] : []) {
      // Losses that would be read as none are not shown.
      const loss = review?.[colour].loss ?? 0;
      button.querySelector(`.${colour} small`).textContent = loss < 0.02 ? "" : ` ${signed(-loss)}`;
    }
    button.setAttribute(
      "aria-label",
      (n ? t("walk.turn", { n, black, white }) : t("walk.start")) + (value === null ? "" : `, ${t("walk.value", { value: signed(value) })}`),
    );
    if (n === at) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  const current = list.querySelector("[aria-current]");
  // Not scrollIntoView, which would move the page as well.
  if (current) {
    const top = current.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + current.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 2;
    }
  }
  $("first").disabled = $("previous").disabled = at === 0;
  $("next").disabled = $("last").disabled = at === game.turns.length;
  $("undo").disabled = !canUndo();
  $("redo").disabled = !canRedo();
}

function showStatus() {
  const { board, game, at } = state;
  const { Black, White, Event, Date } = game.tags;
  $("players").hidden = !Black && !White;
  fill($("players"), h("strong", {}, `${Black ?? "?"} – ${White ?? "?"}`), [Event, Date].filter(Boolean).map((text) => h("span", {}, text)));
  if (state.frame) return; // the turn is still being told
  const status = board?.outcome
    ? t(`status.${board.outcome}`, { black: board.winning.black.length, white: board.winning.white.length })
    : board?.sudden_death
      ? t("status.sudden", { n: board.winning.black.length })
      : "";
  $("status").textContent = status || t("status.turn", { n: at + 1 });
  $("status").classList.toggle("over", Boolean(board?.outcome));
}

/** Wire up the list and its buttons. */
export function initWalk() {
  $("first").addEventListener("click", () => goTo(0));
  $("previous").addEventListener("click", back);
  $("next").addEventListener("click", forward);
  $("last").addEventListener("click", () => goTo(Infinity));
  $("undo").addEventListener("click", undo);
  $("redo").addEventListener("click", redo);
  const animation = $("animation");
  animation.addEventListener("click", () => set({ animation: !state.animation }));
  watch(["animation"], () => animation.setAttribute("aria-pressed", String(state.animation)));
  watch(["game", "lang"], buildTurns);
  watch(["game", "at", "found", "review", "lang"], showTurns);
  watch(["game", "at", "board", "frame", "lang"], showStatus);
}
