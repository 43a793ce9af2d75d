import { pathOf } from "../words.ts";
import { isFailedExchange } from "./failed-exchange.ts";
import type { Exchange } from "./run-facts.ts";

/** Parameters by which frameworks ask for a part of a page, beside what the page is asked for (SvelteKit, Next, React Router). */
const OWN_PARAMETER = /^(?:x-sveltekit-[a-z-]{1,40}|_rsc|_routes)(?:=|$)/;

/** An address without what a framework puts to it for itself. */
export function withoutOwnParameters(url: string): string {
  const [, path, query, rest] = /^([^?#]*)\?([^#]*)(.*)$/s.exec(url) ?? [];
  if (query === undefined) return url;
  const parts = query.split("&");
  const own = parts.filter((part) => !OWN_PARAMETER.test(part));
  return own.length === parts.length ? url : `${path}${own.length > 0 ? "?" : ""}${own.join("&")}${rest}`;
}

/** Whether a router asked which routes the links of a page lead to (React Router): it does so on its own, when and as it likes. */
export const isRouteDiscovery = (one: Exchange): boolean =>
  /\/__manifest$/.test(pathOf(one.url)) && /[?&]paths?=/.test(one.url) && !isFailedExchange(one);

/** The address of the page whose data a script asks for on the way to it; the address itself of all else. */
export const pageAsked = (url: string): string =>
  url.replace(/(?:\/(?:__data\.json|_root\.data|_\.data)|\.data)(?=$|[?#])/, "");
