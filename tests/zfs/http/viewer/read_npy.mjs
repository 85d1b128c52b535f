// Reads NumPy files with the viewer's program, and prints the elements of each as a line of JSON.
//
//   node read_npy.mjs PATH_OF_NPY_JS FILE=DTYPE…
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [program, ...files] = process.argv.slice(2);
const { parseNpy } = await import(pathToFileURL(program));

for (const argument of files) {
  const at = argument.lastIndexOf("=");
  const bytes = readFileSync(argument.slice(0, at));
  const found = parseNpy(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), argument.slice(at + 1));
  const count = found.shape.reduce((product, length) => product * length, 1);
  const texts = Array.from({ length: count }, (_, index) => found.text(index));
  const values = found.values === null ? null : Array.from(found.values, String);
  console.log(JSON.stringify({ shape: found.shape, values, texts }));
}
