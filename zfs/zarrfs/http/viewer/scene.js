// What is shown of an array: its state in the address, and which elements the screen needs. Nothing here draws.
//
// Positions are in elements of the array (of an image's first level): element i lies between i and i + 1.

const MAPS_DEFAULT = "gray";
/** Beyond this ratio of its sides, a plane fills the screen instead of having square elements. */
const RATIO_MAX = 12;
const ZOOM_MAX = 4096;

/** The place of the node and its parameters, from the fragment of the address. */
export function parseFragment(fragment) {
  const [place, query = ""] = fragment.replace(/^#/, "").split("?", 2);
  return { place: place.replace(/\/+$/, ""), parameters: new URLSearchParams(query) };
}

/**
 * The state of an array, as far as the parameters are right; otherwise as it is at first.
 *
 * rows, columns: the axes of the plane (columns alone for a line); indices: an index for each axis; centre: of the screen, as
 * parts of the plane; zoom: 1 for the whole plane; low, high: the contrast, null for an automatic one; cut: the percents that an
 * automatic contrast leaves out at each end.
 */
export function stateOf(array, parameters) {
  const { shape } = array;
  const last = shape.length - (array.is_colour ? 2 : 1);
  const axis = (name, otherwise) => {
    const number = integer(parameters.get(name));
    return number !== null && number >= 0 && number <= last ? number : otherwise;
  };
  const columns = axis("columns", last);
  let rows = axis("rows", columns === last ? last - 1 : last);
  if (rows === columns) {
    rows = columns === last ? last - 1 : last;
  }
  const given = (parameters.get("at") ?? "").split(".").map(integer);
  const numbers = (name) => (parameters.get(name) ?? "").split(",").map((text) => (text.trim() ? Number(text) : NaN));
  const [down, across] = numbers("centre");
  const [low, high] = numbers("range");
  const [cut] = numbers("cut");
  const [zoom] = numbers("zoom");
  const isRange = Number.isFinite(low) && Number.isFinite(high);
  return {
    rows,
    columns,
    indices: shape.map((length, number) => clamp(given[number] ?? Math.floor((length - 1) / 2), 0, Math.max(length - 1, 0))),
    centre: [down, across].map((part) => (part >= 0 && part <= 1 ? part : 0.5)),
    zoom: zoom >= 1 && zoom <= ZOOM_MAX ? zoom : 1,
    low: isRange ? low : null,
    high: isRange ? high : null,
    cut: cut >= 0 && cut < 50 ? cut : 1,
    map: parameters.get("map") ?? (array.is_labels ? "labels" : MAPS_DEFAULT),
    isTable: parameters.get("as") === "table",
    from: [axisStart(numbers("from")[0]), axisStart(numbers("from")[1])],
  };
}

function axisStart(number) {
  return Number.isInteger(number) && number >= 0 ? number : 0;
}

function integer(text) {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The fragment for a place and the state of its array, without what is as at first. */
export function fragmentOf(place, array, state) {
  const parameters = {};
  if (array !== null) {
    const first = stateOf(array, new URLSearchParams());
    const put = (name, one, other) => {
      if (String(one) !== String(other)) {
        parameters[name] = String(one);
      }
    };
    put("at", state.indices.join("."), first.indices.join("."));
    put("rows", state.rows, first.rows);
    put("columns", state.columns, first.columns);
    put("zoom", Number(state.zoom.toPrecision(6)), 1);
    put("centre", state.zoom === 1 ? first.centre : state.centre.map((part) => Number(part.toPrecision(6))), first.centre);
    put("range", state.low === null ? "" : [state.low, state.high], "");
    put("cut", state.cut, first.cut);
    put("map", state.map, first.map);
    put("as", state.isTable ? "table" : "", "");
    put("from", state.from, first.from);
  }
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value).replace(/%2C/g, ",")}`);
  return `#${place || "/"}${pairs.length ? `?${pairs.join("&")}` : ""}`;
}

/** The sizes of the plane: rows and columns; a line has one row. */
export function planeShape(array, state) {
  return [state.rows < 0 ? 1 : array.shape[state.rows], array.shape[state.columns] ?? 1];
}

/**
 * How positions in the plane become pixels: pixels = (position − origin) × scale, for rows and columns.
 *
 * @param {number[]} plane its sizes.
 * @param {number[]} screen the sizes of the screen in pixels.
 */
