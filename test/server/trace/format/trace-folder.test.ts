import { expect, test } from "bun:test";
import { resourcesNamed, unpackedTraces } from "../../../../server/trace/format/trace-folder.ts";

const shape = (names: string[]) =>
  unpackedTraces(names).map(({ name, files }) => [name, Object.fromEntries(files)]);

test("the contexts of a test are one trace, and each that stands by itself is one of its own", () => {
  expect(shape(["1-trace.trace", "0-trace.network", "0-trace.trace", "test.trace", "trace.stacks"])).toEqual([
    [
      "trace.trace",
      {
        "0-trace.network": "0-trace.network",
        "0-trace.trace": "0-trace.trace",
        "1-trace.trace": "1-trace.trace",
        "test.trace": "test.trace",
        "trace.stacks": "trace.stacks",
      },
    ],
  ]);
  expect(
    shape(["trace-17.trace", "trace-9.network", "trace-17.network", "note.txt", "trace-9.trace"]),
  ).toEqual([
    ["trace-17.trace", { "trace.trace": "trace-17.trace", "trace.network": "trace-17.network" }],
    ["trace-9.trace", { "trace.trace": "trace-9.trace", "trace.network": "trace-9.network" }],
  ]);
  expect(shape(["only.network", "notes.md"])).toEqual([]);
});

test("of the resources in the folder those belong to a trace that it names", () => {
  const picture = "screencast/page@01-1700000000000.jpeg";
  const known = new Set(["resources/0a1b2c3d.jpeg", "resources/ffffffff.css", picture]);
  expect(
    resourcesNamed(
      `{"sha1":"0a1b2c3d.jpeg"} {"_sha1":"resources/0a1b2c3d.jpeg"} "other.png" {"file":"${picture}"}`,
      known,
    ),
  ).toEqual(["resources/0a1b2c3d.jpeg", picture]);
});
