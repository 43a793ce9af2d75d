import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, errorText } from "../../api/request.ts";
import { navigate } from "../../router.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useSignIn } from "../../ui/failing.ts";
import { formatAgo, formatWall } from "../../ui/format.ts";
import { ChevronLeft, More } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { Status } from "../../ui/status.tsx";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { useNow } from "../../ui/use-now.ts";
import type { Run } from "../runs/api.ts";
import { runLength } from "../runs/table.tsx";
import { type Check, checksApi, type Maintenance } from "./api.ts";
import { CheckAvailability } from "./availability.tsx";
import { CheckDialog, PreflightDialog, Problem } from "./form.tsx";
import { CheckState, NextFires, Part, policySentences, scheduleWords, titleOf } from "./parts.tsx";
import { RulesDialog } from "./rules.tsx";
import { SloDialog, SloPart } from "./slo.tsx";
import { ToldOver } from "./told-over.tsx";

const FRESH_MS = 10_000;
const SHOWN = 12;
const HOURS = [1, 4, 24, 72] as const;

function RegionRuns({
  region,
  runs,
  now,
}: {
  region: string;
  runs: readonly Run[];
  now: number;
}): JSX.Element {
  return (
    <Part title={region} more={<span class="dim">{runs.length === 0 ? "No run yet" : ""}</span>}>
      {runs.length > 0 && (
        <ul class="check-runs">
          {runs.slice(0, SHOWN).map((run) => (
            <li key={run.id}>
              <a href={`/runs/${run.id}`} class="check-run">
                <Status status={run.status} />
                <span class="num dim">{runLength(run, now)}</span>
                <span class="dim ellipsis">
                  {run.attempt > 1 ? `attempt ${run.attempt}` : run.trigger === "catch_up" ? "caught up" : ""}
                </span>
                <time class="dim" dateTime={run.scheduled_at} title={formatWall(run.scheduled_at)}>
                  {formatAgo(run.scheduled_at, now)}
                </time>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function windowsOf(windows: readonly Maintenance[], check: Check): Maintenance[] {
  return windows.filter(
    ({ scenarios, next }) => next.length > 0 && (scenarios === null || scenarios.includes(check.scenario_id)),
  );
}

function Facts({
  check,
  windows,
  now,
  revision,
  open,
}: {
  check: Check;
  windows: readonly Maintenance[];
  now: number;
  revision: number;
  /** Asks for its alert rules, or its objective. */
  open: (dialog: "rules" | "slo") => void;
}): JSX.Element {
  const told = windowsOf(windows, check);
  const sentences = policySentences(check);
  return (
    <aside class="check-side">
      <SloPart check={check} revision={revision} onChange={() => open("slo")} />
      <Part title="Next runs" more={<span class="dim ellipsis">{scheduleWords(check)}</span>}>
        {check.enabled && check.paused_until === null ? (
          <NextFires schedule={check} now={now} />
        ) : (
          <p class="dim">
            {check.enabled
              ? `Paused until ${formatWall(check.paused_until!)}; then it runs again by itself.`
              : "It is off, and runs nothing."}
          </p>
        )}
        <p class="dim">
          <code class="captured">{check.cron}</code> in {check.timezone}
        </p>
      </Part>
      <Part
        title="What it tells"
        more={
          <button type="button" class="link-button" onClick={() => open("rules")}>
            Change
          </button>
        }
      >
        {sentences.length === 0 ? (
          <p class="dim">Nothing.</p>
        ) : (
          <ul class="check-sentences">
            {sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
        <ToldOver channels={check.alert_policy.channels} />
      </Part>
      <Part title="Maintenance" more={<a href="/maintenance">Windows</a>}>
        {told.length === 0 ? (
          <p class="dim">No window is meant for it: what fails is told.</p>
        ) : (
          <ul class="check-sentences">
            {told.map((window) => (
              <li key={window.id}>
                <strong class="captured">{window.name}</strong>{" "}
                {window.active
                  ? `goes on until ${formatWall(window.next[0]!.to)}: nothing is told.`
                  : `begins ${formatWall(window.next[0]!.from)}.`}
              </li>
            ))}
          </ul>
        )}
      </Part>
    </aside>
  );
}

function Removal({ check, onClose }: { check: Check; onClose: () => void }): JSX.Element {
  const problem = useSignal<string | null>(null);
  const remove = (): void => {
    checksApi.remove(check.id).then(
      () => navigate("/checks"),
      (error: unknown) => (problem.value = errorText(error)),
    );
  };
  return (
    <Dialog title="Remove this check?" onClose={onClose}>
      <p>
        It runs no more, and its schedule is gone. Its runs stay.
        {check.origin === "file" && " The next sync of its scenario's file makes it anew, switched off."}
      </p>
      <Problem text={problem.value} />
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="button is-primary" onClick={remove}>
          Remove
        </button>
      </div>
    </Dialog>
  );
}

interface Acts {
  check: Check;
  /** Does it and shows the check as it is then. */
  act: (change: () => Promise<Check>) => void;
  open: (dialog: "edit" | "remove") => void;
}

function Actions({ check, act, open }: Acts): JSX.Element {
  const { id, enabled, paused_until } = check;
  return (
    <>
      {enabled && paused_until !== null && (
        <button
          type="button"
          class="button is-primary"
          onClick={() => act(() => checksApi.pause(id, { hours: 0 }))}
        >
          Resume
        </button>
      )}
      {enabled && paused_until === null && (
        <Menu
          label="Pause"
          button="Pause"
          buttonClass="button"
          items={HOURS.map((hours) => ({
            label: hours === 1 ? "For 1 hour" : hours < 48 ? `For ${hours} hours` : `For ${hours / 24} days`,
            run: () => act(() => checksApi.pause(id, { hours })),
          }))}
        />
      )}
      {!enabled && (
        <button
          type="button"
          class="button is-primary"
          onClick={() => act(() => checksApi.update(id, { enabled: true }))}
        >
          Switch on
        </button>
      )}
      <button type="button" class="button" onClick={() => open("edit")}>
        Edit
      </button>
      <Menu
        label="More actions"
        button={<More />}
        buttonClass="icon-button"
        items={[
          { label: "The scenario", href: `/scenarios/${check.scenario_slug}` },
          ...(enabled
            ? [{ label: "Switch off", run: () => act(() => checksApi.update(id, { enabled: false })) }]
            : []),
          { label: "Remove…", run: () => open("remove") },
        ]}
      />
    </>
  );
}

/** One check: what it runs and when, how its last runs ended in each region, and what can be done with it. */
export function CheckPage({ id }: { id: string }): JSX.Element {
  const revision = useSignal(0);
  const changed = useSignal<Check | null>(null);
  const dialog = useSignal<"edit" | "rules" | "slo" | "remove" | "preflight" | null>(null);
  const loaded = useLoad(id, (signal) => checksApi.show(id, signal), revision.value);
  const runs = useLoad(id, (signal) => checksApi.runs(id, signal), revision.value);
  const windows = useLoad("windows", (signal) => checksApi.windows(signal), revision.value);
  const now = useNow(true);
  // History moves slowly.
  const minutes = Math.floor(now / 60_000);
  const reload = (): void => {
    changed.value = null;
    revision.value += 1;
  };
  useEffect(() => {
    const timer = setInterval(() => (revision.value += 1), FRESH_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    changed.value = null;
  }, [loaded.data]);
  const check = changed.value ?? loaded.data;
  const title = check ? titleOf(check) : "Check";
  useEffect(() => {
    document.title = `${title} · Tracedeck`;
  }, [title]);
  useSignIn(loaded.error);
  const act = (change: () => Promise<Check>): void => {
    change().then(
      (answer) => (changed.value = answer),
      (error: unknown) => {
        if (error instanceof ApiError && error.code === "preflight_required") dialog.value = "preflight";
        else notify(errorText(error), { isError: true });
      },
    );
  };
  const close = (): void => {
    dialog.value = null;
  };
  const body = (): JSX.Element => {
    if (loaded.error instanceof ApiError && loaded.error.status === 404)
      return (
        <Message title="There is no such check.">
          <a href="/checks">All checks</a>
        </Message>
      );
    if (loaded.error) return <Failed error={loaded.error} retry={reload} />;
    if (!check) return <Loading label="Loading the check" />;
    const items = runs.data?.items ?? [];
    const regions = [...new Set([...check.regions, ...items.map(({ region }) => region)])];
    return (
      <div class="check-body">
        <div class="check-main">
          <CheckAvailability id={id} revision={minutes} />
          {regions.map((region) => (
            <RegionRuns
              key={region}
              region={region}
              runs={items.filter((run) => run.region === region)}
              now={now}
            />
          ))}
        </div>
        <Facts
          check={check}
          windows={windows.data?.items ?? []}
          now={now}
          revision={minutes}
          open={(which) => (dialog.value = which)}
        />
      </div>
    );
  };
  return (
    <div class="page">
      <SiteBar />
      <main class="list-main">
        <div class="subbar scenario-title">
          <a class="icon-link" href="/checks" aria-label="All checks" title="All checks">
            <ChevronLeft />
          </a>
          <h1 class="ellipsis captured">{title}</h1>
          {check && <CheckState check={check} />}
          <div class="title-acts">
            {check && <Actions check={check} act={act} open={(which) => (dialog.value = which)} />}
          </div>
        </div>
        {body()}
      </main>
      {check && dialog.value === "edit" && (
        <CheckDialog
          slug={check.scenario_slug}
          check={check}
          onSaved={(saved) => {
            changed.value = saved;
            close();
          }}
          onClose={close}
        />
      )}
      {check && dialog.value === "rules" && (
        <RulesDialog
          check={check}
          onSaved={(saved) => {
            changed.value = saved;
            close();
          }}
          onClose={close}
        />
      )}
      {check && dialog.value === "slo" && (
        <SloDialog
          check={check}
          onSaved={(saved) => {
            changed.value = saved;
            close();
          }}
          onClose={close}
        />
      )}
      {check && dialog.value === "remove" && <Removal check={check} onClose={close} />}
      {check && dialog.value === "preflight" && (
        <PreflightDialog
          slug={check.scenario_slug}
          onDone={() => {
            close();
            act(() => checksApi.update(check.id, { enabled: true }));
          }}
          onClose={close}
        />
      )}
    </div>
  );
}
