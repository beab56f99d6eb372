// Building elements without a framework.

/** Return an element; props that are functions become listeners ("onclick"), `data-…` and `aria-…` are attributes. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Return the element with this id. */
export const $ = (id) => document.getElementById(id);

/** Replace what an element holds; a button in it that had the focus gives it to the one in its place. */
export function fill(element, ...children) {
  const focused = [...element.querySelectorAll("button")].indexOf(document.activeElement);
  element.replaceChildren(...children.flat().filter((child) => child));
  if (focused >= 0) element.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
}
