import type { JSX } from "preact";
import type { AuditVerification } from "../../../../server/identity/audit-events/model.ts";
import { formatAgo, formatCount, formatWall, plural } from "../../../ui/format.ts";
import { CheckCircle, CrossCircle, Warning } from "../../../ui/icons.tsx";
import { useLoad } from "../../../ui/use-load.ts";
import { auditApi } from "./api.ts";

const KINDS: Record<AuditVerification["problems"][number]["kind"], string> = {
  altered: "Altered",
  cut: "Cut off",
  rewritten: "Written anew",
  forged: "Forged checkpoint",
  foreign: "Checkpoints of another key",
};

/** Whether the chain is whole, in a line; what is wrong with it, in full. */
export function ChainState(): JSX.Element {
  const { data, error } = useLoad("audit verification", (signal) => auditApi.verification(signal));
  if (error) return <p class="audit-state dim">The chain could not be checked.</p>;
  if (!data) return <p class="audit-state dim">Checking the chain…</p>;
  return (
    <div class={data.ok ? "audit-state" : "audit-state is-broken"} role={data.ok ? undefined : "alert"}>
      {data.ok ? <CheckCircle class="is-passed" /> : <CrossCircle class="is-failed" />}
      <div>
        <p>
          <strong>{data.ok ? "The chain is whole." : "The log is not as it was written."}</strong>{" "}
          {inWords(data)}
        </p>
        {data.problems.map(({ kind, message }) => (
          <p key={kind}>
            <span class="is-failed">{KINDS[kind]}</span>: {message}.
          </p>
        ))}
        {data.replacements.map(({ event, at, backup_at: backupAt, lost }) => (
          <p key={at}>
            <Warning class="is-error" />{" "}
            {event === "backup.restore"
              ? `A backup of ${formatWall(backupAt ?? at)} was put back`
              : "The records were made anew"}{" "}
            on {formatWall(at)}
            {lost > 0 ? `, and ${plural(lost, "entry", "entries")} went with it.` : "."}
          </p>
        ))}
      </div>
    </div>
  );
}

function inWords({ entries, last_checkpoint_at: last, after_checkpoint: after }: AuditVerification): string {
  const count = plural(entries, "entry", "entries");
  if (!last) return `${count}, no signed checkpoint yet.`;
  const since = after > 0 ? `, ${formatCount(after)} since` : "";
  return `${count}, last signed checkpoint ${formatAgo(last, Date.now())}${since}.`;
}
