// The tree of groups and arrays. Names are data of others: they become text, never markup.

const SIGNS = { group: "▸", collection: "▸", array: "▦" };

/** The tree of a hierarchy, whose groups are asked for when they are opened. */
export class Tree {
  /**
   * @param {HTMLElement} element where it is shown.
   * @param {(place: string) => Promise<object>} ask returns what the server knows of a node.
   * @param {(place: string) => void} choose is called when a node is chosen.
   */
  constructor(element, ask, choose) {
    this.ask = ask;
    this.choose = choose;
    this.items = new Map();
    this.list = document.createElement("ul");
    this.list.setAttribute("role", "tree");
    this.list.setAttribute("aria-label", "Groups and arrays");
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("keydown", (event) => this.pressed(event));
    element.replaceChildren(this.list);
  }

  /** Show a node as chosen, with the groups above it open. */
  async reveal(place) {
    if (!this.items.size) {
      this.list.append(this.item({ name: "/", place: "", kind: "group" }));
    }
    const parts = place.split("/").slice(1);
    for (let count = 0; count <= parts.length; count += 1) {
      const above = parts.slice(0, count).map((part) => `/${part}`).join("");
      const item = this.items.get(above);
      if (item === undefined) {
        return;
      }
      if (item.dataset.kind === "group" && (count < parts.length || !item.hasAttribute("data-asked"))) {
        await this.open(item);
      }
    }
    for (const [at, item] of this.items) {
      item.setAttribute("aria-selected", String(at === place));
    }
    const chosen = this.items.get(place);
    if (chosen !== undefined) {
      this.focusable(chosen);
      chosen.querySelector(".label").scrollIntoView({ block: "nearest" });
    }
  }

  item(facts) {
    const item = document.createElement("li");
    const isGroup = facts.kind === "group" || facts.kind === "collection";
    item.setAttribute("role", "treeitem");
    item.setAttribute("aria-selected", "false");
    item.tabIndex = this.items.size ? -1 : 0;
    item.dataset.place = facts.place;
    item.dataset.kind = isGroup ? "group" : facts.kind;
    if (isGroup) {
      item.setAttribute("aria-expanded", "false");
    }
    const label = document.createElement("span");
    label.className = "label";
    label.append(
      span("sign", SIGNS[facts.kind] ?? "⚠"),
      span("name", facts.name),
      span("shape", facts.shape ? facts.shape.join("×") : ""),
    );
    label.title = facts.type ? `${facts.name} (${facts.type})` : facts.name;
    item.append(label);
    this.items.set(facts.place, item);
    return item;
  }

  async open(item) {
    this.fold(item, true);
    if (item.hasAttribute("data-asked")) {
      return;
    }
    item.setAttribute("data-asked", "");
    const below = document.createElement("ul");
    below.setAttribute("role", "group");
    item.append(below);
    try {
      const facts = await this.ask(item.dataset.place);
      below.append(...(facts.children ?? []).map((child) => this.item(child)));
      if (facts.has_more) {
        below.append(note("and more, which arrays/ lists"));
      }
      if (!facts.children) {
        item.dataset.kind = facts.kind;
        item.removeAttribute("aria-expanded");
        item.querySelector(".sign").textContent = SIGNS[facts.kind] ?? "⚠";
      }
    } catch (error) {
      item.removeAttribute("data-asked");
      below.remove();
      throw error;
    }
  }

  fold(item, isOpen) {
    if (item.dataset.kind === "group") {
      item.setAttribute("aria-expanded", String(isOpen));
      item.querySelector(".sign").textContent = isOpen ? "▾" : "▸";
      const below = item.querySelector("ul");
      if (below !== null) {
        below.hidden = !isOpen;
      }
    }
  }

  clicked(event) {
    const item = event.target.closest("[role=treeitem]");
    if (item === null) {
      return;
    }
    if (event.target.classList.contains("sign") && item.getAttribute("aria-expanded") === "true") {
      this.fold(item, false);
    } else {
      this.take(item);
    }
  }

  take(item) {
    if (item.dataset.kind === "group") {
      this.open(item).catch(() => {}); // the stage says why, since the node is chosen, too
    }
    this.choose(item.dataset.place);
  }

  pressed(event) {
    const item = event.target.closest("[role=treeitem]");
    const shown = [...this.list.querySelectorAll("[role=treeitem]")].filter((one) => one.offsetParent !== null);
    const at = shown.indexOf(item);
    const isOpen = item.getAttribute("aria-expanded") === "true";
    const actions = {
      ArrowDown: () => this.focus(shown[at + 1]),
      ArrowUp: () => this.focus(shown[at - 1]),
      Home: () => this.focus(shown[0]),
      End: () => this.focus(shown.at(-1)),
      ArrowRight: () => (isOpen ? this.focus(shown[at + 1]) : item.dataset.kind === "group" && this.open(item).catch(() => {})),
      ArrowLeft: () => (isOpen ? this.fold(item, false) : this.focus(item.parentElement.closest("[role=treeitem]"))),
      Enter: () => this.take(item),
      " ": () => this.take(item),
    };
    if (event.key in actions && !event.ctrlKey && !event.altKey && !event.metaKey) {
      actions[event.key]();
      event.preventDefault();
      event.stopPropagation();
    }
  }

  focusable(item) {
    for (const one of this.items.values()) {
      one.tabIndex = one === item ? 0 : -1;
    }
  }

  focus(item) {
    if (item) {
      this.focusable(item);
      item.focus();
    }
  }
}

function span(name, text) {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}

function note(text) {
  const element = document.createElement("li");
  element.className = "note";
  element.setAttribute("role", "none");
  element.textContent = text;
  return element;
}
