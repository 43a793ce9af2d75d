/**
 * Counts bytes that pass through this thread and collects garbage each time so many have. The chunks of a stream lie
 * outside the collector's heap: left to itself it lets a multiple of what is in use pile up before it looks.
 */
export function createCollector(everyBytes: number): (bytes: number) => void {
  let passed = 0;
  return (bytes) => {
    passed += bytes;
    if (passed < everyBytes) return;
    passed = 0;
    Bun.gc(true);
  };
}
