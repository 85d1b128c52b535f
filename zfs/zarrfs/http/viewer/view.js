// The viewer: shows the node that the fragment of the address names, and keeps the fragment equal to what it shows.
//
// Whatever comes from the hierarchy becomes text (textContent) or numbers. The page's policy lets nothing become markup.

const here = new URL(import.meta.url);
// Each request has the token that the address of the page has, also for the other files of this program.
const load = (name) => import(`./${name}${here.search}`);
const [{ NotFoundError, ask, askNode }, { parseNpy }, scene, colours, picture, table, { Tree }] = await Promise.all(
  ["server.js", "npy.js", "scene.js", "colours.js", "picture.js", "table.js", "tree.js"].map(load),
);
const { element } = table;

const byId = (id) => document.getElementById(id);
const canvas = byId("canvas");
const context = canvas.getContext("2d");
const pixelsOfPlane = document.createElement("canvas");
const screenElement = byId("screen");

/** What is shown: a node, its array (of an image, that of its first level), how, and the elements that were read last. */
const now = { place: null, node: null, array: null, state: null, shown: null, pointer: null, asked: null, reading: null };

// Requests

const tree = new Tree(byId("tree"), askNode, (place) => go(place));

function tell(text, isError = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("error", isError);
}

function failed(error) {
  if (error.name !== "AbortError") {
    tell(error instanceof TypeError && error.message.includes("fetch") ? "the server does not answer" : error.message, true);
  }
}

// Nodes

/** Show another node. */
function go(place) {
  location.hash = `#${place || "/"}`;
}

async function navigate() {
  const { place, parameters } = scene.parseFragment(location.hash);
  if (place !== now.place || now.node === null) {
    now.place = place;
    now.reading?.abort();
    Object.assign(now, { node: null, array: null, state: null, shown: null, pointer: null, asked: null, reading: null });
    show(null);
    document.title = byId("path").textContent = decoded(place);
    byId("facts").replaceChildren();
    tell("Loading…");
    tree.reveal(place).catch(() => {}); // the answer for the node says why
    const node = await askNode(place);
    if (now.place !== place) {
      return;
    }
    now.node = node;
    now.array = node.array ?? null;
    describe(node);
    tell(node.error ?? "", Boolean(node.error));
  }
  if (now.array !== null) {
    now.state = scene.stateOf(now.array, parameters);
    show(now.array);
    refresh();
  } else {
    byId("listing").textContent = now.node.children && !now.node.error ? groupText(now.node) : "";
  }
}

/** A place as people read it, as long as the server has not told the path. */
function decoded(place) {
  try {
    return decodeURIComponent(place) || "/";
  } catch {
    return place;
  }
}

function groupText(node) {
  const count = node.children.length;
  return count ? `A ${node.kind} of ${node.has_more ? "more than " : ""}${count} ${count === 1 ? "node" : "nodes"}. Choose one in the tree.` : `This ${node.kind} is empty.`;
}

/** The facts, and documents that are asked for when they are opened. */
function describe(node) {
  const { array } = node;
  document.title = `${node.path} – zarrscope`;
  byId("path").textContent = node.path;
  byId("source").textContent = node.source;
  byId("source").title = node.source;
  byId("listing").textContent = "";
  const facts = { kind: node.kind, format: node.format };
  if (array) {
    const named = array.shape.map((length, axis) => (array.dimensions[axis] ? `${array.dimensions[axis]} ${length}` : String(length)));
    Object.assign(facts, {
      shape: named.join(" × ") || "one element",
      type: array.data_type,
      chunks: array.chunks.join(" × "),
      shards: array.shards?.join(" × "),
      "fill value": array.fill_value,
      missing: array.missing.join(", "),
      levels: array.levels?.map((level) => level.shape.join("×")).join(", "),
      channels: node.channels?.join(", "),
    });
  }
  const told = Object.entries(facts).filter(([, value]) => value);
  byId("facts").replaceChildren(...told.flatMap(([name, value]) => [element("dt", name), element("dd", value)]));
  for (const [id, file] of [["attributes", "attributes.json"], ["document", "metadata.json"]]) {
    const details = byId(id);
    details.open = false;
    details.hidden = node.kind !== "group" && node.kind !== "array";
    details.querySelector("pre").textContent = "";
    details.ontoggle = () => details.open && showDocument(details.querySelector("pre"), node, file);
  }
}

