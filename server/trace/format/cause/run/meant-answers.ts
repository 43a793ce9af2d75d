import { type Meant, meantBy } from "../values/forms/meant.ts";
import { headerOf, pathOf } from "../words.ts";
import type { Exchange } from "./run-facts.ts";

const ADDRESS = /(?:\/__data\.json|\/_payload\.json|\/_app\/remote\/.{1,300}|.\.data)$/;

/** Answers that may be in the form of a framework: by their address, their type, or what the page asked for. */
export const inForms = (exchanges: readonly Exchange[]): Exchange[] =>
  exchanges.filter(
    (one) =>
      one.body !== null &&
      (ADDRESS.test(pathOf(one.url)) ||
        /^text\/x-(?:script|turbo|component)/.test(one.mediaType) ||
        headerOf(one.requestHeaders, "x-sveltekit-action") !== null),
  );

const LONGEST = 512 * 1024;

/** Has an answer say what it means to the page, where it is in the form of a framework: its value, its status and where it leads. */
export function sayMeant(one: Exchange, text: string): void {
  const meant = meantBy(text);
  if (meant === null) return;
  const json = meant.value === undefined ? null : JSON.stringify(meant.value);
  if (json !== null && json.length > LONGEST) return;
  one.body = json;
  if (json !== null) one.mediaType = "application/json";
  addStatus(one, meant);
}

function addStatus(one: Exchange, { status, location }: Meant): void {
  if (location !== undefined) one.headers = [...one.headers, { name: "location", value: location }];
  if (status === undefined || status === one.status || one.status === null || one.status >= 300) return;
  one.status = status;
  one.statusText = "";
}
