import { causeOf, click, exchange, failing, page } from "../run.ts";

/** What is told of one run that has no pass before it, best first. */
export const told = (...args: [Parameters<typeof causeOf>[0]]) =>
  causeOf(...args).suspects.map(({ kind, title }) => `${kind}: ${title}`);
export const first = (...args: [Parameters<typeof causeOf>[0]]) => told(...args)[0];

/** A click on something that never came. */
export const missed = (target: string, more: object = {}) =>
  click(`Click ${target}`, {
    ts: 5_000,
    step_id: "check",
    duration_ms: 2_000,
    log: [`waiting for ${target}`],
    error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
    ok: false,
    ...more,
  });

/** One header, as a request or an answer lists it. */
export const header = (name: string, value: string) => [{ name, value }];

export const json = (url: string, body: unknown, more: Record<string, unknown> = {}) =>
  exchange(url, { ts: 4_500, body: JSON.stringify(body), media_type: "application/json", ...more });

export const document = (url: string, body: string, more: Record<string, unknown> = {}) =>
  exchange(url, { ts: 3_000, body, media_type: "text/html", resource_type: "document", ...more });

/** The page as the last action met it, and as it stood when the step gave up. */
export const around = (action: ReturnType<typeof click>, before: string, after: string) => [
  page(before, { ts: 4_000, step_id: action.step_id, phase: "action" }),
  action,
  page(after),
];

/** Fills in the field of a label. */
export const fill = (label: string, value: string, ts: number) =>
  click(`Fill "${value}" getByLabel('${label}')`, {
    name: "page.fill",
    ts,
    params: { selector: `internal:label="${label}"i`, value },
  });

/** A write and its answer, as JSON, after 4.1 s. */
export const post = (url: string, status: number, answer: unknown, more: object = {}) =>
  json(url, answer, { method: "POST", status, ts: 4_100, ...more });

/** An operation and what it was answered with, where one address answers everything; `text` begins with what it is: `query`, `mutation`. */
export const operation = (
  text: string,
  variables: object,
  data: unknown,
  more: Record<string, unknown> = {},
) => {
  const body = JSON.stringify({ operationName: text.split(/[ (]/)[1], query: text, variables });
  return json("/graphql", { data }, { method: "POST", request: { body }, ...more });
};

/** An assertion on the text of a test id. */
export const textOf = (id: string, expected: string, received: string, more: object = {}) =>
  failing({
    title: `Expect "toHaveText" getByTestId('${id}')`,
    message: `expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('${id}')`,
    expected: JSON.stringify(expected),
    received: JSON.stringify(received),
    ...more,
  });
