// What the viewer would request, and its state in addresses, for each case on standard input; a line of JSON for each.
//
//   node scenes.mjs PATH_OF_SCENE_JS
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const scene = await import(pathToFileURL(process.argv[2]));

for (const { array, fragment, screen } of JSON.parse(readFileSync(0, "utf-8"))) {
  const { place, parameters } = scene.parseFragment(fragment);
  const state = scene.stateOf(array, parameters);
  const written = scene.fragmentOf(place, array, state);
  const again = scene.fragmentOf(place, array, scene.stateOf(array, scene.parseFragment(written).parameters));
  const isLine = state.rows < 0;
  console.log(JSON.stringify({
    state, written, again, needed: scene.needed(array, state, screen, isLine), table: scene.neededTable(array, state, [100, 20]),
  }));
}
