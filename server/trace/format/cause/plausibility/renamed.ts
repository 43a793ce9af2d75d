import { requestBodyOf } from "../exchanges/sent.ts";
import { oncePer } from "../once.ts";
import type { Finding } from "../types.ts";
import { leavesOf } from "../values/json-leaves.ts";
import { isBehind, isOfRead } from "./one-thing.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";

/** A served page whose field has another name than in the passes, and what was sent under that name and otherwise under the usual one. */
const renamedIn = oncePer((scene: Scene, _: "renamed"): { page: Finding; sent: Finding } | null => {
  for (const page of scene.news) {
    const sent = page.renamed && scene.news.find((one) => isSentSo(page, one, scene));
    if (sent) return { page, sent };
  }
  return null;
});

function isSentSo(page: Finding, sent: Finding, { evidence: { run } }: Scene): boolean {
  const { now, before } = page.renamed!;
  if (page.is_new !== true || sent.is_new !== true || sent.sentField !== before) return false;
  if (!isBehind(page, sent)) return false;
  const write = run.facts.exchanges.find(({ seq }) => sent.about === `body ${seq}`);
  return write !== undefined && leavesOf(requestBodyOf(write, run)).some(({ path }) => path === now);
}

/** A field that came under another name is sent under that, and is missing in what is read afterwards: told as one, and first. */
export const renamedField: Rule = (finding, scene) => {
  const found = renamedIn(scene, "renamed");
  if (!found) return null;
  const { page, sent } = found;
  if (finding === page) return all(because(sent), atLeast(0.97));
  const isOfIt =
    finding === sent || (isOfRead(finding) && finding.is_new === true && isBehind(sent, finding));
  return isOfIt ? explained : null;
};
