import { join } from "node:path";

/** The files of a data folder that commands and their users name: configuration, keys, records and the lock. */
export function dataFolder(dataDir: string) {
  return {
    root: dataDir,
    database: join(dataDir, "tracedeck.db"),
    settings: join(dataDir, "settings.json"),
    credentials: join(dataDir, "credentials.json"),
    signingKey: join(dataDir, "signing.key"),
    /** How the audit chains ended, signed, beside the records. */
    auditCheckpoints: join(dataDir, "audit", "checkpoints.ndjson"),
    lock: join(dataDir, "server.lock"),
    /** The id of the server that serves this folder. */
    serverId: join(dataDir, "server.id"),
  };
}

export type DataFolder = ReturnType<typeof dataFolder>;
