import type { Normaliser } from "../../../diff/normalise.ts";
import { likenessTo } from "../../../similarity.ts";
import { isBefore } from "../../compare.ts";
import { isAddedScript } from "../../exchanges/added-script.ts";
import { attributeApart, lostBy, renamedAttribute } from "../../page/lost-attributes.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isStarter } from "../../values/forms/started-with.ts";
import { jsonOf } from "../../values/json-leaves.ts";
import { isAnotherId } from "../../values/made-values.ts";
import { aboutUrl, bodyOf, isTracker, quoted, requestOf } from "../../words.ts";
import { isWithheld } from "../elements/element.ts";
import { scriptLeftOut } from "./script-left-out.ts";

const MOST_DOCUMENTS = 12;
const MOST_TAGS = 2_000;
/** More than these are another page, and not another field. */
const FEW = 4;

/**
 * Pages that came with other forms, fields, frames or scripts than in the passes: what a page does with what is typed
 * and clicked stands in no text of it.
 */
export function detectMarkup(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  return lastOf(
    run.facts.exchanges,
    MOST_DOCUMENTS,
    (one) =>
      /html/.test(one.mediaType) &&
      one.type !== "script" &&
      !isFailedExchange(one) &&
      !isTracker(one.url) &&
      isBefore(evidence, one.end ?? one.ts),
  ).flatMap((one) => findingOf(evidence, one) ?? []);
}

function findingOf(evidence: Evidence, one: Exchange): Finding | null {
  const { run, passes } = evidence;
  const { facts, bodies } = run;
  const body = bodyOf(one, bodies);
  const others = passes.flatMap((pass) =>
    exchangesOf(pass.facts, exchangeKey(one, facts)).flatMap((other) => bodyOf(other, pass.bodies) ?? []),
  );
  if (body === undefined || others.length < passes.length) return null;
  // Tests change which buttons are held back: it matters where the step met one.
  const acts = isWithheld(evidence) ? ACTS_OR_HOLDS : ACTS;
  const mine = actingParts(body, facts.normaliser, acts);
  const theirs = others.map((other) => actingParts(other, facts.normaliser, acts));
  const isVarying = varyingBetween(theirs);
  const come = [...mine].filter(
    ([part, count]) => !isVarying(part) && theirs.every((parts) => (parts.get(part) ?? 0) < count),
  );
  const left = [...theirs[0]!].filter(
    ([part, count]) =>
      // Of what only stands there less often, there are fewer things.
      !isVarying(part) && !mine.has(part) && theirs.every((parts) => parts.get(part) === count),
  );
  const isMadeOf = (one: Part, others: readonly Part[]) => others.some(([part]) => isAnotherId(one[0], part));
  const fresh = come.filter((part) => !isMadeOf(part, left) && !isScriptBeside(part[0], evidence));
  const kinds = new Set([...mine.keys()].map(outlineOf));
  // Of a kind of things that stands there still, one fewer is no other markup.
  const isThing = ([part]: Part) => !ACTORS.has(/^<([\w-]+)/.exec(part)![1]!) && kinds.has(outlineOf(part));
  const lost = left.filter((part) => !isMadeOf(part, come));
  const gone = fresh.length === 0 ? lost.filter((part) => !isThing(part)) : lost;
  const changed = Math.max(fresh.length, gone.length);
  if (changed === 0 || changed > FEW) return null;
  const isFewer = ([part, count]: Part) =>
    mine.has(part) && mine.get(part)! < count && theirs.every((parts) => parts.get(part) === count);
  const told = tell(fresh, gone, [...theirs[0]!].filter(isFewer), mine);
  const lostScript =
    fresh.length === 0
      ? scriptLeftOut(
          gone.map(([part]) => part),
          evidence,
        )
      : null;
  return {
    kind: "answer_changed",
    title: `${requestOf(one, facts)} came ${lostScript === null ? told.words : withoutScript(lostScript)}`,
    detail: [...gone.map(([part]) => `- ${part}`), ...fresh.map(([part]) => `+ ${part}`)].join("\n"),
    step_id: one.step_id,
    events: [one.seq],
    ts: one.end ?? one.ts,
    is_new: true,
    // What is only gone is told better as what the test misses.
    weight: lostScript !== null ? 0.93 : weightOf({ told, changed, fresh, gone, mine, others }, evidence),
    about: `markup ${aboutUrl(one.url, facts)}`,
    ...(told.markup && { markup: told.markup }),
    ...(lostScript !== null && { markup: "gone" }),
    ...(told.lostName && { lostName: told.lostName }),
    ...(told.listsMore && { listsMore: true }),
    ...(told.renamed && { renamed: told.renamed }),
  };
}

