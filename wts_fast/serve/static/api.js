// Questions to the server. What is asked about a position or a turn is asked once.

/** An error that the server told, or that it could not be reached (code "unreachable"). */
export class ApiError extends Error {
  constructor({ code = "unreachable", field = null, reason = "", line = null, column = null }) {
    super(reason || code);
    Object.assign(this, { code, field, line, column });
  }
}

async function ask(path, body, signal) {
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError({});
  }
  if (!response.ok) {
    const told = await response.json().catch(() => ({}));
    throw new ApiError(told.error ?? { code: `http-${response.status}`, reason: response.statusText });
  }
  return response;
}

const json = async (path, body) => (await ask(path, body)).json();

/** Call `onLine(data)` for each line of a stream of JSON lines; ends with the stream or with `signal`. */
async function lines(path, body, onLine, signal) {
  const response = await ask(path, body, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts.filter((text) => text.trim())) {
      const data = JSON.parse(part);
      if (data.error) throw new ApiError(data.error);
      onLine(data);
    }
  }
}

const KEPT = 2000;
const boards = new Map();
const turns = new Map();

function keep(map, key, value) {
  if (map.size >= KEPT) map.delete(map.keys().next().value);
  map.set(key, value);
  return value;
}

/** What is known already about a position, or null. */
export const knownBoard = (position) => boards.get(position) ?? null;

/** Board of a position text; the text may be written in a way that is not canonical and is refused then. */
export async function board(position) {
  const known = boards.get(position);
  if (known) return known;
  const answer = await json("position", { position });
  return keep(boards, answer.position, answer);
}

/** {turn, events, after} of a turn. */
export async function turn(position, black, white) {
  const key = `${position}|${black}${white}`;
  return turns.get(key) ?? keepTurn(key, await json("turn", { position, black, white }));
}

function keepTurn(key, answer) {
  keep(boards, answer.after.position, answer.after);
  return keep(turns, key, answer);
}

/** Remember a turn that came with another answer (a reveal, an exercise). */
export const knowTurn = (position, black, white, answer) => keepTurn(`${position}|${black}${white}`, answer);

/** [{tags, start, moves, positions, result, notes}, …] of a record's text. */
export const record = async (text) => (await json("record", { text })).games;

/** The text of a record. */
export const write = async (game) =>
  (await json("write", { tags: game.tags, position: game.start, moves: game.turns, notes: game.notes })).text;

export const analyze = (body, onLine, signal) => lines("analyze", body, onLine, signal);
export const review = (body, onLine, signal) => lines("review", body, onLine, signal);
export const levels = () => json("levels");
export const commit = (position, colour, level) => json("commit", { position, colour, level });
export const reveal = (game, square) => json("reveal", { game, square });
export const tutorial = () => json("tutorial");
export const checkExercise = (id, square) => json("tutorial/check", { id, square });
export const about = () => json("about");
