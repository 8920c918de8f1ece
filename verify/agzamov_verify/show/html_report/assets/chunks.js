// Reads the data of a report: chunks of gzip in base64, from style sheets beside the page or inert elements in it.
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

function hidden(words) {
  return h("span", { class: "sr" }, words);
}

function symbol(name, kind = "") {
  const drawing = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${name}`);
  drawing.setAttribute("class", kind);
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(use);
  return drawing;
}

class Chunks {
  constructor() {
    this.kept = new Map();
    this.queue = Promise.resolve();
  }

  // The document of a chunk. reference: [name, parts, SHA-256 of the gzip bytes].
  read(reference) {
    const [name] = reference;
    if (!this.kept.has(name)) {
      const reading = this.load(reference);
      reading.catch(() => this.kept.delete(name));
      this.kept.set(name, reading);
      if (this.kept.size > CHUNKS_KEPT) this.kept.delete(this.kept.keys().next().value);
    }
    return this.kept.get(name);
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
