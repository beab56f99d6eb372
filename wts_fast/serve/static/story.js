// What happened in a turn: words for each event, and the moments that a board shows one after another.

import { copyOf, parsePosition } from "./position.js";
import { t } from "./i18n.js";

const name = (colour) => t(`colour.${colour}`);

/** One event in words. */
export function sentence(event) {
  const { colour } = event;
  switch (event.event) {
    case "placement":
      return t("story.placement", { colour: name(colour), square: event.square });
    case "egg":
      return t("story.egg", { square: event.square });
    case "capture":
      return t("story.capture", {
        colour: name(colour), from: event.arrival, to: event.end, one: event.victims[0], two: event.victims[1],
      });
    case "hatch":
      return t(`story.hatch.${colour}`, { square: event.square });
    case "dissolve":
      return t("story.dissolve", { square: event.square });
    case "row":
      return t("story.row", {
        colour: name(colour), n: event.squares.length, from: event.squares[0], to: event.squares.at(-1),
      });
    case "verdict":
      return verdict(event);
    default:
      return event.event;
  }
}

/** The last event of a turn in words. */
export function verdict({ outcome, black, white }) {
  const counts = { black, white };
  if (outcome) return t(`story.verdict.${outcome}`, counts);
  return black ? t("story.verdict.sudden", counts) : t("story.verdict.on");
}

/**
 * The moments of a turn: [{event: its index, kind, pieces, marks, ms}, …]. Captures of one phase are shown one by one
 * and their victims leave together.
 */
export function moments(before, events) {
  const shown = [];
  let pieces = parsePosition(before);
  let group = []; // indices of captures whose victims have not left
  const add = (index, kind, marks, ms) => shown.push({ event: index, kind, pieces: copyOf(pieces), marks, ms });

  const remove = () => {
    if (!group.length) return;
    const gone = new Set(group.flatMap((i) => events[i].victims));
    add(group.at(-1), "leave", { leave: gone }, 420);
    pieces = {
      black: new Set([...pieces.black].filter((square) => !gone.has(square))),
      white: new Set([...pieces.white].filter((square) => !gone.has(square))),
      eggs: pieces.eggs.filter((square) => !gone.has(square)),
    };
    group = [];
  };

  const landed = events.filter((event) => event.event === "placement");
  if (landed.length) {
    pieces = copyOf(pieces);
    for (const { colour, square } of landed) pieces[colour].add(square);
  }
  const rows = [];
  events.forEach((event, i) => {
    if (event.event !== "capture") remove();
    switch (event.event) {
      case "placement":
        // Both land at once; the words come one after the other.
        add(i, "placement", { enter: new Set(i === 0 ? landed.map((e) => e.square) : []) }, i === 0 ? 90 : 480);
        break;
      case "egg":
        pieces = { ...copyOf(pieces), eggs: [...pieces.eggs, event.square] };
        add(i, "egg", { enter: new Set([event.square]) }, 600);
        break;
      case "capture":
        group.push(i);
        add(i, "capture", {
          bars: group.map((k) => ({ from: events[k].arrival, to: events[k].end, colour: events[k].colour })),
          crosses: group.flatMap((k) => events[k].victims),
        }, 720);
        break;
      case "hatch":
      case "dissolve":
        add(i, event.event, { rings: [event.square] }, 360);
        pieces = copyOf(pieces);
        pieces.eggs = pieces.eggs.filter((square) => square !== event.square);
        if (event.event === "hatch") pieces[event.colour].add(event.square);
        add(i, event.event, { enter: new Set([event.square]) }, 560);
        break;
      case "row":
        rows.push(...event.squares);
        add(i, "row", { rings: [...rows] }, 640);
        break;
      default:
        add(i, event.event, { rings: [...rows] }, 0);
    }
  });
  return shown;
}
