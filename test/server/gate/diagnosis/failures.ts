import { diagnose } from "../../../../server/gate/diagnosis/diagnose.ts";
import { readPage } from "../../../../server/gate/diagnosis/read-page.ts";
import type { Diagnosis, Failure, SeenRun } from "../../../../server/gate/diagnosis/types.ts";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import type { Exchange } from "../../../../server/trace/format/cause/run/run-facts.ts";
import { createRunReader } from "../../../../server/trace/format/cause/run/run-reader.ts";

/** What a page showed, and the scripts and answers that came with it. */
export interface Shown {
  html: string;
  url?: string;
  title?: string;
  /** By path. */
  scripts?: Record<string, string>;
  answers?: Record<string, unknown>;
}

/** A scenario whose last step failed: what the step met in the last pass, and what it met now. */
export interface Case {
  steps: readonly string[];
  before: Shown | string;
  after: Shown | string;
}

const ORIGIN = "http://shop.example";

export function failureOf({ steps, before, after }: Case): Failure {
  const text = `---\nslug: case\ntitle: Case\n---\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}\n`;
  const { scenario, problems } = compileScenario({ name: "case.scenario.md", text }, () => null);
  if (!scenario) throw new Error(problems.map(({ message }) => message).join(" "));
  const step = scenario.steps.at(-1)!;
  return {
    ...{ scenario, step, message: "It is not there.", received: null, history: [], codeSha: null },
    cause: { failed_step: null, headline: null, suspects: [], also_when_passing: [] },
    run: seen(after, step.index),
    pass: seen(before, step.index),
  };
}

export const diagnosisOf = (given: Case): Diagnosis => diagnose(failureOf(given));

function seen(given: Shown | string, index: number): SeenRun {
  const shown = typeof given === "string" ? { html: given } : given;
  const { html, url = "/", title = "Shop", scripts = {}, answers = {} } = shown;
  const facts = createRunReader().finish();
  const bodies = new Map<number, string>();
  const add = (path: string, type: string, mediaType: string, body: string) => {
    const seq = facts.exchanges.length + 1;
    const rest = {
      ts: 0,
      step_id: null,
      page: null,
      requestSeq: null,
      request_id: null,
      end: 0,
      error: null,
    };
    facts.exchanges.push({
      ...rest,
      ...{
        seq,
        method: "GET",
        url: ORIGIN + path,
        type,
        status: 200,
        statusText: "OK",
        operation: null,
        requestBody: null,
      },
      ...{ body, mediaType, size: null, requestHeaders: [], headers: [], handled: null, fromNetwork: true },
    } satisfies Exchange);
    bodies.set(seq, body);
  };
  for (const [path, body] of Object.entries(scripts)) add(path, "script", "text/javascript", body);
  for (const [path, body] of Object.entries(answers))
    add(path, "fetch", "application/json", JSON.stringify(body));
  // An act meets the page of the step before it.
  const whole = `<html><head><title>${title}</title></head><body>${html}</body></html>`;
  const pages = [index - 1, index].map((step) =>
    readPage(whole, { url: ORIGIN + url, seq: 100 + step }, step),
  );
  return { evidence: { facts, page: null, bodies, environment: {} }, pages };
}
