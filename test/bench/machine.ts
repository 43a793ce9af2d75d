import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { findBrowser } from "../../server/platform/browser.ts";

const GIB = 2 ** 30;

/** What figures depend on, for a reader who wants to know how their own machine compares. Ask before anything is measured. */
export function machineInWords(): string {
  const count = availableParallelism();
  const model =
    cpus()[0]
      ?.model.replaceAll(/\((R|TM)\)/g, "")
      .trim() ?? "an unknown processor";
  const memory = `${Math.round(totalmem() / GIB)} GiB`;
  return [
    `${count} core${count === 1 ? "" : "s"} of ${model}`,
    memory,
    `${type()} ${release().split("-")[0]}`,
    `Bun ${Bun.version}`,
    browser(),
    ...busy(loadavg()[0] ?? 0, count),
  ].join(", ");
}

/** Times of a machine that has other work say less; a reader is to know. */
const busy = (load: number, cores: number): string[] =>
  load > cores / 2 ? [`with other work to do: a load of ${load.toFixed(load < 10 ? 1 : 0)}`] : [];

function browser(): string {
  const path = findBrowser();
  if (path === null) return "no browser";
  const version = Bun.spawnSync([path, "--version"]).stdout.toString();
  return /\w[\w ]* [\d.]+/.exec(version)?.[0] ?? "Chromium";
}
