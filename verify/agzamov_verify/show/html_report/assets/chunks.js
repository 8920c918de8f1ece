// Reads the data of a report: chunks of gzip in base64, from style sheets beside the page or inert elements in it. The
// games of a chunk lie in it by columns.
// Texts of a bundle are foreign: they are put into the page by textContent and attributes alone, never as HTML.
const SVG = "http://www.w3.org/2000/svg";
const SITE = JSON.parse(document.getElementById("site").textContent);
const GAMES = {};
const CHUNKS_KEPT = 6;

function h(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function hidden(words) {
  return h("span", { class: "sr" }, words);
}

function symbol(name, kind = "", place = {}) {
  return svg("svg", { class: kind, "aria-hidden": "true", ...place }, svg("use", { href: `#${name}` }));
}

// A number of things: "1 move", "2 moves".
function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const NEW = 0, ENDED = 1, RECENT = 9, END = -1; // of the steps of texts, as in packed_columns.py

// The values of a column.
function values(packed) {
  if (Array.isArray(packed)) return packed;
  if (packed.steps) return texts(packed.lines, packed.steps);
  if (packed.names) return packed.at.map((number) => packed.names[number]);
  if (packed.counts) {
    const all = values(packed.of);
    let place = 0;
    return packed.counts.map((count) => all.slice(place, (place += count)));
  }
  if (packed.rows) {
    const columns = packed.of.map((one) => values(one).values());
    return packed.rows.map((length) => columns.slice(0, length).map((one) => one.next().value));
  }
  const columns = new Map(Object.entries(packed.of).map(([name, one]) => [name, values(one).values()]));
  return packed.at.map((shape) => Object.fromEntries(packed.keys[shape].map((name) => [name, columns.get(name).next().value])));
}

// Texts of steps, each a list of lines: how many lines come as they came last, then one that does not, and so on.
function texts(lines, steps) {
  const past = [], last = new Map(), made = [];
  let text = [], place = 0, count = 0;
  const take = (number) => {
    last.set(number, past.length);
    past.push(number);
    if (number !== END) text.push(lines[number]);
    else {
      made.push(text);
      text = [];
    }
  };
  const named = (step) => (step === NEW ? count++ : step === ENDED ? END : step <= ENDED + RECENT ? count - (step - ENDED) : step - ENDED - RECENT - 1);
  steps.forEach((step, at) => {
    if (at % 2) {
      const number = named(step);
      place = (last.get(number) ?? place) + 1;
      take(number);
    } else for (let left = step; left > 0; left -= 1) take(past[place++]);
  });
  return made;
}

class Chunks {
  constructor() {
    this.kept = new Map();
    this.queue = Promise.resolve();
  }

  // The document of a chunk. reference: [name, parts, SHA-256 of the gzip bytes].
  read(reference, unpack = (document) => document) {
    const [name] = reference;
    if (!this.kept.has(name)) {
      const reading = this.load(reference).then(unpack);
      reading.catch(() => this.kept.delete(name));
      this.kept.set(name, reading);
      if (this.kept.size > CHUNKS_KEPT) this.kept.delete(this.kept.keys().next().value);
    }
    return this.kept.get(name);
  }

  readGames(reference) {
    return this.read(reference, values);
  }

  async load([name, parts, sha256]) {
    const texts = [];
    for (let part = 0; part < parts; part += 1) texts.push(await this.part(`${name}-${part}`));
    const packed = Uint8Array.from(atob(texts.join("")), (character) => character.charCodeAt(0));
    if (crypto.subtle) {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", packed));
      const found = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      if (found !== sha256) throw new Error(`${name}: its data are not those that this page was written with`);
    }
    if (!globalThis.DecompressionStream) throw new Error("this browser is too old to unpack the games; Chrome or Edge 80, Firefox 113 and Safari 16.4 can, and later ones");
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  part(name) {
    if (!SITE.data) return this.inline(name);
    const reading = this.queue.then(() => this.sheet(`${SITE.data}/${name}.css`));
    this.queue = reading.catch(() => {});
    return reading;
  }

  // One sheet at a time: all of them set the same property of the same element.
  sheet(href) {
    return new Promise((resolve, reject) => {
      const link = h("link", { rel: "stylesheet", href });
      link.onload = () => {
        const value = getComputedStyle(document.getElementById("chunk")).getPropertyValue("--data");
        link.remove();
        if (value) resolve(value.trim().slice(1, -1));
        else reject(new Error(`${href}: it holds no data`));
      };
      link.onerror = () => {
        link.remove();
        reject(new Error(`${href}: the file is missing; keep the folder of data beside this page`));
      };
      document.head.append(link);
    });
  }

  // In one file the data stand behind the page, which may still be loading.
  async inline(name) {
    for (;;) {
      const found = document.getElementById(name);
      if (found && (found.nextSibling || document.readyState !== "loading")) return found.textContent;
      if (document.readyState === "complete") throw new Error(`${name}: this page holds no such data`);
      await new Promise((resume) => setTimeout(resume, 20));
    }
  }
}

const chunks = new Chunks();
