import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { StepSummary } from "../../../server/trace/format/summary.ts";
import { eventsBetween } from "../../api/trace-source.ts";
import { formatOffset, formatWall } from "../../ui/format.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { CopyButton, Section } from "../../ui/parts.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { oneLine, shortUrl } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import {
  cookiesAt,
  createCookieRows,
  createStorageRows,
  headerValues,
  type KnownCookie,
  parseCookies,
} from "../model/cookies.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { perModel } from "../model/scope.ts";

const MOST_SHOWN = 200;
const MOST_REQUESTS = 50;

const panelState = perModel((model: TraceModel) => ({
  set: createCookieRows(model.source),
  states: createStorageRows(model.source),
}));

function traits(cookie: KnownCookie): string {
  return [
    cookie.http_only && "HttpOnly",
    cookie.secure && "Secure",
    cookie.same_site && `SameSite ${oneLine(cookie.same_site, 20)}`,
    cookie.expires === undefined ? "until the browser closes" : `until ${formatWall(cookie.expires * 1000)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function Jar({ cookies, step }: { cookies: KnownCookie[]; step: StepSummary | null }): JSX.Element {
  const model = useModel();
  const isNew = ({ at }: KnownCookie): boolean =>
    step !== null && at >= step.ts && at <= step.ts + step.duration_ms;
  return (
    <table class="facts-table has-details">
      <thead>
        <tr>
          <th scope="col">Cookie</th>
          <th scope="col">Value</th>
          <th scope="col">Of</th>
          <th scope="col" class="num">
            Set at
          </th>
        </tr>
      </thead>
      <tbody>
        {cookies.slice(0, MOST_SHOWN).map((cookie) => (
          <tr key={`${cookie.domain} ${cookie.path} ${cookie.name}`} title={traits(cookie)}>
            <th scope="row" class="captured mono">
              {oneLine(cookie.name, 120)}
              {isNew(cookie) && <span class="badge">set in this step</span>}
            </th>
            <td class="captured breaking">
              <span class="mono">{oneLine(cookie.value, 300) || "(empty)"}</span>
              <div class="dim">{traits(cookie)}</div>
            </td>
            <td class="captured dim breaking">
              {oneLine(cookie.domain, 120)}
              {cookie.path === "/" ? "" : oneLine(cookie.path, 80)}
            </td>
            <td class="num">
              {cookie.isFromAnswer ? (
                <button
                  type="button"
                  class="link-button num"
                  onClick={() => model.openEvent("network", cookie.seq)}
                >
                  {formatOffset(model.elapsed(cookie.at))}
                </button>
              ) : (
                <span class="dim">{formatOffset(model.elapsed(cookie.at))}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface SentCookies {
  seq: number;
  url: string;
  cookies: { name: string; value: string }[];
}

/** What the requests of the shown step carried. */
function Sent({ step }: { step: StepSummary }): JSX.Element | null {
  const model = useModel();
  const { data, error } = useLoad(`sent ${step.step_id}`, async (signal) => {
    const query = {
      step: step.step_id,
      kind: "network.request",
      q: "cookie",
      match: "loose",
    } as const;
    const range = { offset: 0, limit: MOST_REQUESTS };
    const { events } = await eventsBetween(model.source, query, range, signal);
    return events.flatMap((event): SentCookies[] => {
      const cookies = headerValues(event, "cookie").flatMap(parseCookies);
      return cookies.length > 0
        ? [{ seq: event.seq, url: typeof event.url === "string" ? event.url : "", cookies }]
        : [];
    });
  });
  if (error) return <Failed error={error} />;
  if (!data || data.length === 0) return null;
  return (
    <Section title="Sent in this step">
      <table class="facts-table">
        <thead class="hidden-text">
          <tr>
            <th scope="col">Request</th>
            <th scope="col">Cookies</th>
          </tr>
        </thead>
        <tbody>
          {data.map(({ seq, url, cookies }) => (
            <tr key={seq}>
              <th scope="row" class="captured">
                <button type="button" class="link-button" onClick={() => model.openEvent("network", seq)}>
                  {oneLine(shortUrl(url).path, 80)}
                </button>
              </th>
              <td class="captured mono breaking">
                {oneLine(cookies.map(({ name, value }) => `${name}=${value}`).join("; "), 600)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** Cookies and local storage as they are known at the shown moment, from answers and from what the recorder kept. */
export function StoragePanel(): JSX.Element {
  const model = useModel();
  const { set, states } = panelState(model);
  const count = model.loader.isLive.value ? (model.summary.value?.event_count ?? 0) : 0;
  useEffect(() => {
    set.ensure();
    states.ensure();
  }, [model, count]);
  const at = model.playhead.value;
  const step = model.step.value;
  const cookies = useMemo(
    () => cookiesAt(set.rows.value, states.rows.value, at),
    [set.rows.value, states.rows.value, at],
  );
  const error = set.error.value ?? states.error.value;
  if (error)
    return (
      <Failed
        error={error}
        retry={() => {
          set.ensure();
          states.ensure();
        }}
      />
    );
  if (set.state.value !== "ready" || states.state.value !== "ready")
    return <Loading label="Loading cookies" />;
  const state = states.rows.value.findLast((row) => row.ts <= at);
  const items = (state?.origins ?? []).flatMap(({ origin, items }) =>
    items.map((item) => ({ ...item, origin })),
  );
  return (
    <ScrollPane label="Storage">
      <Section
        title={`Cookies at ${formatOffset(model.elapsed(at))} s`}
        aside={
          cookies.length > 0 ? (
            <CopyButton
              text={cookies.map(({ name, value }) => `${name}=${value}`).join("\n")}
              what="Cookies"
            />
          ) : undefined
        }
      >
        {cookies.length > 0 ? (
          <Jar cookies={cookies} step={step} />
        ) : (
          <p class="dim">No answer had set a cookie up to here.</p>
        )}
        {cookies.length > MOST_SHOWN && <p class="dim">{cookies.length - MOST_SHOWN} more cookies</p>}
        <p class="dim note">
          From recorded Set-Cookie headers{states.rows.value.length > 0 ? " and recorded states" : ""}:
          cookies that scripts set are not among them.
        </p>
      </Section>
      {step && <Sent step={step} />}
      <Section title="Local storage">
        {state === undefined || items.length === 0 ? (
          <p class="dim">
            {states.rows.value.length === 0
              ? "This recording holds no local storage. What runs here records it; other recorders send storage.state events."
              : "Nothing was recorded up to this moment."}
          </p>
        ) : (
          <>
            <p class="dim note">As it was recorded at {formatOffset(model.elapsed(state.ts))} s.</p>
            <table class="facts-table">
              <thead>
                <tr>
                  <th scope="col">Key</th>
                  <th scope="col">Value</th>
                  <th scope="col">Of</th>
                </tr>
              </thead>
              <tbody>
                {items.slice(0, MOST_SHOWN).map((item, index) => (
                  <tr key={index}>
                    <th scope="row" class="captured mono">
                      {oneLine(item.name, 120)}
                    </th>
                    <td class="captured mono breaking">{oneLine(item.value, 600)}</td>
                    <td class="captured dim">{oneLine(item.origin, 120)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </>
        )}
      </Section>
    </ScrollPane>
  );
}
