import { closeSync, fsync, openSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { constants, zstdCompressSync } from "node:zlib";
import { encodeFooter } from "./file-footer.ts";

/** Unpacked size at which a block is closed. A longer line is a block of its own. */
const BLOCK_SIZE = 256 * 1024;
const LEVEL = 1;

/** Where a block lies: offset, stored size, size. */
export type Block = [offset: number, storedSize: number, size: number];

/** What the end of a snapshot file holds. */
export type Stored<Index extends object> = Index & { blocks: Block[] };

/** Where a snapshot's line lies in the file that keeps them. */
export interface LinePlace {
  block: number;
  /** Bytes within the unpacked block. */
  at: number;
  length: number;
}

/** Blocks that are complete, in their order. */
export interface SnapshotBlocks {
  blocks: Block[];
  bytes: Uint8Array;
}

/**
 * Gathers the snapshots of an archive in blocks. For workers: compression runs on the calling thread.
 * @param put takes the stored bytes of the next block
 * @param blocks those before
 */
function createBlocks(put: (bytes: Uint8Array) => void, blocks: Block[] = []) {
  let waiting: Uint8Array[] = [];
  let waitingSize = 0;
  let offset = blocks.reduce((sum, [, storedSize]) => sum + storedSize, 0);

  /** Of a block that is not full, too. */
  function closeBlock() {
    if (waitingSize === 0) return;
    const stored = compress(Buffer.concat(waiting));
    put(stored);
    blocks.push([offset, stored.length, waitingSize]);
    offset += stored.length;
    waiting = [];
    waitingSize = 0;
  }

  return {
    blocks,
    closeBlock,
    keep(line: string): LinePlace {
      const bytes = Buffer.from(line);
      if (waitingSize + bytes.length > BLOCK_SIZE) closeBlock();
      const place = { block: blocks.length, at: waitingSize, length: bytes.length };
      waiting.push(bytes);
      waitingSize += bytes.length;
      return place;
    },
  };
}

/** Keeps the blocks in memory, for a writer that comes later. */
export function createSnapshotGatherer() {
  const stored: Uint8Array[] = [];
  const { blocks, closeBlock, keep } = createBlocks((bytes) => void stored.push(bytes));
  return {
    keep,
    finish(): SnapshotBlocks {
      closeBlock();
      return { blocks, bytes: Buffer.concat(stored) };
    },
  };
}

/**
 * Writes the snapshots of an archive to a file that any of them can be read from alone: lines in zstd blocks, then the
 * index, then a footer that says where it is.
 * @param before blocks that were gathered before
 */
export function createSnapshotWriter(path: string, before?: SnapshotBlocks) {
  const file = openSync(path, "wx", 0o600);
  let offset = 0;
  let isOpen = true;

  function close() {
    if (isOpen) closeSync(file);
    isOpen = false;
  }

  function write(bytes: Uint8Array): number {
    const at = offset;
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done);
    offset += bytes.length;
    return at;
  }

  const { blocks, closeBlock, keep } = createBlocks(write, before?.blocks);
  if (before) write(before.bytes);

  return {
    keep,
    /**
     * Writes the index: from then on the file can be read.
     * @returns once everything is on the disk
     */
    finish(index: object): Promise<void> {
      closeBlock();
      const text = Buffer.from(JSON.stringify({ ...index, blocks }));
      const stored = compress(text);
      const at = write(stored);
      write(encodeFooter({ at, storedSize: stored.length, size: text.length }));
      return promisify(fsync)(file).finally(close);
    },
    /** Lets go of the file, unless it is finished. */
    abort: close,
  };
}

function compress(bytes: Uint8Array): Buffer {
  return zstdCompressSync(bytes, {
    params: {
      [constants.ZSTD_c_compressionLevel]: LEVEL,
      [constants.ZSTD_c_checksumFlag]: 1,
      [constants.ZSTD_c_contentSizeFlag]: 1,
    },
  });
}