async function showDocument(target, node, file) {
  try {
    const text = await (await ask(`../arrays${node.place}/${file}`)).text();
    if (now.node === node) {
      target.textContent = text;
    }
  } catch (error) {
    target.textContent = error.message;
  }
}

// Controls

const isLine = () => now.state.rows < 0;
const isTable = () => now.state.isTable || now.array.is_text || now.array.shape.length === 0 || now.shown?.elements?.values === null;
const plane = () => scene.planeShape(now.array, now.state);
const size = () => [canvas.height, canvas.width];

function show(array) {
  byId("controls").hidden = array === null;
  screenElement.hidden = true;
  byId("table").hidden = true;
  byId("readout").textContent = "";
  byId("readout").hidden = array === null; // it keeps its place, so that the picture keeps its size
  if (array !== null) {
    sliders();
  }
}

function nameOf(axis) {
  return now.array.dimensions[axis] || `axis ${axis}`;
}

/** A slider for each axis outside the plane, and the choice of the plane's axes. */
function sliders() {
  const { array, state } = now;
  const axes = array.shape.map((_, axis) => axis).slice(0, array.is_colour ? -1 : undefined);
  const others = axes.filter((axis) => axis !== state.rows && axis !== state.columns);
  const shape = `${array.place} ${state.rows} ${state.columns}`;
  const parent = byId("sliders");
  byId("position").hidden = axes.length < 2;
  if (parent.dataset.shape !== shape || parent.childElementCount === 0) {
    parent.dataset.shape = shape;
    parent.replaceChildren(...others.map(slider), ...(axes.length > 1 ? [axisChoice("down", "rows", axes), axisChoice("across", "columns", axes)] : []));
  }
  for (const input of parent.querySelectorAll("input")) {
    input.value = state.indices[input.dataset.axis];
  }
}

function slider(axis) {
  const row = document.createElement("label");
  const length = now.array.shape[axis];
  row.className = "slider";
  row.append(element("span", `${nameOf(axis)} (${length})`));
  for (const type of ["range", "number"]) {
    const input = document.createElement("input");
    Object.assign(input, { type, min: 0, max: Math.max(length - 1, 0), step: 1 });
    input.dataset.axis = axis;
    input.setAttribute("aria-label", `${nameOf(axis)}, ${type === "range" ? "slider" : "number"}`);
    input.addEventListener("input", () => input.value !== "" && move(axis, Math.round(Number(input.value))));
    row.append(input);
  }
  return row;
}

function move(axis, index) {
  const indices = [...now.state.indices];
  indices[axis] = scene.clamp(index, 0, Math.max(now.array.shape[axis] - 1, 0));
  change({ indices });
}

function axisChoice(text, name, axes) {
  const row = element("label", `${text} `, "row");
  const select = document.createElement("select");
  select.append(...axes.map((axis) => new Option(nameOf(axis), axis, false, axis === now.state[name])));
  select.addEventListener("change", () => {
    const chosen = Number(select.value);
    const other = name === "rows" ? "columns" : "rows";
    const swapped = now.state[other] === chosen ? { [other]: now.state[name] } : {};
    change({ [name]: chosen, ...swapped, zoom: 1, centre: [0.5, 0.5], from: [0, 0] });
  });
  row.append(select);
  return row;
}

/** Show the state, and put it into the address. */
function change(part) {
  now.state = { ...now.state, ...part };
  keepInAddress();
  sliders();
  refresh();
}

let writing = null;
/** Browsers limit how often a page may change its address. */
function keepInAddress() {
  clearTimeout(writing);
  const { place } = now;
  writing = setTimeout(() => {
    if (now.place === place && now.array !== null) {
      history.replaceState(null, "", scene.fragmentOf(place, now.array, now.state));
    }
  }, 200);
}

// Elements