export function projection(plane, screen, state, isLine) {
  const whole = plane.map((length, number) => screen[number] / Math.max(length, 1));
  const ratio = Math.max(...plane) / Math.max(Math.min(...plane), 1);
  const least = Math.min(...whole);
  const scale = (isLine || ratio > RATIO_MAX ? whole : [least, least]).map((one) => one * state.zoom);
  return {
    scale,
    origin: plane.map((length, number) => state.centre[number] * length - screen[number] / 2 / scale[number]),
  };
}

/** The state after a move by pixels, and a zoom around a pixel. */
export function moved(plane, screen, state, isLine, { by = [0, 0], factor = 1, around = null }) {
  const { scale, origin } = projection(plane, screen, state, isLine);
  const zoom = clamp(state.zoom * factor, 1, ZOOM_MAX);
  const fixed = around ?? screen.map((length) => length / 2);
  const centre = plane.map((length, number) => {
    const position = origin[number] + fixed[number] / scale[number];
    const newScale = (scale[number] * zoom) / state.zoom;
    const middle = position + (screen[number] / 2 - fixed[number] - by[number]) / newScale;
    return clamp(middle / Math.max(length, 1), 0, 1);
  });
  return { ...state, zoom, centre: zoom === 1 ? [0.5, 0.5] : centre };
}

/**
 * The elements that a screen needs: about one for each pixel, from the coarsest level that is fine enough, and in steps.
 *
 * @returns the address of the file below arrays/, and for rows and columns where the first element begins, how far it reaches, and
 *   how many there are; null if nothing of the plane can be seen.
 */
export function needed(array, state, screen, isLine) {
  const plane = planeShape(array, state);
  const { scale, origin } = projection(plane, screen, state, isLine);
  const axes = [state.rows, state.columns];
  const levels = array.levels ?? [];
  const fits = (level) => axes.every((axis, number) => axis < 0 || level.factors[axis] * scale[number] <= 1.0001);
  const level = [...levels].reverse().find(fits) ?? levels[0] ?? own(array);
  const parts = level.shape.map((length, axis) => {
    const index = Math.floor((state.indices[axis] + 0.5 - level.begins[axis]) / level.factors[axis]);
    return String(clamp(index, 0, Math.max(length - 1, 0)));
  });
  const ranges = axes.map((axis, number) => {
    if (axis < 0) {
      return { begin: 0, step: 1, count: 1 };
    }
    const [factor, begin, length] = [level.factors[axis], level.begins[axis], level.shape[axis]];
    const step = Math.max(1, Math.round(1 / (factor * scale[number])));
    const index = (pixel) => (origin[number] + pixel / scale[number] - begin) / factor;
    const start = Math.max(0, Math.floor(index(0) / step) * step);
    const stop = Math.max(start, Math.min(length, Math.ceil(index(screen[number]) / step) * step));
    parts[axis] = `${start}:${stop}${step > 1 ? `:${step}` : ""}`;
    return { begin: start * factor + begin, step: step * factor, count: Math.max(0, Math.ceil((stop - start) / step)) };
  });
  if (array.is_colour) {
    parts[parts.length - 1] = ":";
  }
  const name = parts.length ? parts.join(",") : "data";
  const isEmpty = array.shape.includes(0) || ranges.some((range) => range.count === 0);
  return isEmpty ? null : { address: `${level.place}/${name}.npy`, ranges, isTransposed: state.rows > state.columns };
}

function own(array) {
  return { place: array.place, shape: array.shape, factors: array.shape.map(() => 1), begins: array.shape.map(() => 0) };
}

/** The part of an array that a table shows, as `needed`. */
export function neededTable(array, state, most) {
  const axes = [state.rows, state.columns];
  const parts = array.shape.map((_, axis) => String(state.indices[axis]));
  const isLine = state.rows < 0;
  const ranges = (isLine ? [state.columns] : axes).map((axis, number) => {
    const length = array.shape[axis] ?? 1;
    const begin = Math.min(state.from[number], Math.max(length - 1, 0));
    const count = Math.min(most[number], length - begin);
    if (axis >= 0) {
      parts[axis] = `${begin}:${begin + count}`;
    }
    return { begin, step: 1, count, length };
  });
  if (array.is_colour) {
    parts[parts.length - 1] = String(state.indices[parts.length - 1]);
  }
  const name = parts.length ? parts.join(",") : "data";
  const suffix = array.is_text ? "json" : "npy";
  return { address: `${array.place}/${name}.${suffix}`, ranges, isTransposed: !isLine && state.rows > state.columns };
}

export function clamp(number, least, most) {
  return Math.min(Math.max(number, least), most);
}
