// Requests to the server that the page came from.

const AGAIN_MAX = 5;
const here = new URL(import.meta.url);

/** What the server says it does not have. */
export class NotFoundError extends Error {}

/** An answer of the server; a busy server is asked again. */
export async function ask(address, options = {}) {
  const url = new URL(address, here);
  const token = here.searchParams.get("token");
  const headers = { ...options.headers, ...(token === null ? {} : { Authorization: `Bearer ${token}` }) };
  for (let count = 0; ; count += 1) {
    const answer = await fetch(url, { ...options, headers });
    if (answer.ok) {
      return answer;
    }
    if (answer.status === 404) {
      throw new NotFoundError("there is no such node");
    }
    if (answer.status !== 503 || count === AGAIN_MAX) {
      throw new Error((await answer.text()).trim().slice(0, 500));
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** count));
  }
}

const asking = new Map();
/** What the server knows of a node. The tree and the stage share an answer that is under way. */
export function askNode(place) {
  if (!asking.has(place)) {
    const answer = ask(`nodes${place}/`).then((found) => found.json());
    asking.set(place, answer.finally(() => asking.delete(place)));
  }
  return asking.get(place);
}
