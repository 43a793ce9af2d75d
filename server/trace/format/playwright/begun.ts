import { type Collection, newCollection } from "./collect.ts";
import { traceFiles } from "./contents.ts";
import { type Context, newContext } from "./context.ts";
import { readContextLines } from "./context-lines.ts";
import type { Socket } from "./frames.ts";
import type { PlaywrightSink, PlaywrightSource } from "./source.ts";
import { createSpool, type SpoolState } from "./spool.ts";

/**
 * What the first trace files of an archive tell, read before its other members were there. Where the SHA-256 of a member belongs stands
 * a mark of the same form. It survives structured clone.
 */
export interface BegunReading {
  /** In the order of the archive. */
  files: BegunFile[];
  spool: SpoolState;
  seed: string;
  /** What the marks stand for, by their number. */
  names: MarkedName[];
  counts: Pick<Collection, "nextRequest" | "actions" | "actionCharacters">;
}

interface BegunFile {
  prefix: string;
  hasNetwork: boolean;
  context: Context;
  sockets: Socket[];
  /** How many of the marks were given by the end of this file. */
  marks: number;
}

interface MarkedName {
  folder: string;
  name: string;
}

const MARK_DIGITS = 32;

/**
 * Reads all trace files of a source, and their network files, and nothing else of it.
 * @param options.seed 32 lower-case hex digits that nobody else knows: marks begin with them
 * @returns null when a line cannot be read: who reads the whole archive tells of it
 * @throws PlaywrightRefusal
 */
export async function beginReading(
  source: PlaywrightSource,
  options: { seed: string; line: NonNullable<PlaywrightSink["line"]> },
): Promise<BegunReading | null> {
  const { seed } = options;
  const spool = createSpool();
  const into = newCollection(spool);
  const files: BegunFile[] = [];
  const names: MarkedName[] = [];
  let isOdd = false;
  for (const trace of traceFiles(source.entries())) {
    const { prefix, folder } = trace;
    const context = newContext(files.length, prefix);
    const marks = new Map<string, string>();
    into.resource = (name) => {
      if (!name) return null;
      const known = marks.get(name);
      if (known !== undefined) return known;
      const mark = seed + names.length.toString(16).padStart(MARK_DIGITS, "0");
      marks.set(name, mark);
      names.push({ folder, name });
      return mark;
    };
    await readContextLines(
      source,
      context,
      into,
      (event, line) => options.line(event, line, trace),
      () => {
        isOdd = true;
      },
    );
    if (isOdd) return null;
    const hasNetwork = source.has(`${prefix}.network`);
    files.push({ prefix, hasNetwork, context, sockets: into.sockets.splice(0), marks: names.length });
  }
  const { nextRequest, actions, actionCharacters } = into;
  return { files, spool: spool.state(), seed, names, counts: { nextRequest, actions, actionCharacters } };
}

/**
 * Whether going on from there comes to the same as reading the archive from its beginning: its first trace files are these, and it has
 * all members that they name.
 */
export function canGoOn(
  { files, names }: BegunReading,
  source: Pick<PlaywrightSource, "entries" | "has">,
  isThere: (member: string) => boolean,
): boolean {
  const all = traceFiles(source.entries());
  return (
    files.length > 0 &&
    files.every(
      ({ prefix, hasNetwork, sockets }, at) =>
        all[at]?.prefix === prefix &&
        source.has(`${prefix}.network`) === hasNetwork &&
        // Their messages come before the lines of the next file.
        (sockets.length === 0 || at === files.length - 1),
    ) &&
    names.every(({ folder, name }) => isThere(folder + name) || isThere(name))
  );
}

/** Puts hashes in the place of marks. */
export interface Marks {
  /** Asks for the hashes of the marks up to that number, in the order in which they were given. */
  ask(until: number, resource: PlaywrightSink["resource"]): void;
  /** The text with hashes for marks, of the same length. */
  replaced(text: string): string;
}

export function createMarks({ seed, names }: Pick<BegunReading, "seed" | "names">): Marks {
  const hashes: string[] = [];
  const mark = new RegExp(`${seed}([0-9a-f]{${MARK_DIGITS}})`, "g");
  return {
    ask(until, resource) {
      while (hashes.length < until) {
        const { folder, name } = names[hashes.length]!;
        const hash = resource(folder + name) ?? resource(name);
        if (hash === null) throw new Error(`The archive has no ${JSON.stringify(name)} any more.`);
        hashes.push(hash);
      }
    },
    replaced: (text) =>
      text.includes(seed)
        ? text.replace(mark, (whole, digits) => hashes[Number.parseInt(digits, 16)] ?? whole)
        : text,
  };
}

/** Gives the attachments of a context's actions their hashes. */
export function replaceInActions(context: Context, marks: Marks): void {
  for (const { attachments } of context.actions.values())
    for (const attachment of attachments ?? [])
      if (attachment.blob) attachment.blob = marks.replaced(attachment.blob);
}