/** Whether a part brings a script that the page does without. */
function isScriptBeside(part: string, evidence: Evidence): boolean {
  const source = /^<script\b[^>]*\ssrc="([^"]{1,500})"/.exec(part)?.[1];
  const script =
    source !== undefined &&
    evidence.run.facts.exchanges.find(({ type, url }) => type === "script" && url.endsWith(source));
  return script ? isAddedScript(evidence, script) : false;
}

/** Of what belongs to one of many things, which the failed step would name: what state those are in is another one in each run. */
const OF_ONE_OF_MANY = 0.3;

function weightOf(
  {
    told,
    changed,
    fresh,
    gone,
    mine,
    others,
  }: {
    told: Told;
    changed: number;
    fresh: readonly Part[];
    gone: readonly Part[];
    mine: ReadonlyMap<string, number>;
    others: readonly string[];
  },
  evidence: Evidence,
): number {
  if (fresh.length === 0)
    return !isMissing(evidence) && gone.every(([part]) => part.includes("<id>")) ? OF_ONE_OF_MANY : 0.5;
  if (told.isData && fresh.every(([part]) => isOneOfMany(part, mine))) return OF_ONE_OF_MANY;
  // One page of one pass does not tell what varies.
  if (others.length === 1) return 0.7;
  // The more of it is another one, the less each tells.
  return changed === 1 ? 0.88 : 0.8;
}

/** Whether a page has several of a kind. */
const isOneOfMany = (part: string, parts: ReadonlyMap<string, number>): boolean =>
  [...parts.keys()].filter((other) => outlineOf(other) === outlineOf(part)).length > 1;

const withoutScript = (path: string): string =>
  `without the <script> that loads ${quoted(path)}, which it has in every pass: the script was never asked for`;

/** Whether passes differ in such a part: what varies between them varies always. */
function varyingBetween(pages: readonly Map<string, number>[]): (part: string) => boolean {
  const varying = new Set<string>();
  for (const parts of pages)
    for (const part of parts.keys())
      if (pages.some((other) => !other.has(part))) varying.add(outlineOf(part));
  return (part) => varying.has(outlineOf(part));
}

/** A part without the values that tell one thing of a kind from another. */
const outlineOf = (part: string) =>
  tagOf(part).replace(/ ((?:data-[\w:.-]+|id|href|src|action|content))="[^"]*"/g, " $1");

