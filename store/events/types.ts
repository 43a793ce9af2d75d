/** What one frame of the event file holds; enough to decide whether a query must read it. */
export interface FrameInfo {
  /** Byte offset of the compressed frame in the file. */
  offset: number;
  compressedSize: number;
  size: number;
  /** Number of events in this frame and in all before it. */
  count: number;
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
  /** Included. */
  fromSeq?: number;
  offset: number;
  limit: number;
}

export interface EventPage {
  /** Stored NDJSON lines without their line ends: answers are built from them without parsing. */
  lines: string[];
  /** Matches in the whole file, before offset and limit. */
  total: number;
}
