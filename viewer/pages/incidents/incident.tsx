import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, errorText } from "../../api/request.ts";
import { useSignIn } from "../../ui/failing.ts";
import { formatWall } from "../../ui/format.ts";
import { ChevronLeft, Pause, Tick } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { followNews } from "../../ui/news.ts";
import { SiteBar } from "../../ui/site-bar.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { useNow } from "../../ui/use-now.ts";
import { type IncidentAnswer, incidentsApi } from "./api.ts";
import { Lead } from "./lead.tsx";
import { IncidentStatus, regionWord, typeWord } from "./signs.tsx";
import { Timeline, Why } from "./story.tsx";
import { Suppress } from "./suppress.tsx";
import { lengthOf, suppressWords } from "./table.tsx";

const SETTLE_MS = 250;

function Facts({ incident }: { incident: IncidentAnswer }): JSX.Element {
  const { region, severity, suppressed_until, parent_incident_id, last_run_id } = incident;
  const rows: (readonly [name: string, value: JSX.Element | string])[] = [
    ["Rule", incident.rules.map(typeWord).join(", ")],
    ["Region", regionWord(region)],
    ["Severity", severity],
    ["Opened", formatWall(incident.opened_at)],
    ...(incident.resolved_at ? [["Ended", formatWall(incident.resolved_at)] as const] : []),
    ...(suppressed_until ? [["Silent until", formatWall(suppressed_until)] as const] : []),
    ...(incident.suppress_reason ? [["Silent since", suppressWords(incident)] as const] : []),
    ...(parent_incident_id
      ? [
          [
            "Part of",
            <a key="parent" href={`/incidents/${parent_incident_id}`}>
              an outage of several regions
            </a>,
          ] as const,
        ]
      : []),
    [
      "Last run",
      <a key="run" href={`/runs/${last_run_id}`}>
        its page
      </a>,
    ],
  ];
  return (
    <dl class="run-facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt class="dim">{name}</dt>
          <dd class="captured">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Children({ incident }: { incident: IncidentAnswer }): JSX.Element | null {
  if (incident.children.length === 0) return null;
  return (
    <section aria-label="Regions">
      <h2 class="run-part-head">Regions</h2>
      <ul class="incident-children">
        {incident.children.map((child) => (
          <li key={child.id}>
            <IncidentStatus status={child.status} />
            <a class="captured" href={`/incidents/${child.id}`}>
              {child.region}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One incident: why it fails first, then what happened, why it opened and what was told. */
export function IncidentPage({ id }: { id: string }): JSX.Element {
  const revision = useSignal(0);
  const isAsking = useSignal(false);
  const { data, error } = useLoad(id, (signal) => incidentsApi.show(id, signal), revision.value);
  const why = useLoad(id, (signal) => incidentsApi.explain(id, signal), revision.value);
  const reload = (): void => {
    revision.value += 1;
  };
  useEffect(
    () =>
      followNews("/v1/incidents/live", {
        settleMs: SETTLE_MS,
        onNews: (changed) => {
          if (changed.size === 0 || changed.has(id)) reload();
        },
      }),
    [id],
  );
  const name = oneLine(data?.scenario_title || data?.scenario_slug || "Incident", 200);
  useEffect(() => {
    document.title = `${name} · Incident · Tracedeck`;
  }, [name]);
  useSignIn(error);
  const now = useNow(data !== null && data.resolved_at === null);
  const mayAcknowledge = data?.status === "open";
  const maySuppress = data !== null && data.status !== "resolved";

  async function acknowledge(): Promise<void> {
    try {
      await incidentsApi.acknowledge(id);
      reload();
    } catch (problem) {
      notify(errorText(problem), { isError: true });
    }
  }
  useKeys([
    {
      keys: ["a"],
      label: "Acknowledge",
      group: "Incident",
      run: () => {
        if (mayAcknowledge) void acknowledge();
        return mayAcknowledge;
      },
    },
    {
      keys: ["s"],
      label: "Suppress",
      group: "Incident",
      run: () => {
        isAsking.value = maySuppress;
        return maySuppress;
      },
    },
  ]);
  const body = (): JSX.Element => {
    if (error instanceof ApiError && error.status === 404)
      return (
        <Message title="There is no such incident.">
          <a href="/incidents">All incidents</a>
        </Message>
      );
    if (error) return <Failed error={error} retry={reload} />;
    if (!data) return <Loading label="Loading the incident" />;
    return (
      <div class="incident-body">
        <div class="incident-main">
          <Lead incident={data} />
          {why.data && <Why explanation={why.data} />}
        </div>
        <div class="incident-side">
          <Facts incident={data} />
          <Children incident={data} />
          <Timeline timeline={data.timeline} />
        </div>
      </div>
    );
  };
  return (
    <div class="page">
      <SiteBar />
      <main class="list-main">
        <div class="subbar scenario-title run-title">
          <a class="icon-link" href="/incidents" aria-label="All incidents" title="All incidents">
            <ChevronLeft />
          </a>
          {data && <IncidentStatus status={data.status} />}
          <h1 class="ellipsis captured" title={name}>
            {data ? <a href={`/scenarios/${data.scenario_slug}`}>{name}</a> : name}
          </h1>
          {data && <span class="dim captured ellipsis incident-where">{regionWord(data.region)}</span>}
          {data && <span class="num dim incident-where">{lengthOf(data, now)}</span>}
          <div class="title-acts">
            {maySuppress && (
              <button
                type="button"
                class="button"
                title="Suppress ( s )"
                onClick={() => (isAsking.value = true)}
              >
                <Pause /> Suppress
              </button>
            )}
            {mayAcknowledge && (
              <button
                type="button"
                class="button is-primary"
                title="Acknowledge ( a )"
                onClick={() => void acknowledge()}
              >
                <Tick /> Acknowledge
              </button>
            )}
          </div>
        </div>
        {body()}
      </main>
      {isAsking.value && data && (
        <Suppress
          incident={data}
          onDone={() => {
            isAsking.value = false;
            reload();
          }}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </div>
  );
}
