import { askedFor, isRead } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { figuresApart } from "../../values/figures.ts";
import { aboutUrl, bareOf, quoted, requestOf } from "../../words.ts";
import { SIZE } from "../answers/paging.ts";
import { listLookedAt } from "../page/listed.ts";
import { MOVES_ON } from "./same-question.ts";

const MOST = 40;
/** Fewer are no page of a list. */
const FEWEST = 5;

/** As many things as a page of the list has, where the test wants fewer: as many were asked for at a time, or a next page goes on from there. */
export function detectAskedSize(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const counts = figuresApart(bareOf(failed.expected ?? ""), bareOf(failed.received ?? ""));
  if (!run.page || !counts || counts.want < FEWEST || counts.got <= counts.want) return [];
  const { want, got } = counts;
  if (listLookedAt(evidence, run.page.elements)?.length !== got) return [];
  const one = answersBefore(evidence, MOST, (read) => isRead(read, run)).findLast((read) =>
    sizeOf(read, got, run),
  );
  const next = nextOn(run);
  if (!one && next === undefined) return [];
  const size = one && sizeOf(one, got, run);
  return [
    {
      kind: "page_changed",
      title:
        one && size
          ? `${requestOf({ ...one, url: one.url.split("?", 1)[0]! }, run.facts)} was asked for ${got} things at a time (${quoted(size.join("="), 40)}), which is what the page lists; the test wants ${want}`
          : `The page lists ${got} things at a time and goes on to more of them (${quoted(next!, 40)}): that is the size of its pages, where the test wants ${want} on one`,
      detail: null,
      step_id: one?.step_id ?? failed.step?.step_id ?? null,
      events: [...(one ? [one.seq] : []), run.page.shot.seq],
      ts: one?.end ?? run.page.shot.ts,
      is_new: null,
      weight: one ? 0.88 : 0.8,
      about: one ? aboutUrl(one.url, run.facts, one.operation) : "size of pages",
    },
  ];
}

/** By which parameter a request asks for so many things at a time. */
export const sizeOf = (one: Exchange, got: number, run: RunEvidence): [string, string] | undefined =>
  askedFor(one, run).find(([name, value]) => SIZE.test(name) && value === String(got));

/** What leads to the next page. */
const nextOn = ({ page }: RunEvidence): string | undefined =>
  page?.elements.find(
    ({ role, name, isHidden, attributes }) =>
      !isHidden &&
      /^(?:button|link)$/.test(role) &&
      MOVES_ON.test(name) &&
      attributes.disabled === undefined &&
      attributes["aria-disabled"] !== "true",
  )?.name;
