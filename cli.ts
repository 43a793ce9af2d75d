#!/usr/bin/env bun
import { closeEarlySocket, listenEarly } from "./server/early.ts";

// As in the executable. Otherwise the framework writes what was sent into its errors, and fails where that has no text.
process.env.NODE_ENV ??= "production";

const args = process.argv.slice(2);
await listenEarly(args, process.env);
// Only now: what follows takes longer to load than the socket to open.
const { run } = await import("./server/cli/program.ts");
process.exitCode = await run(args);
closeEarlySocket();
