// The review of a game: what each choice gave away (skill), what the coincidence of two choices gave (luck), and the
// value that both add up to, turn by turn. Lives in #review.

import * as api from "./api.js";
import { $, fill, h } from "./dom.js";
import { goTo } from "./game.js";
import { t } from "./i18n.js";
import { notify, reason, say } from "./notices.js";
import { percent, signed } from "./position.js";
import { set, state, watch } from "./state.js";

const HIGH = 190;
const EDGE = { left: 30, right: 10, top: 10, bottom: 20 };
const LEAST = 0.02; // a smaller loss is none: values are estimates

let controller = null;

/** The review of the game on the board, or null. */
const reviewed = () => (state.review?.game === state.game ? state.review.data : null);

/** One turn of it, by the number of turns before; null if it was not reviewed. */
export const reviewOf = (turns) => reviewed()?.turns.find((turn) => turn.number === turns + 1) ?? null;

async function run() {
  const { game } = state;
  const mine = new AbortController();
  controller = mine;
  show();
  progress(0, game.turns.length);
  try {
    await api.review(
      { position: game.start, moves: game.turns },
      (line) => {
        if (controller !== mine) return;
        if (line.review) set({ review: { game, data: line.review } });
        else if ("progress" in line) progress(line.progress, line.of);
      },
      mine.signal,
    );
    if (controller === mine && reviewed()) say(`${t("review.done")} ${summary(reviewed()).join(" ")}`);
  } catch (error) {
    if (error.name !== "AbortError" && controller === mine) notify(reason(error), { bad: true });
  } finally {
    if (controller === mine) controller = null;
    show();
  }
}

function stop() {
  controller?.abort();
  controller = null;
}

function progress(done, of) {
  $("review-progress").max = of;
  $("review-progress").value = done;
}

// ---- the graph

/** Black's value and what skill and luck have given him until each position. */
function curves(data) {
  const value = [data.start_value];
  const skill = [0];
  const luck = [0];
  for (const turn of data.turns) {
    value.push(turn.after);
    skill.push(skill.at(-1) + turn.white.loss - turn.black.loss);
    luck.push(luck.at(-1) + turn.luck);
  }
  return { value, skill, luck };
}

let scale = null; // how the graph that is shown was drawn

function draw() {
  const data = reviewed();
  const host = $("review-graph");
  const wide = host.clientWidth;
  if (!data?.turns.length || !wide) return;
  const lines = curves(data);
  const first = data.turns[0].number - 1; // a review that was interrupted has the last turns only
  const last = first + data.turns.length;
  const most = Math.max(1, ...Object.values(lines).flat().map(Math.abs)) * 1.04;
  const x = (n) => EDGE.left + ((n - first) / Math.max(1, last - first)) * (wide - EDGE.left - EDGE.right);
  const y = (v) => EDGE.top + ((most - v) / (2 * most)) * (HIGH - EDGE.top - EDGE.bottom);
  scale = { first, last, wide };
  const path = (name) => lines[name].map((v, i) => `${i ? "L" : "M"}${x(first + i).toFixed(1)} ${y(v).toFixed(1)}`).join("");
  const every = Math.max(1, Math.ceil((last - first) / ((wide - 40) / 34)));
  const ticks = [];
  for (let n = first; n <= last; n += every) ticks.push(`<text x="${x(n)}" y="${HIGH - 4}" text-anchor="middle">${n}</text>`);
  host.innerHTML = `<svg width="${wide}" height="${HIGH}" viewBox="0 0 ${wide} ${HIGH}" role="img">
    ${[1, 0, -1].map((v) => `<line class="level" x1="${EDGE.left}" x2="${wide - EDGE.right}" y1="${y(v)}" y2="${y(v)}"/><text x="${EDGE.left - 6}" y="${y(v) + 4}" text-anchor="end">${v ? signed(v).slice(0, 2) : 0}</text>`).join("")}
    <path class="area" d="${path("value")}L${x(last)} ${y(0)}L${x(first)} ${y(0)}Z"/>
    ${state.at >= first && state.at <= last ? `<line class="now" x1="${x(state.at)}" x2="${x(state.at)}" y1="${EDGE.top}" y2="${HIGH - EDGE.bottom}"/>` : ""}
    <path class="skill" d="${path("skill")}"/><path class="luck" d="${path("luck")}"/><path class="value" d="${path("value")}"/>
    ${data.mattered.map((n) => `<circle class="mattered" cx="${x(n)}" cy="${y(lines.value[n - first])}" r="4"/>`).join("")}
    ${ticks.join("")}</svg>`;
  host.firstElementChild.setAttribute("aria-label", `${t("review.graph")} ${summary(data).join(" ")}`);
}

function jump(event) {
  if (!scale || (event.type === "pointermove" && !(event.buttons & 1))) return;
  const { first, last, wide } = scale;
  const along = (event.clientX - $("review-graph").getBoundingClientRect().left - EDGE.left) / (wide - EDGE.left - EDGE.right);
  goTo(Math.max(first, Math.min(last, Math.round(first + along * (last - first)))));
}