/** Show the elements that the state names; they are read unless they are shown already. */
function refresh() {
  const { array, state } = now;
  const asTable = isTable();
  const isEmpty = array.shape.includes(0);
  screenElement.hidden = asTable || isEmpty;
  byId("table").hidden = !asTable || isEmpty;
  if (isEmpty) {
    tell("This array has no elements.");
    return;
  }
  if (!asTable) {
    resize();
    draw();
  }
  updateControls();
  const wanted = asTable ? scene.neededTable(array, state, table.SIZE) : scene.needed(array, state, size(), isLine());
  if (wanted === null || wanted.address === now.asked) {
    return;
  }
  now.asked = wanted.address;
  now.reading?.abort();
  now.reading = new AbortController();
  read(wanted, asTable, now.reading.signal).catch((error) => {
    if (now.asked === wanted.address && error.name !== "AbortError") {
      now.asked = null;
      // What has no numbers may still be read as text.
      now.shown = null;
      screenElement.hidden = true;
      byId("table").hidden = true;
      failed(error);
    }
  });
}

async function read(wanted, asTable, signal) {
  const { array } = now;
  if (now.shown === null) {
    tell("Loading…");
  }
  let answer;
  try {
    answer = await ask(`../arrays${wanted.address}`, { signal });
  } catch (error) {
    throw error instanceof NotFoundError ? new Error(`elements of the type ${array.data_type} cannot be shown`) : error;
  }
  const elements = array.is_text ? textElements(await answer.json()) : parseNpy(await answer.arrayBuffer(), array.dtype);
  if (signal.aborted) {
    return;
  }
  const isMissing = elements.values === null ? () => false : colours.missingIn(elements, array.missing);
  now.shown = { ...wanted, elements, isMissing, asTable, range: null };
  tell("");
  if (elements.values === null && !asTable) { // only now it is known that these are no numbers
    refresh();
  } else if (asTable) {
    table.fill(byId("table"), now.shown, array, now.state.from, (from) => change({ from }));
  } else {
    byId("readout").textContent = `${elements.shape.join(" × ")} elements read${stepText(wanted)}`;
    colour();
    draw();
    point();
  }
}

function stepText({ ranges }) {
  const steps = ranges.map((range) => Math.round(range.step * 100) / 100);
  return steps.some((step) => step > 1) ? `, each ${[...new Set(steps)].join(" and ")}th; zoom in to see all` : "";
}

function textElements(document) {
  const values = [document].flat(Infinity);
  const text = (index) => (typeof values[index] === "string" ? values[index] : JSON.stringify(values[index]));
  return { values: null, exact: null, text };
}

/** Contrast and pixels of the elements that were read. */
function colour() {
  const { shown, state, array } = now;
  if (shown === null || shown.elements.values === null || shown.asTable) {
    return;
  }
  const { values, shape } = shown.elements;
  const whole = array.is_colour && array.dtype === "uint8" ? [0, 255] : colours.automaticRange(values, shown.isMissing, isLine() ? 0 : state.cut);
  shown.range = state.low === null ? whole : [state.low, state.high];
  updateControls();
  if (isLine() || shown.range === null) {
    return;
  }
  const [first, second, parts] = shape;
  const [height, width] = shown.isTransposed ? [second, first] : [first, second];
  const pixels = colours.paint(values, [first, second, parts], shown.isMissing, shown.range, state.map, shown.isTransposed);
  Object.assign(pixelsOfPlane, { width, height });
  pixelsOfPlane.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
}

function updateControls() {
  const { state, shown, array } = now;
  const [low, high] = shown?.range ?? ["", ""];
  const set = (id, value) => document.activeElement !== byId(id) && (byId(id).value = value);
  byId("contrast").hidden = isTable() || state.map === "labels";
  byId("map").parentElement.hidden = isTable() || isLine() || array.is_colour;
  for (const id of ["zoom-in", "zoom-out", "fit"]) {
    byId(id).hidden = isTable();
  }
  byId("automatic").checked = state.low === null;
  byId("cut").disabled = state.low !== null;
  set("cut", state.cut);
  set("low", low);
  set("high", high);
  byId("map").value = colours.MAPS.includes(state.map) ? state.map : colours.MAPS[0];
  byId("as-table").checked = isTable();
  byId("as-table").disabled = array.is_text || array.shape.length === 0;
  byId("bar").hidden = byId("bar-ends").hidden = isTable() || isLine() || array.is_colour || state.map === "labels";
  byId("bar-low").textContent = picture.short(low);
  byId("bar-high").textContent = picture.short(high);
  const lookup = colours.lookupTable(state.map);
  const pixels = Uint8ClampedArray.from({ length: 1024 }, (_, index) => (index % 4 === 3 ? 255 : lookup[3 * (index >> 2) + (index % 4)]));
  byId("bar").getContext("2d").putImageData(new ImageData(pixels, 256, 1), 0, 0);
}

