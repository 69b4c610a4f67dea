import type { Kit } from "../data_loader.ts";

export let { debounced, errorMessage, fill, grouped, icon, make, plural } = {} as Kit;
export let { save, tableOf, dayNumber, fullDay, call, callForJson, isOver, load } = {} as Kit;

/** Takes the parts of the page, once, before the view is created. */
export function takeKit(kit: Kit) {
  ({ debounced, errorMessage, fill, grouped, icon, make, plural } = kit);
  ({ save, tableOf, dayNumber, fullDay, call, callForJson, isOver, load } = kit);
}

/** Runs a step, and shows its result or its error. */
export async function attempt(place: Element, step: () => Promise<(Node | string)[]>) {
  try {
    fill(place, ...await step());
  } catch (error) {
    fill(place, isOver(error) ? "" : errorMessage(error));
  }
}

/** Creates a button that shows a key in its place, with which a job needs no secret. */
export function keyButton(words: string, queryOf: () => Record<string, string>) {
  const place = make("span.small", { role: "status" });
  const click = () =>
    attempt(place, async () => {
      const { key } = await callForJson(`key?${new URLSearchParams(queryOf())}`);
      return ["Send it as a Bearer token: ", make("code", key)];
    });
  const element = make(".line", make("button.quiet", { click }, words), place);
  return { element, forget: () => fill(place) };
}
