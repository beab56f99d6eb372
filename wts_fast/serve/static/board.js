// One board: a drawing in SVG, and over it a grid of cells for pointers, keys and screen readers.

import { $, h } from "./dom.js";
import { t } from "./i18n.js";
import { egg, turtle } from "./pieces.js";
import { percent, pieceOn, place, SQUARES } from "./position.js";

const CELL = 48;
const WIDE = 9 * CELL;

const at = (square) => place(square).map((n) => CELL * n + CELL / 2);
const box = (square, kind, inset = 0, more = "") => {
  const [x, y] = place(square).map((n) => CELL * n + inset);
  return `<rect class="${kind}" x="${x}" y="${y}" width="${CELL - 2 * inset}" height="${CELL - 2 * inset}" ${more}/>`;
};
const line = (from, to, kind) => {
  const [[x1, y1], [x2, y2]] = [at(from), at(to)];
  return `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
};

function grid() {
  const paths = [];
  for (let i = 1; i < 9; i++) paths.push(`M${CELL * i} 0V${WIDE}M0 ${CELL * i}H${WIDE}`);
  const letters = SQUARES.map((square) => {
    const [column, row] = place(square);
    const [x, y] = [CELL * column, CELL * row];
    const rank = column === 0 ? `<text class="coordinate" x="${x + 4}" y="${y + 12}">${square[1]}</text>` : "";
    const file = row === 8 ? `<text class="coordinate" x="${x + 44}" y="${y + 44}" text-anchor="end">${square[0]}</text>` : "";
    return rank + file;
  });
  return `<path class="lines" d="${paths.join("")}"/>${letters.join("")}`;
}

/** How strongly a share of a mixture is painted, relative to its largest. */
const strength = (share, most) => (share <= 0 ? 0 : 0.14 + 0.82 * Math.sqrt(share / most));

function heatMarkup(heat) {
  if (!heat) return ["", ""];
  const most = Math.max(...Object.values(heat.shares), 1e-9);
  const rects = [];
  const texts = [];
  for (const [square, share] of Object.entries(heat.shares)) {
    if (share <= 0.0005) continue;
    const opacity = strength(share, most);
    rects.push(box(square, `heat ${heat.colour}`, 0, `fill-opacity="${opacity.toFixed(3)}"`));
    const [x, y] = at(square);
    if (share >= 0.005) {
      texts.push(`<text class="share ${opacity > (heat.colour === "black" ? 0.75 : 0.85) ? "deep" : ""}" x="${x}" y="${y + 5}">${percent(share)}</text>`);
    }
  }
  return [rects.join(""), texts.join("")];
}

function piecesMarkup(pieces, marks) {
  const parts = [];
  const put = (square, kind, inside) => {
    const how = marks.enter?.has(square) ? " enter" : marks.leave?.has(square) ? " leave" : "";
    parts.push(`<g transform="translate(${at(square)})"><g class="piece ${kind}${how}">${inside}</g></g>`);
  };
  for (const colour of ["black", "white"]) for (const square of pieces[colour]) put(square, colour, turtle(colour));
  pieces.eggs.forEach((square, i) => put(square, "egg", egg(i + 1)));
  return parts.join("");
}

function choiceMarkup(choice) {
  const { black, white } = choice;
  if (black && black === white) {
    return `${box(black, "chosen", 2.5, 'rx="5"')}<g class="ghost" transform="translate(${at(black)})"><g class="piece egg">${egg("")}</g></g>`;
  }
  return ["black", "white"]
    .filter((colour) => choice[colour])
    .map((colour) => {
      const square = choice[colour];
      return (
        box(square, `chosen ${colour}`, 2.5, 'rx="5"') +
        `<g class="ghost" transform="translate(${at(square)})"><g class="piece ${colour}">${turtle(colour)}</g></g>`
      );
    })
    .join("");
}

function threatMarkup(threats) {
  if (!threats) return "";
  const parts = [];
  for (const colour of ["black", "white"]) {
    const side = threats[colour];
    for (const { pair } of side.dangers) for (const square of pair) parts.push(box(square, `danger ${colour}`, 4, 'rx="8"'));
    for (const offer of side.offers) {
      // From the edge of the square, so that its number can be read.
      const [x, y] = at(offer.square);
      for (const [near, far] of offer.takes) {
        const [[x1, y1], [x2, y2]] = [at(near), at(far)];
        const [x0, y0] = [x + 0.36 * (x1 - x), y + 0.36 * (y1 - y)];
        parts.push(`<line class="offer ${colour}" x1="${x0}" y1="${y0}" x2="${x2}" y2="${y2}"/><circle class="offer-end ${colour}" cx="${x0}" cy="${y0}" r="4"/>`);
      }
    }
    for (const { square } of side.completions) {
      const [x, y] = at(square);
      const dx = colour === "black" ? -13 : 13;
      parts.push(`<path class="five ${colour}" transform="translate(${x + dx} ${y - 13})" d="M0 -8L2.1 -2.6 8 -2.4 3.4 1.2 5 7 0 3.7 -5 7 -3.4 1.2 -8 -2.4 -2.1 -2.6Z"/>`);
    }
  }
  return parts.join("");
}

function marksMarkup(marks) {
  const parts = (marks.bars ?? []).map(({ from, to, colour }) => line(from, to, `bar ${colour}`));
  for (const square of marks.crosses ?? []) {
    const [x, y] = at(square);
    parts.push(`<path class="cross" d="M${x - 11} ${y - 11}l22 22m0 -22l-22 22"/>`);
  }
  for (const square of marks.rings ?? []) {
    const [x, y] = at(square);
    parts.push(`<circle class="ring" cx="${x}" cy="${y}" r="21"/>`);
  }
  return parts.join("");
}

/** A board in `host`; `onChoose(square)` is called for a click, Space or Enter on a cell. */
export class Board {
  constructor(host, { label, onChoose, onEnter }) {
    this.view = null;
    this.cursor = "E5";
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("viewBox", `0 0 ${WIDE} ${WIDE}`);
    this.svg.setAttribute("aria-hidden", "true");
    this.cells = new Map();
    const rows = [];
    for (let row = 0; row < 9; row++) {
      const cells = SQUARES.slice(9 * row, 9 * row + 9).map((square) => {
        const cell = h("div", { role: "gridcell", class: "cell", tabindex: square === this.cursor ? "0" : "-1", "data-square": square });
        this.cells.set(square, cell);
        return cell;
      });
      rows.push(h("div", { role: "row", class: "row" }, cells));
    }
    this.grid = h("div", { role: "grid", class: "cells", "aria-label": label() }, rows);
    this.label = label;
    this.grid.addEventListener("click", (event) => {
      const square = event.target.closest(".cell")?.dataset.square;
      if (!square) return;
      this.moveTo(square, false);
      onChoose(square);
    });
    this.grid.addEventListener("keydown", (event) => this.onKey(event, onChoose, onEnter));
    host.append(h("div", { class: "board" }, this.svg, this.grid));
  }

  onKey(event, onChoose, onEnter) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [column, row] = place(this.cursor);
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) {
      const [x, y] = [column + step[0], row + step[1]];
      if (x >= 0 && x < 9 && y >= 0 && y < 9) this.moveTo(SQUARES[9 * y + x]);
    } else if (event.key === " ") onChoose(this.cursor);
    else if (event.key === "Enter") onEnter(this.cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Move the cursor, of which there is one for the Tab key. */
  moveTo(square, focus = true) {
    this.cells.get(this.cursor).tabIndex = -1;
    this.cursor = square;
    const cell = this.cells.get(square);
    cell.tabIndex = 0;
    if (focus) cell.focus();
  }

  focus() {
    this.cells.get(this.cursor).focus();
  }

  /**
   * Draw {pieces, last, choice, heat: {colour, shares}, threats, marks, winning, preview}.
   * All but `pieces` may be left out.
   */
  show(view) {
    this.view = view;
    const { pieces, last, choice = {}, heat, threats, marks = {}, winning = [] } = view;
    const [rects, shares] = heatMarkup(heat);
    this.svg.innerHTML = [
      `<rect class="ground" width="${WIDE}" height="${WIDE}"/>`,
      rects,
      (last ?? []).map((square, i) => box(square, `last ${i ? "white" : "black"}`, 1.5)).join(""),
      grid(),
      threatMarkup(threats),
      piecesMarkup(pieces, marks),
      shares,
      choiceMarkup(choice),
      marksMarkup({ ...marks, rings: [...(marks.rings ?? []), ...winning] }),
    ].join("");
    this.tell();
  }

  /** Put into words what each cell shows. */
  tell() {
    const { pieces, last, choice = {}, heat, marks = {}, winning = [] } = this.view;
    this.grid.setAttribute("aria-label", this.label());
    for (const [square, cell] of this.cells) {
      const piece = pieceOn(pieces, square);
      const said = [square, piece === "egg" ? t("cell.egg", { n: pieces.eggs.indexOf(square) + 1 }) : t(`cell.${piece ?? "empty"}`)];
      if (heat?.shares[square] > 0.0005) said.push(t(`cell.share.${heat.colour}`, { share: percent(heat.shares[square]) }));
      for (const colour of ["black", "white"]) if (choice[colour] === square) said.push(t(`cell.chosen.${colour}`));
      if (last?.includes(square)) said.push(t("cell.last"));
      if (winning.includes(square) || marks.rings?.includes(square)) said.push(t("cell.winning"));
      const text = said.join(", ");
      if (cell.getAttribute("aria-label") !== text) cell.setAttribute("aria-label", text);
    }
  }
}

/** The element that hosts boards. */
export const boardsHost = () => $("boards");
