import { saidIn } from "../../exchanges/said-in.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { quoted } from "../../words.ts";

/** What an answer of success says went wrong all the same, as a clause: GraphQL's `errors`, `ok: false`, a part of a batch. */
export function errorWithin(value: unknown, asked: unknown): string | null {
  if (Array.isArray(value)) return partWithin(value, asked);
  if (!isRecord(value)) return null;
  const { errors, error, ok, success, status } = value;
  const said = (of: unknown, otherwise: string) => {
    const words = saidIn(JSON.stringify(of));
    return words === null ? otherwise : `says ${quoted(words)}`;
  };
  const refused = Object.entries({ ok, success, status }).find(
    ([, of]) => of === false || (typeof of === "string" && /^(?:error|failed|failure)$/i.test(of)),
  );
  if (Array.isArray(errors) ? errors.length > 0 : isRecord(errors) && Object.keys(errors).length > 0)
    return said(errors, "tells of an error");
  if (typeof error === "string" ? error !== "" : isRecord(error)) return said({ error }, "tells of an error");
  if (refused) return said(value, `has ${quoted(String(refused[1]))} for ${quoted(refused[0])}`);
  // What was sent in one and is answered part by part.
  const lists = asked === undefined ? [] : Object.values(value).filter(Array.isArray);
  return lists.length === 1 ? partWithin(lists[0]!, asked) : null;
}

const MOST_PARTS = 100;

/** The part of an answer to several requests at once that failed. */
function partWithin(parts: unknown[], asked: unknown): string | null {
  for (const [at, part] of parts.slice(0, MOST_PARTS).entries()) {
    if (!isRecord(part)) continue;
    const status = [part.status, part.statusCode, part.status_code, part.code].find(Number.isInteger);
    const isFailed = typeof status === "number" && status >= 400 && status < 600;
    const within = isFailed
      ? null
      : errorWithin(part.errors === undefined ? null : { errors: part.errors }, undefined);
    const refused = !isFailed && within === null && asked !== undefined && isRefusedPart(part);
    if (!isFailed && within === null && !refused) continue;
    const own: unknown = Array.isArray(asked) ? asked[at] : undefined;
    const to = isRecord(own)
      ? [own.path, own.url, own.operationName].find((one) => typeof one === "string")
      : undefined;
    const name = `its part ${at + 1}${to === undefined ? "" : ` (${quoted(String(to), 80)})`}`;
    if (within !== null) return `${name} ${within}`;
    const said = saidIn(JSON.stringify(part.body ?? part.error ?? part));
    if (refused) return `${name} failed${said === null ? "" : `: ${quoted(said)}`}`;
    return `${name} failed with ${status}${said === null ? "" : `: ${quoted(said)}`}`;
  }
  return null;
}

const isRefusedPart = ({ ok, success }: Record<string, unknown>): boolean =>
  ok === false || success === false;
