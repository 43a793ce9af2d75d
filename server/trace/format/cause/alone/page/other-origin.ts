import { isOrigin } from "../../detectors/session/other-parent.ts";
import { dataIn } from "../../exchanges/asked-again.ts";
import { isRead } from "../../exchanges/sent.ts";
import { servedElements } from "../../exchanges/served-elements.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 40;
/** What a setting is called that tells whose messages are taken. */
const ORIGIN = /origin$/i;
/** Words of such a name that say nothing of whose it is. */
const FILLERS = new Set(
  "data allowed allow trusted expected target parent frame iframe message post origin".split(" "),
);

/** A setting that names the origin of a frame, where that frame is at another one: a page takes no message of it then. */
export function detectOtherOrigin(evidence: Evidence): Finding[] {
  const { facts } = evidence.run;
  const seen = new Set(facts.exchanges.flatMap(({ url }) => URL.parse(url)?.origin ?? []));
  const documents = answersBefore(evidence, MOST, ({ type }) => type === "document");
  for (const one of answersBefore(evidence, MOST, (one) => isRead(one, evidence.run)))
    for (const { name, origin } of originsIn(one, evidence)) {
      if (seen.has(origin)) continue;
      const words = wordsOf(name);
      const frame = documents.findLast(
        ({ url, seq }) => seq !== one.seq && words.some((word) => url.toLowerCase().includes(word)),
      );
      const at = frame && URL.parse(frame.url)?.origin;
      if (!frame || !at || at === origin) continue;
      return [
        {
          kind: "answer_changed",
          title: `${requestOf(one, facts)} names ${quoted(origin, 80)} as ${quoted(name, 60)}, but what is shown of it is at ${quoted(at, 80)}: messages from there are of another origin`,
          detail: null,
          step_id: frame.step_id,
          events: [one.seq, frame.seq],
          ts: frame.end ?? frame.ts,
          is_new: null,
          weight: 0.84,
          about: aboutUrl(one.url, facts),
        },
      ];
    }
  return [];
}

/** What an answer calls an origin, as data or in the attributes of a page. */
function originsIn(one: Exchange, { run: { bodies } }: Evidence): { name: string; origin: string }[] {
  const body = bodyOf(one, bodies) ?? "";
  if (!/origin/i.test(body)) return [];
  const attributes =
    one.type === "document" || /html/.test(one.mediaType)
      ? servedElements(body).flatMap(({ attributes: own }) => [...own])
      : [];
  const given = [...leavesOf(dataIn(body)).map(({ path, value }) => [path, value] as const), ...attributes];
  return given.flatMap(([name, value]) => {
    return ORIGIN.test(name) && typeof value === "string" && isOrigin(value)
      ? [{ name, origin: URL.parse(value)!.origin }]
      : [];
  });
}

/** What a setting's name says of whose it is: `payOrigin` of `pay`, `data-scale-origin` of `scale`. */
const wordsOf = (name: string): string[] =>
  name
    .split(".")
    .at(-1)!
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !FILLERS.has(word));
