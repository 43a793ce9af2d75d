import type { Command } from "commander";
import { dataFolder } from "../../store/data-folder.ts";
import { holdFile } from "../../store/hold.ts";
import { hasNoRecords, lostRecords } from "../../store/lost-records.ts";
import { brokenRestore, endBrokenRestore } from "../../store/replacement.ts";
import { openStore, openStoreBeside } from "../../store/store.ts";
import { resolveDataDir } from "../config.ts";
import { runningServer } from "../main.ts";
import { systemClock } from "../platform/clock.ts";
import { takeLock } from "../platform/lock.ts";
import { checkMachine, checkPresence, checkRecords, readableSettings } from "./doctor-machine.ts";
import { rebuildFolder } from "./doctor-rebuild.ts";
import { repair } from "./doctor-repair.ts";
import { checkStore } from "./doctor-store.ts";
import type { Finding } from "./finding.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { CliError, note, say, sayJson, tone } from "./output.ts";

/** `doctor`: is everything there and whole, and what can be put right. */
export function doctorCommand(program: Command): void {
  const command = program
    .command("doctor")
    .description("check data folder, records, every stored file and the machine")
    .option("--repair", "put right what can be put right; no server may be running")
    .option("--rebuild", "make lost records anew from the trace folders; no server may be running");
  example(withRecords(command), "tracedeck doctor --repair");
  command.action(async (options: CommonOptions & { repair?: boolean; rebuild?: boolean }) => {
    const dataDir = resolveDataDir(options);
    const rebuilt = options.rebuild ? await rebuildFolder(dataDir) : undefined;
    const repairs = options.repair ? await repairFolder(dataDir) : undefined;
    const checks = await examine(dataDir);
    const ok = checks.every((check) => check.ok);
    if (options.json) sayJson({ ok, checks, ...(rebuilt && { rebuilt }), ...(repairs && { repairs }) });
    else {
      for (const line of rebuilt ?? []) say(`${tone("rebuild ", "strong")}  ${line}`);
      for (const line of repairs ?? []) say(`${tone("repair  ", "strong")}  ${line}`);
      for (const { name, ok: isGood, detail } of checks) {
        say(
          `${tone(isGood ? "ok      " : "PROBLEM ", isGood ? "good" : "bad")}  ${name.replaceAll("_", " ")}: ${detail}`,
        );
      }
    }
    if (!ok) process.exitCode = 1;
  });
}

async function examine(dataDir: string): Promise<Finding[]> {
  const findings = [checkPresence(dataDir), ...checkRestore(dataDir), ...(await checkMachine(dataDir))];
  const records = checkRecords(dataDir);
  findings.push(...records.findings);
  if (!records.canOpen) return findings;
  const store = runningServer(dataDir) ? openStoreBeside(dataDir) : openStore(dataDir);
  try {
    return [...findings, ...(await checkStore(store, readableSettings(dataDir), systemClock.now()))];
  } finally {
    await store.close();
  }
}

/** What a restore that was killed has left. One that goes on holds the folder, and `doctor` may look meanwhile. */
function checkRestore(dataDir: string): Finding[] {
  const broken = brokenRestore(dataDir);
  if (!broken || runningServer(dataDir)) return [];
  const detail = broken.records
    ? `a restore was broken off, and the former records lie in ${broken.records}; --repair puts them back`
    : `a restore was broken off and left ${broken.folders.join(", ")}; --repair removes what is of no use`;
  return [{ name: "restore", ok: false, detail }];
}

async function endRestore(dataDir: string): Promise<string[]> {
  const broken = brokenRestore(dataDir);
  if (!broken) return [];
  const lock = takeLock(dataFolder(dataDir).lock, ({ pid }) => `Process ${pid} holds ${dataDir}.`, holdFile);
  try {
    await endBrokenRestore(dataDir);
  } finally {
    lock.release();
  }
  return [
    broken.records
      ? "put back what a restore that was broken off had set aside"
      : `removed what a restore that was broken off had left: ${broken.folders.join(", ")}`,
  ];
}

async function repairFolder(dataDir: string): Promise<string[]> {
  const server = runningServer(dataDir);
  if (server) throw new CliError(`Process ${server.pid} holds ${dataDir}: stop it before repairing.`);
  const paths = dataFolder(dataDir);
  const ended = await endRestore(dataDir);
  if (hasNoRecords(dataDir)) throw new CliError(lostRecords(dataDir) ?? `${dataDir} has no store to repair.`);
  if (!checkRecords(dataDir).canOpen) {
    note("The records themselves are damaged or from another version; only `restore` helps there.");
    return ended;
  }
  const lock = takeLock(paths.lock, ({ pid }) => `Process ${pid} holds ${dataDir}.`, holdFile);
  const store = openStore(dataDir);
  try {
    return [...ended, ...(await repair(store, readableSettings(dataDir), systemClock.now()))];
  } finally {
    await store.close();
    lock.release();
  }
}
