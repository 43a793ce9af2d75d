import { isBefore } from "../../compare.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { requestText } from "../../exchanges/sent.ts";
import { listOf, recordOf } from "../../run/event-fields.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { aboutUrl, bodyOf, headerOf, isForeign, quoted, requestOf } from "../../words.ts";

const CHOOSES = /(?:^|\.)setInputFiles$/;
const MOST = 20;

/** A form that sent the name of a chosen file and not the file: only one of the type multipart/form-data sends files. */
export function detectFiles(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const chosen = run.facts.steps.findLast(
    ({ name, isFailed, end }) => CHOOSES.test(name) && !isFailed && end <= failed.to,
  );
  const names = chosen ? namesIn(chosen) : [];
  if (!chosen || names.length === 0) return [];
  return run.facts.exchanges
    .filter(
      (one) =>
        one.ts >= chosen.ts &&
        one.method === "POST" &&
        isBefore(evidence, one.ts) &&
        !isForeign(one.url, run.facts),
    )
    .slice(0, MOST)
    .flatMap((one): Finding[] => {
      const name = nameSent(one, names, run);
      if (name === undefined) return [];
      const usual = passes.map(({ facts }) => exchangesOf(facts, exchangeKey(one, run.facts)));
      const isUsual = usual.some((all) => all.some((other) => isOfType(other, "urlencoded")));
      const before =
        !isUsual && usual[0]?.some((other) => isOfType(other, "multipart/form-data"))
          ? ", which it was in the last pass"
          : "";
      const said = saidIn(bodyOf(one, run.bodies));
      const outcome =
        isFailedExchange(one) && one.status !== null ? `; it was answered with ${one.status}` : "";
      return [
        {
          kind: outcome === "" ? "page_changed" : "request_failed",
          title: `${requestOf(one, run.facts)} sent only the name of the file ${quoted(name, 60)} and not the file, for its form was not multipart/form-data${before}${outcome}${outcome !== "" && said ? `: ${said}` : ""}`,
          detail: null,
          step_id: one.step_id,
          events: [chosen.seq, one.requestSeq ?? one.seq, one.seq],
          ts: one.end ?? one.ts,
          is_new: passes.length === 0 ? null : !isUsual,
          weight: 0.97,
          about: aboutUrl(one.url, run.facts),
        },
      ];
    });
}

/** The names of the files that a step gave a field. */
function namesIn({ params }: Step): string[] {
  const given = [...listOf(params.payloads).map((file) => recordOf(file).name), ...listOf(params.localPaths)];
  return given.flatMap((path) => (typeof path === "string" ? [path.replace(/^.*[/\\]/s, "")] : []));
}

const isOfType = ({ requestHeaders }: Exchange, type: string): boolean =>
  headerOf(requestHeaders, "content-type")?.includes(type) === true;

/** The name of one of the files that a form sent as the value of a field. */
function nameSent(one: Exchange, names: readonly string[], { bodies }: RunEvidence): string | undefined {
  if (one.type !== "document" || !isOfType(one, "urlencoded")) return undefined;
  const values = new Set(new URLSearchParams(requestText(one, bodies)).values());
  return names.find((name) => values.has(name));
}
