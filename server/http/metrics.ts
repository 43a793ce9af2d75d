import type { Registry } from "prom-client";

type Labels = Record<string, string>;
type Reading = { labels?: Labels; value: number };

/** Numbers for `/metrics`. Names are given without the prefix `tracedeck_`, in base units (seconds, bytes), counters ending in `_total`. */
export interface Metrics {
  /** The counter of that name; the same one when asked for again. */
  counter(name: string, help: string, labelNames?: string[]): { inc(labels?: Labels, by?: number): void };
  /** The histogram of that name; the same one when asked for again. */
  histogram(
    name: string,
    help: string,
    options: { labelNames?: string[]; buckets: number[] },
  ): { observe(value: number, labels?: Labels): void };
  /** A number that is read when somebody looks. A reading that throws is left out of that answer. */
  gauge(name: string, help: string, read: () => Reading[] | Promise<Reading[]>, labelNames?: string[]): void;
  /** Makes ready to be read; `text` does so by itself. */
  load(): Promise<void>;
  /** The text exposition format. */
  text(): Promise<{ contentType: string; body: string }>;
}

const PREFIX = "tracedeck_";
const MAX_EARLY = 10_000;

/**
 * prom-client takes longer to load than the rest of the server to start, so it joins when somebody looks for the first
 * time; what was counted until then is kept here and told to it.
 */
export function createMetrics(onError: (name: string, error: unknown) => void): Metrics {
  type Client = typeof import("prom-client");
  const definitions = new Map<string, (client: Client, registry: Registry) => void>();
  const writers = new Map<string, (labels: Labels, value: number) => void>();
  let early: { name: string; labels: Labels; value: number }[] | null = [];
  let loading: Promise<Registry> | null = null;
  /** Begins to watch memory, event loop and the like: that keeps an idle server awake, so only when somebody looks. */
  let watchProcess: (() => void) | null = null;
  let loaded: { client: Client; registry: Registry } | null = null;

  function define(name: string, register: (client: Client, registry: Registry) => void) {
    if (definitions.has(name)) return;
    definitions.set(name, register);
    if (loaded) register(loaded.client, loaded.registry);
  }

  function write(name: string, labels: Labels, value: number) {
    if (!early) writers.get(name)?.(labels, value);
    // Where nobody ever looks (a command that ends), what waits is bounded.
    else if (early.length < MAX_EARLY) early.push({ name, labels, value });
  }

  async function load(): Promise<Registry> {
    const client = await import("prom-client");
    const registry = new client.Registry();
    loaded = { client, registry };
    for (const register of definitions.values()) register(client, registry);
    for (const entry of early ?? []) writers.get(entry.name)?.(entry.labels, entry.value);
    early = null;
    watchProcess = () => client.collectDefaultMetrics({ register: registry, prefix: PREFIX });
    return registry;
  }

  function registered(): Promise<Registry> {
    loading ??= load();
    return loading;
  }

  return {
    counter(name, help, labelNames = []) {
      define(name, (client, registry) => {
        const counter = new client.Counter({
          name: PREFIX + name,
          help,
          labelNames,
          registers: [registry],
        });
        writers.set(name, (labels, value) => counter.inc(labels, value));
      });
      return { inc: (labels = {}, by = 1) => write(name, labels, by) };
    },
    histogram(name, help, { labelNames = [], buckets }) {
      define(name, (client, registry) => {
        const histogram = new client.Histogram({
          name: PREFIX + name,
          help,
          labelNames,
          buckets,
          registers: [registry],
        });
        writers.set(name, (labels, value) => histogram.observe(labels, value));
      });
      return { observe: (value, labels = {}) => write(name, labels, value) };
    },
    gauge(name, help, read, labelNames = []) {
      define(name, (client, registry) => {
        new client.Gauge({
          name: PREFIX + name,
          help,
          labelNames,
          registers: [registry],
          async collect() {
            this.reset();
            try {
              for (const { labels, value } of await read()) this.set(labels ?? {}, value);
            } catch (error) {
              onError(name, error);
            }
          },
        });
      });
    },
    async load() {
      await registered();
    },
    async text() {
      const registry = await registered();
      watchProcess?.();
      watchProcess = null;
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
