// The rules in small exercises: the learner is Black, White's square is fixed and hidden. Lives in #tutorial.

import * as api from "./api.js";
import { $, fill, h } from "./dom.js";
import { gameFrom, playTurn } from "./game.js";
import { pick, t } from "./i18n.js";
import { attempt, notify, reason, say } from "./notices.js";
import { remember, stored } from "./settings.js";
import { addMode, NO_CHOICE, set, setMode, state, watch } from "./state.js";
import { choose, finish, ready, tellTurn } from "./turn.js";

let exercises = null;
let index = 0;
let verdict = null; // {ok, message} of the turn that was tried
let hinted = false;
let kept = null; // the game that was on the board before
const solved = new Set();

const exercise = () => exercises?.[index] ?? null;

/** Put the exercise on the board. */
function lay() {
  finish();
  verdict = null;
  const { position, colour } = exercise();
  set({ game: gameFrom(position), at: 0, choice: NO_CHOICE, hand: colour, frame: null, story: null });
  show();
}

function open(number) {
  index = number;
  hinted = false;
  lay();
  say(`${pick(exercise().title)}. ${pick(exercise().task)}`);
}

async function submit() {
  if (!exercise() || state.at || !ready()) return;
  const { id, position } = exercise();
  const square = state.choice[exercise().colour];
  await attempt(async () => {
    const answer = await api.checkExercise(id, square);
    if (exercise()?.id !== id || state.mode !== "tutorial") return;
    await api.turn(position, ...answer.turn.turn.split(" ")); // so that it is told without waiting
    const turn = await playTurn(...answer.turn.turn.split(" "), { undo: false });
    if (!turn) return;
    await tellTurn(turn);
    if (exercise()?.id !== id || state.mode !== "tutorial") return;
    verdict = answer;
    if (answer.ok) {
      solved.add(id);
      remember("solved", [...solved]);
    }
    show();
    set({ sealed: state.sealed + 1 });
    $("tutorial-verdict").scrollIntoView({ block: "nearest" });
    say(pick(answer.message));
    (answer.ok ? $("tutorial-next") : $("tutorial-retry")).focus({ preventScroll: true });
  });
}

function show() {
  $("tutorial").hidden = state.mode !== "tutorial" || !exercise();
  if ($("tutorial").hidden) return;
  const { title, task, hint, clauses } = exercise();
  fill(
    $("tutorial-list"),
    exercises.map((one, i) =>
      h("li", {}, h(
        "button",
        {
          type: "button", class: solved.has(one.id) ? "dot done" : "dot", "aria-current": i === index ? "step" : null,
          "aria-label": `${i + 1}. ${pick(one.title)}${solved.has(one.id) ? `, ${t("tutorial.done")}` : ""}`, onclick: () => open(i),
        },
        solved.has(one.id) ? "✓" : String(i + 1),
      )),
    ),
  );
  $("tutorial-title").textContent = `${index + 1}. ${pick(title)}`;
  $("tutorial-task").textContent = pick(task);
  $("tutorial-clauses").textContent = clauses?.length ? t("tutorial.clauses", { clauses: clauses.join(", ") }) : "";
  $("tutorial-hint").hidden = !hinted;
  $("tutorial-hint").textContent = pick(hint);
  $("tutorial-show-hint").hidden = hinted || verdict?.ok === true;
  $("tutorial-verdict").hidden = !verdict;
  if (verdict) {
    $("tutorial-verdict").className = verdict.ok ? "ok" : "wrong";
    $("tutorial-verdict").textContent = `${verdict.ok ? "✓" : "✗"} ${pick(verdict.message)}`;
  }
  $("tutorial-retry").hidden = !verdict;
  $("tutorial-next").hidden = !verdict?.ok;
  $("tutorial-next").textContent = t(index + 1 < exercises.length ? "tutorial.next" : "tutorial.play");
}

async function enter() {
  kept = { game: state.game, at: state.at };
  try {
    exercises ??= await api.tutorial();
  } catch (error) {
    notify(reason(error), { bad: true });
    return;
  }
  if (state.mode !== "tutorial") return;
  for (const id of stored().solved ?? []) solved.add(id);
  const first = exercises.findIndex(({ id }) => !solved.has(id));
  if (verdict === null && first >= 0) index = first;
  open(index);
}

/** Make the mode known and wire up its panel. */
export function initTutorial() {
  addMode({
    name: "tutorial",
    enter,
    leave() {
      finish();
      set({ ...kept, story: null });
    },
    choose(square) {
      if (!exercise()) return;
      if (verdict || state.at) lay();
      choose(square, exercise().colour);
    },
    submit,
    undo: () => exercise() && lay(),
    hands: () => (exercise() && !verdict ? [exercise().colour] : []),
    sealed: () => true,
  });
  $("tutorial-show-hint").addEventListener("click", () => {
    hinted = true;
    show();
    say(pick(exercise().hint));
  });
  $("tutorial-retry").addEventListener("click", lay);
  $("tutorial-next").addEventListener("click", () => {
    if (index + 1 < exercises.length) open(index + 1);
    else setMode("play");
  });
  watch(["mode", "lang"], show);
}
