import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted, requestOf } from "../../words.ts";

const MOST = 40;

/** A frame that was opened with the origin of the page around it, where that page is at another one: its messages go astray. */
export function detectOtherParent({ run, failed, passes }: Evidence): Finding[] {
  const { facts } = run;
  const isSeen = (origin: string) => facts.exchanges.some(({ url }) => URL.parse(url)?.origin === origin);
  const documents = facts.exchanges.filter(({ type, ts }) => type === "document" && ts <= failed.to);
  for (const frame of documents.slice(-MOST).toReversed()) {
    const given = [...(URL.parse(frame.url)?.searchParams ?? [])].find(
      ([name, value]) => PARENT.test(name) && isOrigin(value) && !isSeen(URL.parse(value)!.origin),
    );
    const page = documents.findLast(({ ts, url }) => ts < frame.ts && !isSameOrigin(url, frame.url));
    if (!given || !page || passes.some((pass) => hasParent(pass, given))) continue;
    const [name, value] = given;
    return [
      {
        kind: "page_changed",
        title: `${requestOf({ ...frame, url: frame.url.replace(/\?.*/s, "") }, facts)} was opened with ${quoted(value, 80)} for ${quoted(name, 40)}, but the page is at ${quoted(URL.parse(page.url)!.origin, 80)}: its messages go to another origin`,
        detail: null,
        step_id: frame.step_id,
        events: [frame.seq, page.seq],
        ts: frame.end ?? frame.ts,
        is_new: passes.length === 0 ? null : true,
        weight: 0.92,
        about: `body ${frame.seq}`,
      },
    ];
  }
  return [];
}

/** What the page around a frame is called in its address. */
const PARENT = /^(?:parent|opener|embedder|host|target)_?(?:origin|url)?$|origin$/i;

/** Whether a text is the address of an origin, and of nothing in it. */
export const isOrigin = (value: string): boolean => {
  const url = /^https?:/i.test(value) ? URL.parse(value) : null;
  return url !== null && url.pathname === "/" && url.search === "";
};

const isSameOrigin = (one: string, other: string): boolean =>
  URL.parse(one)?.origin === URL.parse(other)?.origin;

const hasParent = ({ facts }: RunEvidence, [name, value]: [string, string]): boolean =>
  facts.exchanges.some(
    ({ type, url }) => type === "document" && URL.parse(url)?.searchParams.get(name) === value,
  );
