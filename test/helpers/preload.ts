import { takePackagedFrom } from "../../server/platform/packaged.ts";
import { PARTS } from "./kept-builds.ts";

// Every test file starts from the same place, whatever the machine it runs on has configured.
for (const name of Object.keys(process.env)) if (name.startsWith("TRACEDECK_")) delete process.env[name];
process.env.TZ = "UTC";
// As in the executable; see cli.ts.
process.env.NODE_ENV = "production";
// Nobody bundles for a page what the run has bundled before.
const parts = process.env[PARTS.variable];
if (parts) takePackagedFrom(parts);