/** The tag of a part, without the code in it. Ids in its values are told as `<id>`. */
const tagOf = (part: string): string => /^<(?:[^">]|"[^"]*")*>/.exec(part)![0];

type Part = readonly [string, number];

type Told = Pick<Finding, "markup" | "lostName" | "listsMore" | "renamed"> & {
  words: string;
  /** Whether it is a figure that elements are given as data. */
  isData?: true;
};

/** @param fewer what stands there still, and less often than in the passes */
function tell(
  fresh: readonly Part[],
  gone: readonly Part[],
  fewer: readonly Part[],
  mine: Map<string, number>,
): Told {
  const [now] = fresh;
  if (now === undefined) {
    const [part] = gone[0]!;
    return {
      words: `without ${quoted(part)}, which it has in the last pass`,
      ...lostNameOf(part),
    };
  }
  const [part, count] = fresh.find(([one]) => attributesOf(one).has("disabled")) ?? now;
  const tag = /^<[\w-]+/.exec(part)![0];
  const likenessOf = likenessTo(part);
  const [before] = gone
    .map(([other]) => other)
    .filter((other) => other.startsWith(tag))
    .toSorted((a, b) => likenessOf(b) - likenessOf(a));
  if (before !== undefined) return apart(part, before);
  // Of several of one name one may have got another.
  const [alike] = fewer.find(([other]) => isOfOtherName(part, other)) ?? [];
  if (alike !== undefined) return apart(part, alike);
  const listsMore = mine.get(part)! > 1 && count > 1;
  const words = listsMore
    ? `with ${quoted(part)} ${count === 2 ? "twice" : `${count} times`}, more often than in the last pass`
    : `with ${quoted(part)}, which it has not in the last pass`;
  return {
    words,
    ...(listsMore && { listsMore }),
    ...(attributesOf(part).has("disabled") && { markup: "disabled" }),
  };
}

/** Whether two tags differ in their names alone. */
function isOfOtherName(now: string, before: string): boolean {
  const [mine, theirs] = [attributesOf(now), attributesOf(before)];
  const isNamed = mine.get("name") !== theirs.get("name") && mine.has("name") && theirs.has("name");
  return isNamed && withoutName(now) === withoutName(before);
}

const withoutName = (part: string): string => part.replace(/ name="[^"]*"/, "");

/** In which attribute two tags differ, or where in their text. */
function apart(now: string, before: string): Told {
  const [mine, theirs] = [attributesOf(now), attributesOf(before)];
  const others = [...mine.keys(), ...theirs.keys()].filter((one) => mine.get(one) !== theirs.get(one));
  // Forms and browsers go by these; of states only what holds an element back is looked at, where the step met that.
  const name = ["disabled", "name", "type"].find((one) => others.includes(one)) ?? others[0];
  if (name === undefined) {
    const [code, other] = [now, before].map((part) => part.slice(tagOf(part).length)) as [string, string];
    return {
      words: `with another script in it: ${quoted(around(code, other))}, where the last pass had ${quoted(around(other, code))}`,
      markup: "code",
    };
  }
  const tag = /^<[\w-]+/.exec(now)![0];
  const by = name === "name" ? undefined : ["name", "id"].find((one) => one !== name && mine.has(one));
  const where = `in ${tag}${by === undefined ? "" : ` ${by}="${mine.get(by)}"`}>`;
  const said = renamedAttribute(mine, theirs) ?? attributeApart(name, mine.get(name), theirs.get(name));
  const words = `${said.now} ${where}, where the last pass had ${said.before}`;
  if (/^data-/.test(name) && [mine, theirs].every((one) => /^\d+$/.test(one.get(name) ?? "")))
    return { words, isData: true };
  if (!mine.has(name)) return { words, ...(name === "name" && lostNameOf(before)) };
  if (tag === "<script" && name === "src") return { words, markup: "address" };
  const usual = theirs.get(name);
  if (name === "name" && usual !== undefined)
    return { words, renamed: { now: mine.get(name)!, before: usual } };
  return { words, ...(name === "disabled" && { markup: "disabled" }) };
}

/** The name of a field that stands there no longer. */
const lostNameOf = (part: string): Pick<Finding, "lostName"> =>
  lostBy(/^<([\w-]+)/.exec(part)![1]!, "name", undefined, attributesOf(part).get("name"));

const attributesOf = (part: string) =>
  new Map(
    [
      ...tagOf(part)
        .replace(/^<[\w-]+/, "")
        .matchAll(ATTRIBUTE),
    ].map(([, name, a, b, c]) => [name!, a ?? b ?? c ?? ""]),
  );

const SHOWN = 110;

/** A long text from shortly before where it differs from another one. */
function around(text: string, other: string): string {
  if (text.length <= SHOWN) return text;
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  return `${at > 30 ? "…" : ""}${text.slice(Math.max(0, at - 30), at + SHOWN - 30)}${at + SHOWN - 30 < text.length ? "…" : ""}`;
}

const TAG = /<([a-z][\w-]{0,40})\b([^<>]{0,4000})>/gi;
const ACTORS = new Set("form input select textarea button iframe base html meta script".split(" "));
/** Names have colons, dots and more in them (HTML, 13.1.2.3): `hx-target:inherited`, `@click`. */
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=]+)))?/gi;
/** What a browser or a script acts by. Values that a person types, tokens and states that tests change are left out. */
const ACTS =
  /^(?:type|name|id|action|method|enctype|target|formaction|required|readonly|min|max|step|pattern|minlength|maxlength|accept|multiple|src|href|lang|http-equiv|sandbox|data-[\w:.-]+|on[a-z]{3,20}|(?:hx|x)-[\w:.-]+|@[\w:.-]+)$/;
/** What only looks otherwise, is said to people, or changes as the page is used. */
const LOOKS = /^(?:class|style|title|value|aria-.+|hidden|open|disabled|checked|selected)$/i;
/** What makes any element one that acts: data and handlers of its own. */
const ACTING = /\s(?:data-|hx-|x-|@[a-z]|on[a-z]{3,20}=)/i;

const ACTS_OR_HOLDS = new RegExp(`${ACTS.source}|^disabled$`);

