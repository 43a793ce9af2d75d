import type { Command } from "commander";
import { takeFaults } from "../platform/faults.ts";
import { useTempFolder } from "../platform/temp-folder.ts";
import { RUN_WORKER } from "../run/pool/command.ts";
import type { ToRunner } from "../run/pool/protocol.ts";
import type { Channel } from "../run/pool/runner-process.ts";
import { UsageError } from "./output.ts";

/** The process that a server starts to carry runs out; not for people, so the help does not list it. */
export function runWorkerCommand(program: Command): void {
  program.command(`${RUN_WORKER} <folder>`, { hidden: true }).action(async (folder: string) => {
    const send = process.send?.bind(process);
    if (!send) throw new UsageError(`${RUN_WORKER} is started by a server, not by hand.`);
    const channel: Channel = {
      send: (message) => void send(message),
      onMessage: (listener) => void process.on("message", (message) => listener(message as ToRunner)),
      onClose: (listener) => void process.once("disconnect", listener),
      onFault: (listener) => void takeFaults(listener),
    };
    useTempFolder(folder);
    // Playwright takes longer to load than most commands to run.
    const { serveRuns } = await import("../run/pool/runner-process.ts");
    await serveRuns(channel, folder);
  });
}