// Picture

function resize() {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((length) => Math.max(1, Math.round(length * ratio)));
  if (canvas.width !== width || canvas.height !== height) {
    Object.assign(canvas, { width, height });
  }
}

function draw() {
  const { state, shown } = now;
  const { scale, origin } = scene.projection(plane(), size(), state, isLine());
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  const at = (number, position) => (position - origin[number]) * scale[number];
  if (!isLine()) {
    const [rows, columns] = plane();
    picture.hatch(context, at(1, 0), at(0, 0), columns * scale[1], rows * scale[0]);
  }
  if (shown === null || shown.asTable || shown.range === null) {
    return;
  }
  if (isLine()) {
    picture.line(context, shown, at);
  } else {
    const [down, across] = shown.ranges;
    context.imageSmoothingEnabled = false;
    const [height, width] = [down.count * down.step * scale[0], across.count * across.step * scale[1]];
    context.drawImage(pixelsOfPlane, at(1, across.begin), at(0, down.begin), width, height);
  }
  canvas.setAttribute("aria-label", `Plane of ${now.node.path}`);
  if (now.pointer?.isByKeys) {
    picture.pointer(context, now.pointer.position, at, isLine());
  }
}

/** The value under the pointer. */
function point() {
  const { shown, pointer, state, array } = now;
  if (pointer === null || shown === null || shown.asTable) {
    return;
  }
  const places = pointer.position.map((position, number) => Math.floor((position + 0.5 - shown.ranges[number].begin) / shown.ranges[number].step));
  if (places.some((place, number) => place < 0 || place >= shown.ranges[number].count)) {
    byId("readout").textContent = "";
    return;
  }
  const [first, second] = shown.isTransposed ? [places[1], places[0]] : places;
  const { elements } = shown;
  const width = isLine() ? 1 : elements.shape[1];
  const parts = array.is_colour ? elements.shape[2] : 1;
  const begin = isLine() ? second : (first * width + second) * parts;
  const texts = Array.from({ length: parts }, (_, part) => elements.text(begin + part));
  const where = array.shape.map((_, axis) => {
    const number = axis === state.rows ? 0 : axis === state.columns ? 1 : null;
    if (number === null) {
      return array.is_colour && axis === array.shape.length - 1 ? ":" : state.indices[axis];
    }
    const { begin: start, step } = shown.ranges[number];
    return Math.floor(start + places[number] * step);
  });
  const isCoarse = shown.ranges.some(({ step }) => !Number.isInteger(step)) || !shown.address.startsWith(`${array.place}/`);
  const missing = shown.isMissing(begin) && parts === 1 ? " (missing)" : "";
  byId("readout").textContent = `[${where.join(", ")}] = ${texts.join(", ")}${missing}${isCoarse ? " (of a coarser level)" : ""}`;
}

// Events

function pixelsOf(event) {
  const box = canvas.getBoundingClientRect();
  return [((event.clientY - box.top) * canvas.height) / box.height, ((event.clientX - box.left) * canvas.width) / box.width];
}

function transform(by) {
  change(scene.moved(plane(), size(), now.state, isLine(), by));
}

function pointAt(pixels) {
  const { scale, origin } = scene.projection(plane(), size(), now.state, isLine());
  const position = pixels.map((pixel, number) => (isLine() && number === 0 ? 0 : Math.floor(origin[number] + pixel / scale[number])));
  now.pointer = { position, isByKeys: false };
  point();
}

const fingers = new Map();
canvas.addEventListener("pointerdown", (event) => {
  fingers.set(event.pointerId, pixelsOf(event));
  canvas.setPointerCapture(event.pointerId);
  pointAt(pixelsOf(event));
});
canvas.addEventListener("pointermove", (event) => {
  const before = fingers.get(event.pointerId);
  const after = pixelsOf(event);
  if (before === undefined) {
    pointAt(after);
    return;
  }
  const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
  fingers.set(event.pointerId, after);
  if (other === undefined) {
    transform({ by: after.map((pixel, number) => pixel - before[number]) });
  } else {
    const distance = (one) => Math.hypot(one[0] - other[0], one[1] - other[1]);
    transform({ factor: distance(after) / Math.max(distance(before), 1), around: other });
  }
});
for (const name of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(name, (event) => fingers.delete(event.pointerId));
}
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  transform({ factor: 2 ** (-event.deltaY / (event.deltaMode ? 6 : 300)), around: pixelsOf(event) });
}, { passive: false });
canvas.addEventListener("dblclick", (event) => transform({ factor: 2, around: pixelsOf(event) }));

