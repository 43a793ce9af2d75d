/** What one frame of the event file holds; enough to decide whether a query must read it. */
export interface FrameInfo {
  /** Byte offset of the compressed frame in the file. */
  offset: number;
  compressedSize: number;
  size: number;
  /** Number of events in this frame. */
  count: number;
  /** Number of events in all frames before it. */
  firstOrdinal: number;
  firstSeq: number;
  lastSeq: number;
  minTs: number;
  maxTs: number;
}

export interface EventQuery {
  /** Exact kinds (`console.error`) and prefixes (`network.*`), any of which may match. Absent: every kind. */
  kinds?: string[];
  step?: string;
  /** Substring of the stored line, exact case. */
  text?: string;
  /** With `text`: values only, letters in either case while the text has no capital. */
  isLoose?: boolean;
  /** Included. */
  fromSeq?: number;
  offset: number;
  limit: number;
  /** Of a page that has too many bytes, the last lines come instead of the first; not for a search for text. */
  isFromEnd?: boolean;
  /** Ends a search for text between two frames; the query then rejects with its reason. */
  signal?: AbortSignal;
}

export interface EventPage {
  /**
   * Stored NDJSON lines without their line ends: answers are built from them without parsing. Fewer than `limit` also
   * where they have more bytes than a page (`PAGE_BYTES`); one line alone always comes.
   */
  lines: string[];
  /** Matches in the whole file, before offset and limit. */
  total: number;
}

/** The four fields of an event that the index is made of. */
export interface EventMeta {
  seq: number;
  ts: number;
  kind: string;
  step_id?: string | null;
}

/** An event as it is stored, with what its line says. */
export interface EventLine extends EventMeta {
  /** The NDJSON text without its line end. */
  line: string;
}

export interface EventFileInfo {
  count: number;
  /** The four ends are null when there is no event. */
  firstSeq: number | null;
  lastSeq: number | null;
  minTs: number | null;
  maxTs: number | null;
  /** Events per kind. */
  kinds: Record<string, number>;
  /** Bytes of the NDJSON text. */
  size: number;
  /** Bytes of the event file on disk. */
  storedSize: number;
}

/** One trace's events, finished or still growing. */
export interface EventFile {
  /** Of a running trace: what is acknowledged so far. */
  readonly info: EventFileInfo;
  /** @throws DamagedFileError when the event file itself is damaged. */
  query(query: EventQuery): Promise<EventPage>;
  /** Every stored line in order, from `fromSeq` (included) on; of a running trace up to the last acknowledged one. */
  lines(fromSeq?: number): AsyncIterable<string>;
  /** As `lines`, a frame's worth at a time: faster where all of them are read. */
  lineBatches(fromSeq?: number): AsyncIterable<string[]>;
}
