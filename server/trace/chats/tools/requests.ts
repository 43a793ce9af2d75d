import { type Static, Type } from "@sinclair/typebox";
import { AppError } from "../../../http/errors.ts";
import { openEvents, orDamaged } from "../../events/source.ts";
import { exchange } from "../../files/exchange.ts";
import { whereItLies } from "../../files/where-it-lies.ts";
import { ANSWER_BYTES, fitting, told, toldOrNull } from "../../fit.ts";
import { isErrorEvent, readEvent, type TraceEvent } from "../../format/event.ts";
import { methodsOf } from "../../steps/moments.ts";
import { defineChatTool, type Sight } from "./tool.ts";

const BYTES = ANSWER_BYTES - 1_500;
/** Answers that are looked at, and how many of them at once. */
const MOST_READ = 5_000;
const AT_ONCE = 1_000;
/** Of one look: more never fit. */
const MOST_TOLD = 200;
const BODY = 2_500;

const RequestsInput = Type.Object({
  all: Type.Optional(Type.Boolean({ description: "Those that went well too." })),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 300, description: "Part of the address." })),
  from: Type.Optional(Type.Integer({ minimum: 0, description: "How many to pass over, for more." })),
});

export interface ToldRequest {
  seq: number;
  step_id: string | null;
  /** Empty where it was not recorded. */
  method: string;
  url: string;
  status: number | null;
  duration_ms: number | null;
  error: string | null;
}

export const requests = defineChatTool({
  name: "list_requests",
  description:
    "The requests that went wrong (a status from 400, no answer, a broken connection), or all of them, in the order of their answers.",
  input: RequestsInput,
  async look(sight, given) {
    const { answers, requests: sent, isWhole, methodOf } = await exchanges(sight);
    const answered = new Set(answers.map(({ request_id: id }) => id));
    const open = sent.filter(({ request_id: id }) => !answered.has(id));
    const chosen = [...answers.filter((one) => given.all === true || isErrorEvent(one)), ...open]
      .sort((a, b) => a.seq - b.seq)
      .filter(({ url }) => given.url === undefined || (typeof url === "string" && url.includes(given.url)))
      .map((event) => ({ event, method: methodOf(event) }));
    const { from = 0 } = given;
    const told = chosen
      .slice(from, from + MOST_TOLD)
      .map(({ event, method }) => toldRequest(sight.clean(event), method));
    return {
      answered: answers.length,
      without_answer: open.length,
      found: chosen.length,
      ...(isWhole ? {} : { note: `Only the first ${MOST_READ} answers were looked at.` }),
      from,
      requests: fitting(told, BYTES),
    };
  },
});

async function exchanges({ deps, trace }: Sight) {
  return whereItLies(deps, trace, async (now) => {
    const file = await openEvents(deps, now);
    const read = async (kind: string) => {
      const events: TraceEvent[] = [];
      let total = 0;
      while (file && events.length < MOST_READ) {
        const query = { kinds: [kind], offset: events.length, limit: AT_ONCE };
        const page = await orDamaged(deps, file.query(query));
        total = page.total;
        if (page.lines.length === 0) break;
        events.push(...page.lines.map(readEvent));
      }
      return { events, isWhole: events.length >= total };
    };
    const [answers, sent] = [await read("network.response"), await read("network.request")];
    return {
      answers: answers.events,
      // Of a long recording those are not known whose answer comes later than what was read.
      requests: answers.isWhole ? sent.events : [],
      isWhole: answers.isWhole,
      methodOf: methodsOf(sent.events),
    };
  });
}

function toldRequest(
  { kind, seq, step_id, url, status, duration_ms, error }: TraceEvent,
  method: string,
): ToldRequest {
  return {
    ...{ seq, step_id: step_id ?? null, method },
    url: told(typeof url === "string" ? url : "", 240),
    status: kind === "network.response" && Number.isInteger(status) ? (status as number) : null,
    duration_ms: typeof duration_ms === "number" ? Math.round(duration_ms) : null,
    error: toldOrNull(typeof error === "string" ? error : null, 200),
  };
}

const RequestInput = Type.Object({
  seq: Type.Integer({ minimum: 0, description: "Of the answer, as list_requests tells it." }),
});

export const request = defineChatTool({
  name: "get_request",
  description: "One request in full: address, status, time, and the beginning of what was sent and answered.",
  input: RequestInput,
  async look({ deps, trace, clean }, { seq }: Static<typeof RequestInput>) {
    return whereItLies(deps, trace, async (now) => {
      const file = await openEvents(deps, now);
      const query = { kinds: ["network.response", "network.request"], fromSeq: seq, offset: 0, limit: 1 };
      const [line] = file ? (await orDamaged(deps, file.query(query))).lines : [];
      const event = line === undefined ? null : readEvent(line);
      if (!file || event?.seq !== seq) throw new AppError("not_found", `No request has the number ${seq}.`);
      const one = await orDamaged(deps, exchange(deps, now, file, event, clean));
      return {
        ...toldRequest(one.response, told(one.method, 20)),
        sent: toldOrNull(one.requestBody, BODY),
        answer: event.kind === "network.response" ? toldOrNull(one.responseBody, BODY) : null,
      };
    });
  },
});
