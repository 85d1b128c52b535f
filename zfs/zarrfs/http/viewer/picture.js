// Drawing on the canvas, in the colours of the page.

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The pattern below elements that are missing. */
export function hatch(context, left, top, width, height) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.fillStyle = style("--page");
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
  context.fillStyle = style("--hatch");
  for (let row = 0; row * 8 < context.canvas.height; row += 1) {
    for (let column = row % 2; column * 8 < context.canvas.width; column += 2) {
      context.fillRect(column * 8, row * 8, 8, 8);
    }
  }
  context.restore();
}

/** The elements of a line that was read; `at` maps a position along an axis of the plane to a pixel. */
export function line(context, { elements, isMissing, range, ranges }, at) {
  const [low, high] = range[0] < range[1] ? range : [range[0] - 1, range[0] + 1];
  const { begin, step } = ranges[1];
  const margin = 0.06 * context.canvas.height;
  const ratio = window.devicePixelRatio || 1;
  const height = (value) => context.canvas.height - margin - ((value - low) / (high - low)) * (context.canvas.height - 2 * margin);
  context.font = `${12 * ratio}px system-ui, sans-serif`;
  context.lineWidth = ratio;
  for (const value of [low, (low + high) / 2, high]) {
    context.strokeStyle = style("--line");
    context.beginPath();
    context.moveTo(0, height(value));
    context.lineTo(context.canvas.width, height(value));
    context.stroke();
    context.fillStyle = style("--quiet");
    context.fillText(short(value), 6 * ratio, height(value) - 4 * ratio);
  }
  context.strokeStyle = context.fillStyle = style("--accent");
  context.lineWidth = 1.5 * ratio;
  context.beginPath();
  let isBroken = true;
  for (let index = 0; index < elements.values.length; index += 1) {
    const value = elements.values[index];
    const [across, down] = [at(1, begin + (index + 0.5) * step), height(value)];
    if (isMissing(index) || !Number.isFinite(value)) {
      isBroken = true;
    } else {
      isBroken ? context.moveTo(across, down) : context.lineTo(across, down);
      if (elements.values.length <= 200) {
        context.rect(across - 1.5 * ratio, down - 1.5 * ratio, 3 * ratio, 3 * ratio);
        context.moveTo(across, down);
      }
      isBroken = false;
    }
  }
  context.stroke();
}

/** The pointer that keys move. */
export function pointer(context, position, at, isLine) {
  const [down, across] = position.map((index, number) => at(number, index + 0.5));
  context.strokeStyle = style("--accent");
  context.lineWidth = 2 * (window.devicePixelRatio || 1);
  context.beginPath();
  context.moveTo(across, 0);
  context.lineTo(across, context.canvas.height);
  if (!isLine) {
    context.moveTo(0, down);
    context.lineTo(context.canvas.width, down);
  }
  context.stroke();
}

/** A number for people. */
export function short(number) {
  return typeof number === "number" ? String(Number(number.toPrecision(6))) : number;
}