// ---- words

const amount = (value) => Math.abs(value).toFixed(2);
const name = (colour) => t(`colour.${colour}`);

function summary(data) {
  const { black, white } = data;
  const said = [];
  if (Math.abs(black.loss - white.loss) < LEAST) said.push(t("review.even", { loss: amount(black.loss) }));
  else {
    const [better, worse] = black.loss < white.loss ? ["black", "white"] : ["white", "black"];
    said.push(t("review.better", { colour: name(better), own: amount(data[better].loss), other: amount(data[worse].loss) }));
  }
  if (Math.abs(black.luck) < LEAST) said.push(t("review.noluck"));
  else said.push(t("review.luck.all", { colour: name(black.luck > 0 ? "black" : "white"), luck: amount(black.luck) }));
  return said;
}

function choice(turn, colour) {
  const { square, probability, loss, best } = turn[colour];
  const values = { colour: name(colour), square, loss: amount(loss), share: percent(probability) };
  const better = best.find((one) => one.square !== square && one.loss < loss);
  if (loss >= LEAST) {
    return better
      ? t("review.gave", { ...values, better: better.square, share: percent(better.probability) })
      : t("review.gave.only", values);
  }
  return probability >= 0.005 ? t("review.right", values) : t("review.fine", values);
}

function missed({ colour, kind, squares, proved, at_once: now }) {
  const key = kind === "block" ? "block" : now ? "win" : "slip";
  const values = { colour: name(colour), other: name(colour === "black" ? "white" : "black"), squares: squares.slice(0, 4).join(", ") };
  return `${t(`review.missed.${key}`, values)} (${t(proved ? "review.proved" : "review.estimate")})`;
}

function turnWords(turn) {
  const said = [choice(turn, "black"), choice(turn, "white"), ...turn.missed.map(missed)];
  if (Math.abs(turn.luck) >= LEAST) {
    said.push(t("review.luck", { colour: name(turn.luck > 0 ? "black" : "white"), luck: amount(turn.luck) }));
  }
  return said;
}

// ---- the panel

function totals(data) {
  const rows = [
    ["review.loss", (side) => amount(side.loss)],
    ["review.mean", (side) => amount(side.mean_loss)],
    ["review.fortune", (side) => signed(side.luck)],
    ["review.wins", (side) => String(side.missed_wins)],
    ["review.blocks", (side) => String(side.missed_blocks)],
  ];
  return [
    h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, name("black")), h("th", { scope: "col" }, name("white")))),
    h("tbody", {}, rows.map(([key, text]) => h("tr", {}, h("th", { scope: "row" }, t(key)), h("td", {}, text(data.black)), h("td", {}, text(data.white))))),
  ];
}

function mattered(data) {
  return data.mattered.map((number) => {
    const turn = data.turns.find((one) => one.number === number);
    return h("li", {}, h("button", { type: "button", class: "chip", onclick: () => goTo(number) }, `${number}. ${turn.turn}`));
  });
}

function showTurn() {
  const turn = state.at ? reviewOf(state.at - 1) : null;
  $("review-turn").hidden = !turn;
  if (!turn) return;
  fill($("review-turn"), [
    h("h3", {}, t("walk.turn", { n: turn.number, black: turn.black.square, white: turn.white.square })),
    ...turnWords(turn).map((text) => h("p", {}, text)),
    h("p", { class: "sum" }, t("review.sum", {
      before: signed(turn.before), black: amount(turn.black.loss), white: amount(turn.white.loss),
      luck: `${turn.luck < 0 ? "−" : "+"} ${amount(turn.luck)}`, after: signed(turn.after),
    })),
  ]);
}

function show() {
  const data = reviewed();
  const running = controller !== null;
  $("review").hidden = state.mode !== "analyse" || !state.game.turns.length;
  $("review-start").textContent = t(running ? "review.stop" : data ? "review.again" : "review.start");
  $("review-progress").hidden = !running;
  $("review-hint").hidden = running || Boolean(data);
  $("review-found").hidden = !data?.turns.length;
  if (!data?.turns.length) return;
  fill($("review-summary"), summary(data).map((text) => h("p", {}, text)));
  fill($("review-totals"), totals(data));
  fill($("review-mattered"), mattered(data));
  $("review-mattered-part").hidden = !data.mattered.length;
  draw();
  showTurn();
}

/** Wire up the panel. */
export function initGraph() {
  $("review-start").addEventListener("click", () => (controller ? (stop(), show()) : run()));
  const graph = $("review-graph");
  graph.addEventListener("pointerdown", jump);
  graph.addEventListener("pointermove", jump);
  new ResizeObserver(draw).observe(graph);
  watch(["game"], stop);
  watch(["game", "review", "mode", "lang"], show);
  watch(["at"], () => {
    draw();
    showTurn();
  });
}
