import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ShadowDiffAnswer } from "../../../server/run/shadows/model.ts";
import { plural } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";

const SHOWN_AT_ONCE = 200;
const LONGEST_VALUE = 240;

type Diff = ShadowDiffAnswer["diffs"][number];
type Noise = ShadowDiffAnswer["noise"][number];

const WHY: Record<Noise["reason"], string> = {
  varies: "Production differs from itself",
  identifier: "An identifier of the run",
  time: "A time of the run",
  not_repeated: "Production was not asked a second time",
};

/** A value of JSON on one line; nothing where there is no such field. */
function Value({ of, label }: { of: { value?: unknown }; label: string }): JSX.Element {
  const text = "value" in of ? (JSON.stringify(of.value) ?? "null") : null;
  return (
    <td class="mono captured" data-label={label} title={text === null ? undefined : oneLine(text, 2000)}>
      {text === null ? <em class="dim">none</em> : oneLine(text, LONGEST_VALUE)}
    </td>
  );
}

const side = (diff: Diff, name: "production" | "clone" | "repeated"): { value?: unknown } =>
  name in diff ? { value: diff[name] } : {};

/** Where a request stands in the trace of its run. */
function RequestLink({
  traceId,
  seq,
  observations,
  word,
}: {
  traceId: string | null;
  seq: number | null;
  observations: ShadowDiffAnswer["production"]["observations"];
  word: string;
}): JSX.Element | null {
  if (traceId === null || seq === null) return <span class="dim">not asked in {word}</span>;
  const step = observations.find((one) => one.seq === seq)?.step_id;
  const params = new URLSearchParams({ ...(step ? { step } : {}), tab: "network", event: String(seq) });
  return <a href={`/traces/${traceId}?${params}`}>in {word}</a>;
}

const PARTS = [
  ["/body", "body"],
  ["/headers", "header"],
] as const;

/** `body /fees/0/amount`: what is meant stands first. */
function fieldWords(path: string): string {
  if (path === "") return "the whole answer";
  if (path === "/status") return "status";
  for (const [start, word] of PARTS)
    if (path === start || path.startsWith(`${start}/`))
      return `${word} ${oneLine(path.slice(start.length), 300)}`.trim();
  return oneLine(path, 300);
}

/** The fields that differ, by request, with what each side has there. */
export function DiffTable({ diff }: { diff: ShadowDiffAnswer }): JSX.Element {
  const [most, setMost] = useState(SHOWN_AT_ONCE);
  const { diffs, runs, production, clone } = diff;
  const groups = Map.groupBy(
    diffs.slice(0, most),
    ({ request, production_seq, clone_seq }) => `${request} ${production_seq} ${clone_seq}`,
  );
  return (
    <>
      <table class="shadow-table" aria-label="Fields that differ">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Production</th>
            <th scope="col">Clone</th>
            <th scope="col">Production again</th>
          </tr>
        </thead>
        {[...groups].map(([key, fields]) => {
          const [first] = fields as [Diff];
          return (
            <tbody key={key}>
              <tr class="shadow-request">
                <th scope="rowgroup" colSpan={4}>
                  <span class="mono captured">{oneLine(first.request, 300)}</span>
                  <span class="shadow-links">
                    <RequestLink
                      traceId={runs.production.trace_id}
                      seq={first.production_seq}
                      observations={production.observations}
                      word="production"
                    />
                    <RequestLink
                      traceId={runs.clone.trace_id}
                      seq={first.clone_seq}
                      observations={clone.observations}
                      word="the clone"
                    />
                  </span>
                </th>
              </tr>
              {fields.map((field) => (
                <tr key={field.path}>
                  <th scope="row" class="mono captured">
                    {fieldWords(field.path)}
                  </th>
                  <Value of={side(field, "production")} label="Production" />
                  <Value of={side(field, "clone")} label="Clone" />
                  <Value of={side(field, "repeated")} label="Again" />
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
      {diffs.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + SHOWN_AT_ONCE * 5)}>
          Show more of {plural(diffs.length - most, "other field")}
        </button>
      )}
    </>
  );
}

/** What differs but means nothing, and why. */
export function NoiseTable({ noise }: { noise: Noise[] }): JSX.Element {
  return (
    <table class="shadow-table is-noise" aria-label="Noise">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Why it is left out</th>
          <th scope="col">Request</th>
        </tr>
      </thead>
      <tbody>
        {noise.slice(0, SHOWN_AT_ONCE * 5).map(({ request, path, reason }, index) => (
          <tr key={index}>
            <th scope="row" class="mono captured">
              {fieldWords(path)}
            </th>
            <td data-label="Why">{WHY[reason]}</td>
            <td class="mono dim captured" data-label="Request">
              {oneLine(request, LONGEST_VALUE)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
