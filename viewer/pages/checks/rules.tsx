import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Preview, PreviewRequest } from "../../../server/watch/incidents/model.ts";
import { errorText, postJson } from "../../api/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatWall, plural } from "../../ui/format.ts";
import { useLoad } from "../../ui/use-load.ts";
import { typeWord } from "../incidents/signs.tsx";
import { type Check, checksApi } from "./api.ts";
import { Problem } from "./form.tsx";

type Policy = PreviewRequest["alert_policy"];

const QUIET_MS = 400;
const MOST = 5;

/**
 * What the form says, as the API takes it; an empty field switches its rule off. Drift is named where it is told otherwise than by
 * default, so that it goes on to follow what the check looks for.
 */
function policyIn(form: HTMLFormElement, { alert_policy: was, shadow_prod }: Check): Policy {
  const given = new FormData(form);
  const number = (name: string): number | null => {
    const text = String(given.get(name) ?? "").trim();
    return text === "" ? null : Number(text);
  };
  const [percent, latency] = [number("percent"), number("latency")];
  const window = (name: string, usual: number) => number(name) ?? usual;
  return {
    consecutive_failures: number("consecutive"),
    failure_rate:
      percent === null
        ? null
        : { percent, window_minutes: window("window", 30), min_samples: window("samples", 4) },
    latency_p99: latency === null ? null : { ms: latency, window_minutes: window("slow", 30) },
    retries: number("retries") ?? 0,
    remind_minutes: number("remind"),
    ...(given.has("drift") !== shadow_prod && { shadow_diff: given.has("drift") }),
    ...(was.channels && { channels: was.channels }),
  };
}

function Field(props: {
  name: string;
  word: string;
  value: number | undefined;
  max: number;
  min?: number;
  isRequired?: boolean;
}): JSX.Element {
  return (
    <label>
      {props.word}
      <input
        class="input"
        type="number"
        name={props.name}
        min={props.min ?? 1}
        max={props.max}
        step={props.name === "percent" ? "any" : 1}
        defaultValue={props.value === undefined ? "" : String(props.value)}
        required={props.isRequired}
        placeholder={props.isRequired ? undefined : "off"}
      />
    </label>
  );
}

function ruleWords({ rule, opened, fired }: Preview["rules"][number], policy: Preview["policy"]): string {
  const isOff = rule !== "global_outage" && !policy[rule];
  if (isOff) return "off";
  if (fired === 0) return "would not have fired";
  return `opened ${opened}${fired > opened ? `, fired on ${fired - opened} more` : ""}`;
}

/** What a policy would have done over the last 30 days. */
function WouldHave({ check, policy }: { check: Check; policy: Policy }): JSX.Element {
  const key = JSON.stringify(policy);
  const { data, error, isLoading } = useLoad(key, () =>
    postJson<Preview>("/v1/alert-policies/preview", { check_id: check.id, alert_policy: policy }),
  );
  if (error) return <Problem text={errorText(error)} />;
  if (!data) return <p class="dim">{isLoading ? "Looking at the last 30 days…" : ""}</p>;
  if (data.results === 0)
    return <p class="dim">No run of the last 30 days is kept: what it would have told is not known.</p>;
  const opened = data.rules.reduce((sum, rule) => sum + rule.opened, 0);
  return (
    <>
      <p>
        Over the last 30 days, of {plural(data.results, "result")}, it would have opened{" "}
        <strong>{plural(opened, "incident")}</strong> and told {plural(data.notices, "notice")}.
      </p>
      <ul class="check-sentences" aria-label="What each rule would have done">
        {data.rules
          .filter(({ rule, fired }) => fired > 0 || rule !== "global_outage")
          .map((rule) => (
            <li key={rule.rule}>
              {typeWord(rule.rule)}: {ruleWords(rule, data.policy)}
            </li>
          ))}
        <li>Targets found another way: {data.healed === 0 ? "nothing to note" : `noted ${data.healed}×`}</li>
      </ul>
      {data.incidents.length > 0 && (
        <ol class="rules-incidents">
          {data.incidents.slice(0, MOST).map(({ region, opened_at, run_id, text }) => (
            <li key={`${region} ${opened_at}`}>
              <a href={`/runs/${run_id}`}>{formatWall(opened_at)}</a>{" "}
              <span class="dim captured">{region}</span> <span class="captured">{text}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

/** Changes when a check tells, and says before it is saved what that would have done. */
export function RulesDialog({
  check,
  onSaved,
  onClose,
}: {
  check: Check;
  onSaved: (check: Check) => void;
  onClose: () => void;
}): JSX.Element {
  const { consecutive_failures, failure_rate, latency_p99, retries, remind_minutes } = check.alert_policy;
  const [policy, setPolicy] = useState<Policy>(check.alert_policy);
  const [wanted, setWanted] = useState<Policy>(policy);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setPolicy(wanted), QUIET_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(wanted)]);
  async function save(form: HTMLFormElement): Promise<void> {
    setProblem(null);
    try {
      onSaved(await checksApi.update(check.id, { alert_policy: policyIn(form, check) }));
    } catch (error) {
      setProblem(errorText(error));
    }
  }
  return (
    <Dialog title="What it tells" onClose={onClose} width="560px">
      <form
        class="form check-form"
        onInput={({ currentTarget: form }) => {
          if (form.checkValidity()) setWanted(policyIn(form, check));
        }}
        onSubmit={(event) => {
          event.preventDefault();
          void save(event.currentTarget);
        }}
      >
        <div class="rules-row">
          <Field
            name="consecutive"
            word="Failures in a row"
            value={consecutive_failures ?? undefined}
            max={100}
          />
          <Field name="retries" word="Retries of a failure" value={retries} min={0} max={5} isRequired />
          <Field name="remind" word="Remind after, min" value={remind_minutes} min={5} max={1440} />
        </div>
        <div class="rules-row">
          <Field name="percent" word="Failure rate from, %" value={failure_rate?.percent} max={100} />
          <Field
            name="window"
            word="within, min"
            value={failure_rate?.window_minutes ?? 30}
            max={10_080}
            isRequired
          />
          <Field
            name="samples"
            word="of runs, at least"
            value={failure_rate?.min_samples ?? 4}
            max={10_000}
            isRequired
          />
        </div>
        <div class="check-form-row">
          <Field name="latency" word="p99 from, ms" value={latency_p99?.ms} max={3_600_000} />
          <Field
            name="slow"
            word="within, min"
            value={latency_p99?.window_minutes ?? 30}
            max={10_080}
            isRequired
          />
        </div>
        <label class="check-form-shadow">
          <input type="checkbox" name="drift" defaultChecked={check.alert_policy.shadow_diff} />
          Drift from the clones{check.shadow_prod ? "" : ", which this check does not look for"}
        </label>
        <div class="rules-would" aria-live="polite">
          <WouldHave check={check} policy={policy} />
        </div>
        <Problem text={problem} />
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