/** Names of what tells one visitor, visit or experiment from another. */
const OF_VISITORS =
  /^data-(?:.*-)?(?:variant|experiment|bucket|ab|request|visit|session|nonce|trace|span|rid|time|ts)$/i;

const LONGEST_CODE = 200_000;

/** A script of the page, line by line: only so much of one text is normalised. */
const codeOf = (script: string, normalised: (text: string) => string): string =>
  script
    .slice(0, LONGEST_CODE)
    .split("\n")
    .map(normalised)
    .filter((line) => line !== "")
    .join(" ");

/** An id in a query, of which one in twelve has no letter by which it is known. */
const TOKEN = /([?&][\w-]{1,40}=)[\da-f]{8,}(?=&|$)/g;
const ADDRESS = /^((?:https?:\/\/[^/?#\s]+)?)(\/[^?#\s]+)(.*)$/s;

/** How templates write what would end a value or a tag. */
const ESCAPED = /&(?:quot|apos|lt|gt|amp|#34|#39|#x22|#x27);/gi;
const SIGNS: Record<string, string> = {
  "&quot;": '"',
  "&#34;": '"',
  "&#x22;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
};

/** A value as it is across runs: of an address every part of its path that is an id, and of data whatever is known by its name as one. */
function steadyValue(value: string, { text, url, json }: Normaliser): string {
  const data = /^\s*[[{]/.test(value)
    ? jsonOf(value.replace(ESCAPED, (sign) => SIGNS[sign.toLowerCase()]!))
    : undefined;
  if (typeof data === "object" && data !== null) return JSON.stringify(json(data)).replaceAll('"', "'");
  const [, origin, path, rest] = ADDRESS.exec(value) ?? [];
  const said =
    path === undefined ? text(value) : `${text(origin!)}${url(path)}${text(rest!.replace(TOKEN, "$1<id>"))}`;
  // Parts have their values in these.
  return said.replaceAll('"', "'");
}

/** Whether a `<meta>` sets how the page's scripts work, and is not of its visitor or its release: by its name, or with data in it. */
const isConfiguration = (given: string): boolean =>
  /\bname=["']?[^"'\s>]{0,60}(?:config|settings|options)\b/i.test(given) ||
  /\bcontent=["']\s*\{/i.test(given);

/** What of a page acts, as one tag each, with how often it stands there. */
function actingParts(html: string, normaliser: Normaliser, acts: RegExp): Map<string, number> {
  const parts = new Map<string, number>();
  const tags = new RegExp(TAG);
  let hasCode = true;
  for (let seen = 0; seen < MOST_TAGS; seen++) {
    const found = tags.exec(html);
    if (!found) break;
    const [tag, name, given] = [found[0], found[1]!.toLowerCase(), found[2]!];
    let code = "";
    if (name === "script" && hasCode) {
      const end = html.indexOf("</script", tags.lastIndex);
      hasCode = end >= 0;
      // What is handed over as data is compared as answers are.
      const script = hasCode ? html.slice(tags.lastIndex, end) : "";
      if (!/\btype=["']?application\/json\b/i.test(given) && !isStarter(script))
        code = codeOf(script, normaliser.text);
      if (hasCode) tags.lastIndex = end;
    }
    // Components act by attributes of their own.
    const isComponent = name.includes("-");
    if (!ACTORS.has(name) && !isComponent && !ACTING.test(tag)) continue;
    const isSetting = name === "meta" && isConfiguration(given);
    // What stands on the whole page tells of an experiment, or of the visitor.
    if (name === "body" || (name === "meta" && !isSetting && !/http-equiv/i.test(given))) continue;
    const said = [...given.matchAll(ATTRIBUTE)].flatMap(([, attribute, a, b, c]) => {
      const value = a ?? b ?? c;
      const isOfPage = name === "html" && attribute!.toLowerCase() !== "lang";
      return !isOfPage &&
        !OF_VISITORS.test(attribute!) &&
        (isComponent ? !LOOKS.test(attribute!) : acts.test(attribute!.toLowerCase()) || isSetting)
        ? [`${attribute!.toLowerCase()}${value === undefined ? "" : `="${steadyValue(value, normaliser)}"`}`]
        : [];
    });
    if (said.length === 0 && code === "") continue;
    const part = `<${[name, ...new Set(said.sort())].join(" ")}>${code}`;
    parts.set(part, (parts.get(part) ?? 0) + 1);
  }
  return parts;
}
