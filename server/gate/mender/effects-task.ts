import { readFacts, readHtml } from "../../trace/causes/evidence.ts";
import type { CauseInput, RunSource } from "../../trace/causes/source.ts";
import { type Effects, effectsLost } from "../diagnosis/effects.ts";
import { readPage } from "../diagnosis/read-page.ts";

/**
 * The task `gate.effects`: what a run that passed with a change no longer does that the newest pass before it did. Nothing where
 * there is no pass to compare with.
 * @param input of the run with the change
 */
export async function effectsTask(
  input: CauseInput,
  progress: (progress: unknown) => void,
): Promise<string[]> {
  const [pass] = input.passes;
  if (!pass) return [];
  progress(0);
  const before = await effectsOf(input, pass);
  progress(1);
  return effectsLost(before, await effectsOf(input, input.run));
}

async function effectsOf(input: CauseInput, source: RunSource): Promise<Effects> {
  const facts = await readFacts(source);
  const shot = facts.pages.findLast(({ html }) => html !== null);
  const html = shot ? await readHtml(input, source, shot) : null;
  if (!shot || html === null) return { facts, last: null };
  const { parts, title } = readPage(html, shot, 0);
  const heading = parts.find(({ element }) => element.tag === "h1")?.element.name ?? "";
  return { facts, last: { url: shot.url, title, heading } };
}
