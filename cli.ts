#!/usr/bin/env bun
import { run } from "./server/cli/program.ts";

process.exitCode = await run(process.argv.slice(2));
