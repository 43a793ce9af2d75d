import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { inWords } from "../../../server/trace/format/step-words.ts";
import { plural } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import type { Cause, TestOfRun } from "./api.ts";
import { TestRow } from "./test-row.tsx";

/** Tests of a cause that are shown before a person asks for the others. */
const SHOWN = 3;

function CauseItem({ cause, tests }: { cause: Cause; tests: ReadonlyMap<string, TestOfRun> }): JSX.Element {
  const isOpen = useSignal(false);
  const own = cause.test_ids.flatMap((id) => tests.get(id) ?? []);
  const shown = isOpen.value ? own : own.slice(0, SHOWN);
  const rest = cause.count - shown.length;
  const signature = cause.signature;
  return (
    <li class="cause">
      <h3 class="cause-head">
        <span class="captured">{oneLine(inWords(cause.headline ?? "Failed without a word"), 300)}</span>
        <span class="dim">{plural(cause.count, "test")}</span>
        {cause.new_count > 0 && (
          <span class="run-badge is-failed">
            {cause.new_count === cause.count ? "new" : `${cause.new_count} new`}
          </span>
        )}
        {signature !== null && own.some(({ attempts }) => attempts.some(({ trace_id }) => trace_id)) && (
          <a class="cause-more dim" href={`/traces?signature=${encodeURIComponent(signature)}`}>
            all traces like this
          </a>
        )}
      </h3>
      <ul>
        {shown.map((test) => (
          // The cause says why already.
          <TestRow key={test.id} test={{ ...test, headline: null }} isActive={false} hasFile />
        ))}
      </ul>
      {rest > 0 && own.length > shown.length && (
        <button type="button" class="button cause-open" onClick={() => (isOpen.value = true)}>
          {plural(rest, "test")} more
        </button>
      )}
    </li>
  );
}

/** What failed, by what made it fail, new failures first. */
export function Causes({
  causes,
  tests,
}: {
  causes: readonly Cause[];
  tests: readonly TestOfRun[];
}): JSX.Element | null {
  if (causes.length === 0) return null;
  const byId = new Map(tests.map((test) => [test.id, test]));
  return (
    <section class="causes" aria-label="Failures by cause">
      <h2 class="run-part-head">
        Why it failed
        <span class="dim">{plural(causes.length, "cause")}</span>
      </h2>
      <ol>
        {causes.map((cause, at) => (
          <CauseItem key={cause.signature ?? `no signature ${at}`} cause={cause} tests={byId} />
        ))}
      </ol>
    </section>
  );
}
