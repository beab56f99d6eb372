// The pieces, drawn for squares of 48 units around their centre. What a colour says, shape and letter say too:
// Black's turtles look up and have a hexagon on the shell, White's look down and have rings; eggs have a number.

import { t } from "./i18n.js";

const UP = '<path d="M0 -20 C4 -20 5.5 -16.5 4.5 -12 L-4.5 -12 C-5.5 -16.5 -4 -20 0 -20Z"/>';
const LIMBS =
  '<ellipse cx="-12" cy="-10" rx="6.8" ry="3.7" transform="rotate(40 -12 -10)"/>' +
  '<ellipse cx="12" cy="-10" rx="6.8" ry="3.7" transform="rotate(-40 12 -10)"/>' +
  '<ellipse cx="-10.5" cy="12" rx="5.4" ry="3.2" transform="rotate(-45 -10.5 12)"/>' +
  '<ellipse cx="10.5" cy="12" rx="5.4" ry="3.2" transform="rotate(45 10.5 12)"/><path d="M-2 14 L0 20 L2 14Z"/>';
const SHELL = '<ellipse cy="1" rx="13.5" ry="15"/>';
const HEXAGON =
  '<path class="pattern" d="M-7.5 -4 L0 -8.5 L7.5 -4 L7.5 5.5 L0 10 L-7.5 5.5Z M0 -8.5V-14 M7.5 -4 L12 -6.5 ' +
  'M7.5 5.5 L12 8 M0 10V16 M-7.5 5.5 L-12 8 M-7.5 -4 L-12 -6.5"/>';
const RINGS = '<ellipse class="pattern" cy="1" rx="10.4" ry="11.8"/><ellipse class="pattern" cy="1" rx="7.4" ry="8.6"/>';
const EGG = '<path class="shell" d="M0 -16.5 C7.5 -16.5 12.5 -4 12.5 3 C12.5 10.5 7.3 15.5 0 15.5 C-7.3 15.5 -12.5 10.5 -12.5 3 C-12.5 -4 -7.5 -16.5 0 -16.5Z"/>';

const DRAWN = {
  black: `<g class="limbs">${UP}${LIMBS}</g><g class="shell">${SHELL}</g>${HEXAGON}`,
  white: `<g transform="rotate(180)"><g class="limbs">${UP}${LIMBS}</g><g class="shell">${SHELL}</g>${RINGS}</g>`,
};

/** Markup of a turtle. */
export const turtle = (colour) => `${DRAWN[colour]}<text y="5.6" class="letter">${t(`letter.${colour}`)}</text>`;

/** Markup of an egg; 1 hatches first. */
export const egg = (age) => `${EGG}<text y="6.5" class="letter">${age}</text>`;

/** Markup of a small picture of a piece, for text and buttons: "black", "white" or "egg". */
export const icon = (piece) =>
  `<svg class="icon" viewBox="-22 -22 44 44" aria-hidden="true"><g class="piece ${piece}">${
    piece === "egg" ? egg("") : turtle(piece)
  }</g></svg>`;
