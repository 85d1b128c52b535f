// Elements as a table. Whatever comes from the hierarchy becomes text.

/** The elements of a table on a page. */
export const SIZE = [100, 20];

/** An element of a page with this text. */
export function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

/**
 * Show elements that were read.
 *
 * @param {HTMLElement} target where.
 * @param {(from: number[]) => void} turn is called to show elements that begin elsewhere.
 */
export function fill(target, shown, array, from, turn) {
  const { elements, ranges, isMissing } = shown;
  const isSingle = ranges.length === 1;
  const [rows, columns] = isSingle ? [ranges[0], { begin: 0, count: 1, length: 1 }] : ranges;
  const table = document.createElement("table");
  if (!isSingle) {
    const head = table.createTHead().insertRow();
    head.append(element("th", ""), ...Array.from({ length: columns.count }, (_, column) => element("th", columns.begin + column)));
  }
  const body = table.createTBody();
  for (let row = 0; row < rows.count; row += 1) {
    const line = body.insertRow();
    if (array.shape.length) {
      line.append(element("th", rows.begin + row));
    }
    for (let column = 0; column < columns.count; column += 1) {
      const index = shown.isTransposed ? column * rows.count + row : row * columns.count + column;
      const name = elements.values === null ? "text" : isMissing(index) ? "missing" : "";
      line.append(element("td", elements.text(index), name));
    }
  }
  const steps = ranges.flatMap((range, number) => pages(range, number, isSingle || number === 0 ? "rows" : "columns", from, turn));
  const bar = document.createElement("div");
  bar.className = "pages";
  bar.append(...steps);
  target.replaceChildren(...(steps.length ? [bar] : []), table);
}

function pages({ begin, count, length }, number, noun, from, turn) {
  if (count >= length) {
    return [];
  }
  const button = (text, start, isOff) => {
    const made = element("button", text);
    Object.assign(made, { type: "button", disabled: isOff });
    made.addEventListener("click", () => {
      const begins = [...from];
      begins[number] = Math.min(Math.max(start, 0), length - 1);
      turn(begins);
    });
    return made;
  };
  const most = SIZE[number];
  return [
    button(`previous ${noun}`, begin - most, begin === 0),
    element("span", `${noun} ${begin} to ${begin + count - 1} of ${length}`),
    button(`next ${noun}`, begin + most, begin + count >= length),
  ];
}
