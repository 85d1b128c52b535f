// Reads arrays over HTTP with zarrita, as viewers in browsers do, and prints a summary of each as a line of JSON.
//
//   node read_with_zarrita.mjs PATH_OF_ZARRITA URL…
import { pathToFileURL } from "node:url";

const [module, ...urls] = process.argv.slice(2);
const zarr = await import(pathToFileURL(module));

for (const url of urls) {
  const array = await zarr.open(new zarr.FetchStore(url), { kind: "array" });
  const whole = await zarr.get(array);
  const plane = await zarr.get(array, [1, null, zarr.slice(2, 5)]);
  const summary = {
    shape: array.shape,
    dtype: array.dtype,
    values: Array.from(whole.data, Number),
    plane: Array.from(plane.data, Number),
  };
  console.log(JSON.stringify(summary));
}
