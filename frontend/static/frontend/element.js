// Makes elements: no markup is ever put together from text.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An HTML element; properties as in the DOM, `class` among them. */
export function element(name, properties = {}, ...children) {
  const { class: classes, ...others } = properties;
  const made = Object.assign(document.createElement(name), others);
  if (classes) made.className = classes;
  made.append(...children);
  return made;
}

/** An SVG element with attributes. */
export function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  set(made, attributes);
  made.append(...children);
  return made;
}

export function set(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, value);
}