function moveByKeys(down, across, isPicture) {
  if (isPicture) {
    transform({ by: [-down * canvas.height * 0.1, -across * canvas.width * 0.1] });
    return;
  }
  const lengths = plane();
  const steps = now.shown?.ranges.map((range) => Math.max(1, Math.round(range.step))) ?? [1, 1];
  const from = now.pointer?.position ?? lengths.map((length) => Math.floor(length / 2));
  const position = [down, across].map((by, number) => scene.clamp(from[number] + by * steps[number], 0, lengths[number] - 1));
  now.pointer = { position, isByKeys: true };
  draw();
  point();
}

canvas.addEventListener("keydown", (event) => {
  const arrows = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  if (event.key in arrows && !event.ctrlKey && !event.altKey && !event.metaKey) {
    moveByKeys(...arrows[event.key], event.shiftKey);
    event.preventDefault();
  }
});

function step(by) {
  const axes = now.array.shape.map((_, axis) => axis).slice(0, now.array.is_colour ? -1 : undefined);
  const axis = axes.filter((one) => one !== now.state.rows && one !== now.state.columns && now.array.shape[one] > 1).at(-1);
  if (axis !== undefined) {
    move(axis, now.state.indices[axis] + by);
  }
}

function toggleTree() {
  const isShown = byId("tree").hidden;
  byId("tree").hidden = !isShown;
  byId("tree-button").setAttribute("aria-expanded", String(isShown));
  document.querySelector("main").classList.toggle("without-tree", !isShown);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select, textarea")) {
    return;
  }
  const zoom = (factor) => () => !isTable() && transform({ factor });
  const actions = {
    "+": zoom(1.5), "=": zoom(1.5), "-": zoom(1 / 1.5), 0: () => change({ zoom: 1, centre: [0.5, 0.5] }), ",": () => step(-1), ".": () => step(1),
  };
  if (event.key.toLowerCase() === "t") {
    toggleTree();
  } else if (event.key in actions && now.array !== null) {
    actions[event.key]();
    event.preventDefault();
  }
});

byId("tree-button").addEventListener("click", toggleTree);
byId("zoom-in").addEventListener("click", () => transform({ factor: 1.5 }));
byId("zoom-out").addEventListener("click", () => transform({ factor: 1 / 1.5 }));
byId("fit").addEventListener("click", () => change({ zoom: 1, centre: [0.5, 0.5] }));
byId("controls").addEventListener("submit", (event) => event.preventDefault());
byId("map").append(...colours.MAPS.map((name) => new Option(name, name)));
byId("map").addEventListener("change", () => recolour({ map: byId("map").value }));
byId("as-table").addEventListener("change", () => change({ isTable: byId("as-table").checked }));
byId("automatic").addEventListener("change", () => {
  const [low, high] = now.shown?.range ?? [0, 1];
  recolour(byId("automatic").checked ? { low: null, high: null } : { low, high });
});
byId("cut").addEventListener("input", () => {
  const cut = Number(byId("cut").value);
  if (byId("cut").value !== "" && cut >= 0 && cut < 50) {
    recolour({ cut });
  }
});
for (const name of ["low", "high"]) {
  byId(name).addEventListener("input", () => {
    const [low, high] = [byId("low").value, byId("high").value];
    if (low !== "" && high !== "") {
      recolour({ low: Number(low), high: Number(high) });
    }
  });
}

function recolour(part) {
  Object.assign(now.state, part);
  keepInAddress();
  colour();
  draw();
}

if (window.matchMedia("(max-width: 760px)").matches) {
  toggleTree(); // what a link names comes first on a small screen
}
const start = () => navigate().catch(failed);
window.addEventListener("hashchange", start);
new ResizeObserver(() => now.array !== null && now.state !== null && refresh()).observe(screenElement);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => now.state !== null && !isTable() && draw());
start();
