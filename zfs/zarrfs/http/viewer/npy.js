// Elements from a file in NumPy's format.
// Specification: NumPy, "numpy.lib.format", https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

const UNITS = { D: 86400000, h: 3600000, m: 60000, s: 1000, ms: 1, us: 1e-3, ns: 1e-6 };
const NOT_A_TIME = -(2n ** 63n);
const utf8 = new TextDecoder();

/**
 * The elements of a file.
 *
 * @param {ArrayBuffer} buffer the file.
 * @param {string} dtype the data type of the array, for types that NumPy files hold as raw bytes.
 * @returns {{shape: number[], values: ArrayLike<number> | null, exact: ArrayLike<bigint> | null, text: (index: number) => string}}
 *   values as numbers, for a picture (null for text); 64-bit integers also as they are; and each element as text.
 * @throws {Error} they cannot be shown, with a sentence for people.
 */
export function parseNpy(buffer, dtype = "") {
  const bytes = new Uint8Array(buffer);
  if (String.fromCharCode(...bytes.subarray(0, 6)) !== "\x93NUMPY") {
    throw new Error("the server's answer is no NumPy file");
  }
  const view = new DataView(buffer);
  const isFirst = bytes[6] === 1;
  const start = (isFirst ? 10 : 12) + (isFirst ? view.getUint16(8, true) : view.getUint32(8, true));
  const header = utf8.decode(bytes.subarray(isFirst ? 10 : 12, start));
  const shape = /'shape': \(([^)]*)\)/.exec(header)[1].split(",").filter((part) => part.trim()).map(Number);
  const count = shape.reduce((product, length) => product * length, 1);
  const described = /'descr': '([<>|=]?)([A-Za-z])(\d+)(?:\[(\d*)(\w+)\])?'/.exec(header);
  if (described === null || header.includes("'fortran_order': True")) {
    throw new Error("the elements are records, which cannot be drawn: open data.npy in NumPy");
  }
  const [, order, kind, width, factor, unit] = described;
  const isBig = order === ">";
  const size = Number(width) * (kind === "U" ? 4 : 1);
  if (bytes.length < start + count * size) {
    throw new Error("the server's answer is too short");
  }
  const body = new DataView(buffer, start, count * size);
  if (kind === "U" || kind === "S") {
    return { shape, values: null, exact: null, text: (index) => textAt(bytes, start + index * size, size, kind, isBig) };
  }
  const read = readers(body, kind === "V" ? dtype : kind + width, !isBig);
  if (read === undefined) {
    throw new Error(`elements of the type ${dtype || kind + width} cannot be drawn`);
  }
  if (kind === "c") {
    const values = filled(new Float64Array(count), (index) => Math.hypot(...read(index)));
    return { shape, values, exact: null, text: (index) => complexText(read(index), width === "8" ? "f4" : "f8") };
  }
  if (kind === "M" || kind === "m" || ((kind === "i" || kind === "u") && width === "8")) {
    const exact = filled(kind === "u" ? new BigUint64Array(count) : new BigInt64Array(count), read);
    if (kind === "i" || kind === "u") {
      return { shape, values: Float64Array.from(exact, Number), exact, text: (index) => String(exact[index]) };
    }
    const values = Float64Array.from(exact, (number) => (number === NOT_A_TIME ? NaN : Number(number)));
    const scale = Number(factor || 1);
    return { shape, values, exact: null, text: (index) => timeText(exact[index], kind, scale, unit) };
  }
  const values = filled(new Float64Array(count), read);
  const text = kind === "b" ? (index) => (values[index] ? "True" : "False") : (index) => numberText(values[index], kind + width);
  return { shape, values, exact: null, text };
}

function filled(array, read) {
  for (let index = 0; index < array.length; index += 1) {
    array[index] = read(index);
  }
  return array;
}

/** A function that reads the element at an index; undefined for other types. */
function readers(body, type, isLittle) {
  const at = (method, size) => (index) => body[method](index * size, isLittle);
  const pair = (read) => (index) => [read(2 * index), read(2 * index + 1)];
  return {
    b1: (index) => body.getUint8(index),
    i1: (index) => body.getInt8(index),
    u1: (index) => body.getUint8(index),
    i2: at("getInt16", 2),
    u2: at("getUint16", 2),
    i4: at("getInt32", 4),
    u4: at("getUint32", 4),
    i8: at("getBigInt64", 8),
    u8: at("getBigUint64", 8),
    f2: (index) => fromHalf(body.getUint16(2 * index, isLittle)),
    f4: at("getFloat32", 4),
    f8: at("getFloat64", 8),
    c8: pair(at("getFloat32", 4)),
    c16: pair(at("getFloat64", 8)),
    M8: at("getBigInt64", 8),
    m8: at("getBigInt64", 8),
    bfloat16: (index) => fromBrain(body.getUint16(2 * index, isLittle)),
  }[type];
}

/** A number with 16 bits according to IEEE 754. */
function fromHalf(bits) {
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) {
    return fraction ? NaN : sign * Infinity;
  }
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

/** A number whose bits are the upper half of a float32. */
function fromBrain(bits) {
  return new Float32Array(Uint32Array.of(bits << 16).buffer)[0];
}

/** A number with as many digits as its type needs. */
function numberText(number, type) {
  for (let digits = 6; type === "f4" && digits < 9; digits += 1) {
    const text = String(Number(number.toPrecision(digits)));
    if (Math.fround(Number(text)) === number) {
      return text;
    }
  }
  return String(number);
}

function complexText([real, imaginary], type) {
  const sign = imaginary < 0 || Object.is(imaginary, -0) ? "−" : "+";
  return `${numberText(real, type)} ${sign} ${numberText(Math.abs(imaginary), type)}i`;
}

function timeText(number, kind, scale, unit) {
  if (number === NOT_A_TIME) {
    return "NaT";
  }
  const milliseconds = Number(number) * scale * UNITS[unit];
  if (kind === "M" && Math.abs(milliseconds) <= 8.64e15) {
    return new Date(Math.floor(milliseconds)).toISOString().replace("T00:00:00.000Z", "").replace(/(\.000)?Z$/, "");
  }
  return `${number}${scale === 1 ? "" : ` × ${scale}`} ${unit ?? ""}`.trim();
}

/** Text of fixed length, which NULs at the end fill. */
function textAt(bytes, offset, size, kind, isBig) {
  if (kind === "S") {
    return utf8.decode(bytes.subarray(offset, offset + size)).replace(/\0+$/, "");
  }
  const view = new DataView(bytes.buffer, offset, size);
  const points = Array.from({ length: size / 4 }, (_, index) => view.getUint32(4 * index, !isBig));
  return points.map((point) => (point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd")).join("").replace(/\0+$/, "");
}
