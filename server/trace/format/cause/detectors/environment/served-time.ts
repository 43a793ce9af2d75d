import { textsOf } from "../../page/page-texts.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 10;

/** The page that a server wrote a date or a time into itself. */
export interface ServedTime {
  /** As a clause: `; GET /shifts was served with it`. */
  words: string;
  seq: number;
  /** Whether the page names another time zone than in the last pass. */
  isOtherZone: boolean;
}

/** The last page that was served with what the test met in the place of what it wants: the server's clock and zone made that; null where a script of the page did. */
export function servedTime(evidence: Evidence, want: string, got: string): ServedTime | null {
  const { run, passes } = evidence;
  const one = answersBefore(evidence, MOST, isPage).findLast((page) => {
    const texts = textsIn(page, run);
    return texts.some((text) => text.includes(got)) && !texts.some((text) => text.includes(want));
  });
  if (!one) return null;
  const zone = zoneIn(textsIn(one, run));
  const usual = passes[0] && usualZone(passes[0], one, run.facts);
  const isOtherZone = zone !== null && usual != null && usual !== zone;
  const named =
    zone === null
      ? ""
      : `, and names the time zone ${quoted(zone, 40)}${isOtherZone ? `, where the last pass had ${quoted(usual, 40)}` : ""}`;
  return { words: `; ${requestOf(one, run.facts)} was served with it${named}`, seq: one.seq, isOtherZone };
}

const isPage = ({ mediaType, type }: Exchange): boolean => /html/.test(mediaType) && type !== "script";

const textsIn = (one: Exchange, { bodies }: RunEvidence): string[] => textsOf(bodyOf(one, bodies) ?? "");

/** The zone that the same page of a pass names; null where it names none. */
function usualZone(pass: RunEvidence, one: Exchange, facts: RunFacts): string | null {
  const page = ofSameTurn(one, facts, pass.facts, isPage);
  return page ? zoneIn(textsIn(page, pass)) : null;
}

/** The name of a zone in the texts of a page. */
const zoneIn = (texts: readonly string[]): string | null =>
  texts.map((text) => ZONE.exec(text)?.[0]).find((zone) => zone !== undefined) ?? null;

/** As the tz database names zones. */
const ZONE =
  /\b(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)\/[A-Z][\w+-]{1,30}(?:\/[A-Z]\w{1,30})?/;
