import { thingsOf } from "../../exchanges/things.ts";
import { isByOne, saidOn, type Thing } from "../../page/said-on.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence } from "../../types.ts";
import { quoted } from "../../words.ts";

const MOST_NAMED = 3;

/** Which things of an answer the page leaves out that every pass shows, or shows though no pass does, as a clause; empty where it shows the same. */
export function listedApart({ run, passes }: Evidence, one: Exchange): string {
  const things = thingsOf(one, run.bodies);
  const pages = [run, ...passes].flatMap(({ page }) => page ?? []);
  if (things.length < 2 || pages.length <= passes.length) return "";
  const apartBy = (field: string) => {
    const [mine, ...theirs] = pages.map((page) => new Set(saidOn(page, things, field)));
    return {
      field,
      gone: things.filter((thing) => !mine!.has(thing) && theirs.every((shown) => shown.has(thing))),
      more: things.filter((thing) => mine!.has(thing) && !theirs.some((shown) => shown.has(thing))),
    };
  };
  const fields = Object.keys(things[0]!).filter((name) => isByOne(things, name));
  const found = fields.map(apartBy).find(({ gone, more }) => gone.length + more.length > 0);
  if (!found) return "";
  const { field, gone, more } = found;
  const isStill = run.before != null && saidOn(run.before, more, field).length === more.length;
  const named = (some: readonly Thing[]) => {
    const names = some.slice(0, MOST_NAMED).map((thing) => quoted(String(thing[field]), 40));
    const others = some.length - names.length;
    return `${names.join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
  };
  return [
    gone.length > 0 ? `: ${named(gone)} ${gone.length === 1 ? "is" : "are"} left out` : "",
    more.length > 0
      ? `: ${named(more)} ${more.length === 1 ? "is" : "are"} ${isStill ? "still listed" : "listed as well"}`
      : "",
  ].join("");
}
