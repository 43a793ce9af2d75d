import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { writeBackup } from "../../store/backup.ts";
import { coldFolderBy } from "../../store/cold-folder.ts";
import { dataFolder } from "../../store/data-folder.ts";
import { holdFile } from "../../store/hold.ts";
import { hasNoRecords, lostRecords } from "../../store/lost-records.ts";
import { restoreBackup } from "../../store/restore.ts";
import { parseSettings } from "../../store/settings.ts";
import { loadConfig, resolveDataDir } from "../config.ts";
import { systemClock } from "../platform/clock.ts";
import { createIds } from "../platform/ids.ts";
import { takeLock } from "../platform/lock.ts";
import { counted } from "../trace/format/words.ts";
import { type CommonOptions, example, withRecords } from "./options.ts";
import { fileToWrite } from "./out-file.ts";
import { bytes, CliError, note, progress, say, sayJson } from "./output.ts";

/** `backup FILE` and `restore FILE`. */
export function backupCommands(program: Command): void {
  backupCommand(program);
  restoreCommand(program);
}

function backupCommand(program: Command) {
  const command = program
    .command("backup")
    .argument("<file>", "file to write")
    .description("write a consistent copy of the data folder; a server may be running");
  example(withRecords(command), "tracedeck backup tracedeck-backup.tar.zst");
  command.action(async (file: string, options: CommonOptions) => {
    const config = loadConfig({ data: options.data });
    if (hasNoRecords(config.dataDir))
      throw new CliError(lostRecords(config.dataDir) ?? `${config.dataDir} has no store to back up.`);
    const outPath = fileToWrite(file);
    const bar = progress("Backing up", 0, bytes);
    const stop = interruption("The backup was interrupted, and nothing was written.");
    const result = await writeBackup({
      signal: stop.signal,
      dataDir: config.dataDir,
      coldDir: coldFolderBy(config.dataDir, config.settings),
      outPath,
      program: config.version,
      now: systemClock.now(),
      id: createIds(systemClock).uuid(),
      onProgress: (done, total) => bar.update(done, total),
    }).finally(() => {
      bar.end();
      stop.end();
    });
    if (options.json) return sayJson({ file: outPath, ...result });
    for (const warning of result.warnings) note(`warning: ${warning}`);
    if (result.warnings.length > 0) note("`tracedeck doctor` says more about damaged and missing files.");
    say(
      `${outPath}: ${counted(result.traces, "trace")}, ${counted(result.files, "file")}, ${bytes(result.bytes)}`,
    );
    note("It holds keys: keep it like a password.");
  });
}

function restoreCommand(program: Command) {
  const command = program
    .command("restore")
    .argument("<file>", "file that `backup` wrote")
    .description("put a backup back, after checking all of it")
    .option("--force", "replace the store that is there");
  example(withRecords(command), "tracedeck restore tracedeck-backup.tar.zst --data ./restored");
  command.action(async (file: string, options: CommonOptions & { force?: boolean }) => {
    // Not loadConfig: a settings.json that cannot be read is a reason to restore.
    const dataDir = resolveDataDir(options);
    const paths = dataFolder(dataDir);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const lock = takeLock(
      paths.lock,
      ({ pid, url }) =>
        `Process ${pid}${url ? ` at ${url}` : ""} holds ${dataDir}: stop it before restoring.`,
      holdFile,
    );
    const bar = progress("Restoring", 0, bytes);
    const stop = interruption(`The restore was interrupted, and ${dataDir} is as it was.`);
    try {
      const result = await restoreBackup({
        signal: stop.signal,
        dataDir,
        file: resolve(file),
        id: createIds(systemClock).uuid(),
        force: options.force ?? false,
        now: systemClock.now(),
        coldDirOf: (text) =>
          coldFolderBy(dataDir, text === null ? null : parseSettings(text, "settings.json of the backup")),
        onProgress: (done, total) => bar.update(done, total),
      });
      bar.end();
      if (options.json) return sayJson({ data: dataDir, ...result });
      say(
        `${dataDir}: ${counted(result.traces, "trace")}, ${counted(result.files, "file")}, as of ${result.created_at}`,
      );
    } finally {
      bar.end();
      stop.end();
      lock.release();
    }
  });
}

/** Aborts with these words at Ctrl-C or SIGTERM, until it is ended. */
function interruption(words: string): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(new CliError(words));
  for (const signal of SIGNALS) process.on(signal, abort);
  return {
    signal: controller.signal,
    end() {
      for (const signal of SIGNALS) process.off(signal, abort);
    },
  };
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
