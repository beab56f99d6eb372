// Position texts and squares as the server writes them. No rules here: the server is the judge.

const FILES = "ABCDEFGHI";
export const START = "9/9/9/9/9/9/9/9/9 -";

/** Squares in reading order: A9 to I9 first, A1 to I1 last. */
export const SQUARES = [...Array(81).keys()].map((i) => FILES[i % 9] + (9 - Math.floor(i / 9)));

/** Column from 0 on the left and row from 0 on top. */
export const place = (square) => [FILES.indexOf(square[0]), 9 - Number(square[1])];

/** Return {black: Set, white: Set, eggs: [oldest first]} of a position text, or null if it is none. */
export function parsePosition(text) {
  const match = /^([bwe1-9/]+) (-|[A-I][1-9](?:,[A-I][1-9])*)$/.exec(text);
  const ranks = match ? match[1].split("/") : [];
  if (ranks.length !== 9) return null;
  const pieces = { black: new Set(), white: new Set(), eggs: match[2] === "-" ? [] : match[2].split(",") };
  for (const [row, rank] of ranks.entries()) {
    let column = 0;
    for (const letter of rank) {
      if (letter === "b") pieces.black.add(FILES[column] + (9 - row));
      if (letter === "w") pieces.white.add(FILES[column] + (9 - row));
      column += /[1-9]/.test(letter) ? Number(letter) : 1;
    }
    if (column !== 9) return null;
  }
  return pieces;
}

/** Return the text of {black, white, eggs}. */
export function formatPosition({ black, white, eggs }) {
  const letter = (square) => (black.has(square) ? "b" : white.has(square) ? "w" : eggs.includes(square) ? "e" : ".");
  const ranks = [];
  for (let row = 0; row < 9; row++) ranks.push(SQUARES.slice(9 * row, 9 * row + 9).map(letter).join(""));
  return `${ranks.join("/").replace(/\.+/g, (run) => run.length)} ${eggs.length ? eggs.join(",") : "-"}`;
}

/** What is on a square: "black", "white", "egg" or null. */
export function pieceOn(pieces, square) {
  if (pieces.black.has(square)) return "black";
  if (pieces.white.has(square)) return "white";
  return pieces.eggs.includes(square) ? "egg" : null;
}

export const copyOf = (pieces) => ({
  black: new Set(pieces.black),
  white: new Set(pieces.white),
  eggs: [...pieces.eggs],
});

/** Return the name of a square typed in either case, or null. */
export const squareNamed = (text) => (/^[A-Ia-i][1-9]$/.test(text) ? text.toUpperCase() : null);

/** 0.314 as "+0.31"; values are Black's. */
export function signed(value) {
  const text = Math.abs(value).toFixed(2);
  return text === "0.00" ? text : (value < 0 ? "−" : "+") + text;
}

/** A probability as a whole percentage, "<1" for a little. */
export const percent = (share) => (share > 0 && share < 0.005 ? "<1" : String(Math.round(100 * share)));
