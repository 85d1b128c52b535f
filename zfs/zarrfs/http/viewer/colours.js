// From numbers to pixels: contrast, colour maps, and elements that are missing.

/** Colours at equal distances, which are interpolated. */
const ANCHORS = {
  gray: "000000 ffffff",
  viridis:
    "440154 48186a 472d7b 424086 3b528b 33638d 2c728e 26828e 21918c 1fa088 28ae80 3fbc73 5ec962 84d44b addc30 d8e219 fde725",
  magma:
    "000004 0a0822 1d1147 36106b 51127c 6a1c81 832681 9c2e7f b73779 d0416f e75263 f56b5c fc8961 fea772 fec488 fde2a3 fcfdbf",
  cividis:
    "00224e 002e6a 1a386f 32436d 434e6c 535a6d 61656f 6f7073 7d7c78 8c8878 9b9476 aba072 bcae6c cdbb63 dec958 f0d846 fee838",
  coolwarm:
    "3b4cc0 4e68d8 6282ea 779af7 8db0fe a3c2fe b9d0f9 ccd9ed dddcdc ecd3c5 f5c4ac f7b093 f4987a eb7d62 dd5f4b ca3b37 b40426",
  turbo:
    "30123b 4040a2 466be3 4294ff 28bceb 18ddc2 32f298 6dfe62 a4fc3c cdec34 eecf3a fdac34 fb7e21 eb500e d02f05 a91601 7a0403",
};
const LABELS = "labels";
const SAMPLED = 65536;

export const MAPS = [...Object.keys(ANCHORS), LABELS];

/** A function that tells whether the element at an index is missing. */
export function missingIn(elements, missing) {
  const { values, exact } = elements;
  if (exact !== null) {
    const named = new Set(missing.map(BigInt));
    return named.size ? (index) => named.has(exact[index]) : () => false;
  }
  const named = new Set(missing.map(numberOf));
  return (index) => Number.isNaN(values[index]) || named.has(values[index]);
}

/** A number as Python writes it. */
function numberOf(text) {
  return { nan: NaN, inf: Infinity, "-inf": -Infinity }[text] ?? Number(text);
}

/** The contrast that leaves out a part of the values at each end, in percent; null if there are no finite values. */
export function automaticRange(values, isMissing, cut) {
  const step = Math.max(1, Math.floor(values.length / SAMPLED));
  const found = [];
  for (let index = 0; index < values.length; index += step) {
    if (!isMissing(index) && Number.isFinite(values[index])) {
      found.push(values[index]);
    }
  }
  if (!found.length) {
    return null;
  }
  const sorted = Float64Array.from(found).sort();
  const at = (part) => sorted[Math.round(part * (sorted.length - 1))];
  const range = [at(cut / 100), at(1 - cut / 100)];
  // A few values that differ from all others are still to be seen.
  return range[0] < range[1] ? range : [sorted[0], sorted[sorted.length - 1]];
}

/** 256 colours, red, green and blue one after another. */
export function lookupTable(name) {
  const anchors = (ANCHORS[name] ?? ANCHORS.gray).split(" ").map((text) => [0, 2, 4].map((at) => parseInt(text.slice(at, at + 2), 16)));
  const table = new Uint8ClampedArray(768);
  for (let index = 0; index < 256; index += 1) {
    const place = (index / 255) * (anchors.length - 1);
    const below = Math.min(Math.floor(place), anchors.length - 2);
    for (let part = 0; part < 3; part += 1) {
      table[3 * index + part] = anchors[below][part] + (place - below) * (anchors[below + 1][part] - anchors[below][part]);
    }
  }
  return table;
}

/**
 * The pixels of a plane, four bytes each. Missing elements are transparent.
 *
 * @param {ArrayLike<number>} values in C order.
 * @param {number[]} shape rows, columns, and for a picture in colour its parts.
 */
export function paint(values, shape, isMissing, [low, high], map, isTransposed) {
  const [first, second, parts = 1] = shape;
  const pixels = new Uint8ClampedArray(4 * first * second);
  const table = lookupTable(map);
  const scale = high > low ? 255 / (high - low) : 0;
  const put = (target, index) => {
    if (parts > 1) {
      for (let part = 0; part < 3; part += 1) {
        pixels[target + part] = (values[index + part] - low) * scale;
      }
      pixels[target + 3] = parts === 4 ? (values[index + 3] - low) * scale : 255;
      return;
    }
    if (isMissing(index)) {
      return;
    }
    if (map === LABELS) {
      pixels.set(labelColour(values[index]), target);
    } else {
      const level = scale ? Math.round(Math.min(Math.max((values[index] - low) * scale, 0), 255)) : 127;
      pixels.set(table.subarray(3 * level, 3 * level + 3), target);
    }
    pixels[target + 3] = 255;
  };
  for (let row = 0; row < first; row += 1) {
    for (let column = 0; column < second; column += 1) {
      const target = isTransposed ? column * first + row : row * second + column;
      put(4 * target, (row * second + column) * parts);
    }
  }
  return pixels;
}

/** A colour that differs from those of neighbouring labels; black for 0. */
function labelColour(label) {
  if (label === 0) {
    return [0, 0, 0];
  }
  let bits = Math.imul(label | 0, 0x9e3779b1) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca6b) >>> 0;
  return [64 + (bits & 127) + ((bits >> 21) & 63), 64 + ((bits >> 7) & 127) + ((bits >> 24) & 63), 64 + ((bits >> 14) & 127)];
}
