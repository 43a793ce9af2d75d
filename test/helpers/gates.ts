import { type Shop, startShop } from "../../fixtures/app/shop.ts";
import type { GateAnswer } from "../../server/gate/gates/model.ts";
import { type TestApp, type TestAppOptions, testApp } from "./app.ts";
import { type HostApi, type Payload, startHostApi } from "./host-api/host-api.ts";
import type { ModelCheckRun, ModelPull } from "./host-api/model.ts";
import type { Files } from "./host-api/repository.ts";
import { runPeriodic } from "./traces.ts";

/** A scenario file; `more` is frontmatter. */
export const scenarioFile = (slug: string, steps: string[], more = ""): string =>
  `---\nslug: ${slug}\ntitle: ${slug} works\nbase_url: http://127.0.0.1:9\n${more}---\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}\n`;

/** Steps against the sample shop, and against one whose cart button has another name. */
export const BUY = ['go to "/"', 'click button "Add to cart" nth 1', 'expect text "Cart"'];

export interface GateLab {
  app: TestApp;
  host: HostApi;
  shop: Shop;
  repository: string;
  /** The host tells of a pull request as it stands, by a signed webhook; what it was answered. */
  news(action: string, pull: ModelPull, more?: Payload): Promise<Response>;
  gates(query?: string): Promise<GateAnswer[]>;
  gate(id: string): Promise<GateAnswer>;
  newest(pull: ModelPull): Promise<GateAnswer>;
  check(sha: string): ModelCheckRun | undefined;
  comment(pull: ModelPull): string;
  /** Carries out what is due, and what the host is still to be told. */
  work(): Promise<void>;
  files(files: Files): void;
  close(): Promise<void>;
}

/** A server, a code host and the sample shop as the preview of every pull request. */
export async function gateLab(
  options: TestAppOptions & { codeHost?: Record<string, unknown>; rates?: object } = {},
): Promise<GateLab> {
  const { createTestClock } = await import("./app.ts");
  const clock = options.clock ?? createTestClock();
  const host = startHostApi({ now: clock.now });
  const { codeHost = {}, settings = {}, rates, ...rest } = options;
  const unlimited = { reads_per_minute: 1e6, writes_per_minute: 1e6, ingests_per_minute: 1e6 };
  const app = await testApp({
    ...rest,
    clock,
    settings: { rate_limits: rates ?? unlimited, code_host: { ...host.asApp, ...codeHost }, ...settings },
  });
  const shop = startShop();
  const json = async <T>(path: string) => (await (await app.api(path)).json()) as T;
  host.sendsTo((request) => app.app.handle(request));
  const lab: GateLab = {
    ...{ app, host, shop, repository: "acme/shop" },
    async news(action, pull, more = {}) {
      return (await host.deliver("pull_request", host.pullPayload(action, pull, more)))!;
    },
    async gates(query = "") {
      const { items } = await json<{ items: { id: string }[] }>(`/v1/gates?limit=200${query}`);
      return Promise.all(items.map(({ id }) => lab.gate(id)));
    },
    gate: (id) => json(`/v1/gates/${id}`),
    async newest(pull) {
      return (await lab.gates(`&pr=${pull.number}`))[0]!;
    },
    check: (sha) => host.model.checkRuns.findLast(({ head_sha }) => head_sha === sha),
    comment: (pull) => host.model.comments.find(({ number }) => number === pull.number)?.body ?? "",
    async work() {
      await app.runJobs();
      await runPeriodic(app, "gates.untold");
      await app.runJobs();
    },
    files: (files) => void host.repository.commit("main", files),
    async close() {
      await app.close();
      await shop.stop();
      host.close();
    },
  };
  return lab;
}
