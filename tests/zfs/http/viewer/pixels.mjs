// The pixels, contrast and missing elements of the case on standard input, as JSON.
//
//   node pixels.mjs PATH_OF_COLOURS_JS
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const colours = await import(pathToFileURL(process.argv[2]));

const { texts, isLong, shape, missing, cut, map, isTransposed } = JSON.parse(readFileSync(0, "utf-8"));
const numbers = texts.map((text) => Number(text));
const elements = { values: Float64Array.from(numbers), exact: isLong ? texts.map(BigInt) : null };
const isMissing = colours.missingIn(elements, missing);
const range = colours.automaticRange(elements.values, isMissing, cut);
const pixels = colours.paint(elements.values, shape, isMissing, range, map, isTransposed);
console.log(JSON.stringify({ range, pixels: Array.from(pixels), missing: numbers.map((_, index) => isMissing(index)) }));
